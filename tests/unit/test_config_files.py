"""Configuration: YAML in and out, overrides, one-line refusals, paths, fingerprints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from corver.config import ConfigModel, RunConfig, load_config, parse_overrides, parse_yaml
from corver.errors import ConfigError

LEAST: dict[str, Any] = {
    "output": "out",
    "index": "idx",
    "policy": {"model": "org/name"},
    "data": {"questions": "q.jsonl"},
}


def written(folder: Path, values: Any) -> Path:
    path = folder / "run.yaml"
    path.write_text(values if isinstance(values, str) else yaml.safe_dump(values), encoding="utf-8")
    return path


def changed(dotted: str, value: Any) -> dict[str, Any]:
    values = yaml.safe_load(yaml.safe_dump(LEAST))
    *parents, leaf = dotted.split(".")
    node = values
    for parent in parents:
        node = node.setdefault(parent, {})
    node[leaf] = value
    return values


def refusal(path: Path, *overrides: str) -> str:
    with pytest.raises(ConfigError) as raised:
        load_config(path, overrides)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_written_configuration_reads_back_equal(tmp_path: Path) -> None:
    values = LEAST | {
        "evaluation": {"questions": "e.jsonl", "limit": 3},
        "credit": {"lambda_c": 2.5, "advantage": {"cap": None, "scale": "batch"}},
        "reward": {"levels": {"thresholds": [1, 2], "rewards": [-1, 0, 1]}},
        "policy": {"model": "m", "lora": None, "chat_template_kwargs": {"enable_thinking": False}},
    }
    config = load_config(written(tmp_path, values))
    again = load_config(written(tmp_path, config.model_dump(mode="json")))
    assert again == config
    assert again.fingerprint() == config.fingerprint()
    assert config.credit.advantage.cap is None
    assert config.policy.lora is None
    assert config.policy.chat_template_kwargs == {"enable_thinking": False}


@pytest.mark.parametrize("dotted", ["colour", "credit.lamda_c", "reward.levels.threshold", "credit.advantage.floor"])
def test_unknown_keys_are_named(tmp_path: Path, dotted: str) -> None:
    assert dotted in refusal(written(tmp_path, changed(dotted, 1)))
    assert dotted in refusal(written(tmp_path, LEAST), f"--{dotted}=1")


@pytest.mark.parametrize(
    ("dotted", "meant"),
    [
        ("credit.lamda_c", "credit.lambda_c"),
        ("optimisation.steps", "optimization"),
        ("steps", "optimization.steps"),
        ("lamda_c", "credit.lambda_c"),
        ("questions", "data.questions or evaluation.questions"),
        ("optimization.top_p", "sampling.top_p"),
        ("evaluation.batch_size", "evaluation.batch"),
        ("policy.lora.alfa", "policy.lora.alpha"),
        ("credit.noise.rate", "credit.noise.rates"),
        ("colour", None),
        ("optimization.colour", None),
    ],
)
def test_an_unknown_key_is_told_what_it_may_have_meant(tmp_path: Path, dotted: str, meant: str | None) -> None:
    key = "optimisation" if dotted.startswith("optimisation") else dotted
    told = f"{key}: no such setting" + (f"; did you mean {meant}?" if meant else "")
    values = changed(dotted, 1)
    if dotted.startswith("evaluation"):
        values["evaluation"]["questions"] = "e.jsonl"
    path = written(tmp_path, values)
    assert refusal(path) == f"{path}: {told}"
    values = LEAST | {"evaluation": {"questions": "e.jsonl"}}
    assert refusal(written(tmp_path, values), f"--{dotted}=1") == f"--{told}"


WRONG = [
    ("optimization.steps", "many"),
    ("optimization.steps", 0),
    ("optimization.steps", 2.5),
    ("optimization.steps", True),
    ("optimization.generations", 1),
    ("optimization.learning_rate", 0),
    ("optimization.learning_rate", float("nan")),
    ("optimization.learning_rate", float("inf")),
    ("credit.lambda_c", False),
    ("credit.lambda_c", [1]),
    ("credit.alignment", "tokens"),
    ("credit.advantage.scale", "std"),
    ("credit.advantage.cap", 0),
    ("reward.window", -1),
    ("reward.window", 10_000_000),
    ("reward.resolve_pronouns", "perhaps"),
    ("reward.levels.thresholds", [5, 1, 20]),
    ("reward.levels.thresholds", [1, 5]),
    ("reward.levels.thresholds", [0, 5, 20]),
    ("sampling.top_p", 1.5),
    ("policy.model", 3),
    ("policy.trust_remote_code", 7),
    ("seed", -1),
    ("seed", "yes please"),
    ("data", "questions.jsonl"),
    ("output", None),
]


@pytest.mark.parametrize(("dotted", "value"), WRONG)
def test_wrong_values_are_one_line_that_names_the_key(tmp_path: Path, dotted: str, value: Any) -> None:
    path = written(tmp_path, changed(dotted, value))
    message = refusal(path)
    assert message.startswith(f"{path}: ")
    assert dotted.rpartition(".")[0] in message or dotted in message


def test_missing_keys_are_named_and_counted(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, {"output": "o", "index": "i"}))
    assert "policy" in message
    assert "1 more" in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("- a\n- b\n", "mapping"),
        ("just words", "mapping"),
        ("a: [1, 2", "YAML"),
        ("a: b: c", "YAML"),
        ("!!python/object/apply:os.system ['true']", "YAML"),
        ("1: 2\n", "output"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, text: str, told: str) -> None:
    assert told in refusal(written(tmp_path, text))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("seed: 1\nseed: 1\n", "line 6: seed is written twice (first in line 5)"),
        ("optimization:\n  steps: 1\n  beta: 0\n  steps: 2\n", "line 8: optimization.steps is written twice"),
        ("seed: 3\npolicy: {model: other}\n", "line 6: policy is written twice (first in line 3)"),
        ("credit: {lambda_c: 1, 'lambda_c': 2}\n", "line 5: credit.lambda_c is written twice (first in line 5)"),
        ("credit: [{a: 1}, {b: 1, b: 2}]\n", "line 5: credit.b is written twice"),
        ("credit: &c {1: 2, 0x1: 3}\nreward: *c\n", "line 5: credit.0x1 is written twice"),
    ],
)
def test_a_key_written_twice_is_refused_by_name_and_line(tmp_path: Path, more: str, told: str) -> None:
    text = "output: out\nindex: idx\npolicy: {model: m}\ndata: {questions: q}\n"
    load_config(written(tmp_path, text))
    path = written(tmp_path, text + more)
    message = refusal(path)
    assert message.startswith(f"{path}: {told}")
    with pytest.raises(ConfigError) as raised:
        parse_yaml(text + more)
    assert str(raised.value).startswith(told)


def test_a_key_written_twice_in_an_override_is_refused(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, LEAST), "--optimization={steps: 1, steps: 2}")
    assert message.startswith("--optimization: ")
    assert "steps is written twice" in message


def test_what_only_looks_like_a_key_written_twice_is_read() -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\nc: *a\nd: [{x: 1}, {x: 2}]\ne: {1: a, '1': b, =: c}\n[1]: f\n"
    assert parse_yaml(text.replace("[1]: f\n", "")) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 3, "y": 2},
        "c": {"x": 1, "y": 2},
        "d": [{"x": 1}, {"x": 2}],
        "e": {1: "a", "1": "b", "=": "c"},
    }
    with pytest.raises(ConfigError, match="is not valid YAML"):
        parse_yaml(text)
    assert parse_yaml("") is None
    for text in ("a: 2021-13-45", "a: &a [*a]\nb: !!set {c", "a: !mine 1", "!mine a: 1", "a: 1\n---\nb: 2"):
        with pytest.raises(ConfigError, match="is not valid YAML"):
            parse_yaml(text)


def test_a_list_that_holds_itself_is_looked_at_once() -> None:
    value = parse_yaml("a: &a [1, *a]\n")
    assert value["a"][1] is value["a"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such" in refusal(tmp_path / "none.yaml")
    assert "folder" in refusal(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"output: \xff\xfe\n")
    assert "cannot be read" in refusal(tmp_path / "latin.yaml")


def test_relative_paths_are_anchored_at_the_files_folder(tmp_path: Path) -> None:
    values = LEAST | {
        "policy": {"model": "./weights"},
        "data": {"questions": "q.jsonl", "zone": "sub/z.jsonl"},
        "evaluation": {"questions": "../e.jsonl"},
        "output": "/elsewhere/run",
    }
    (tmp_path / "recipes").mkdir()
    config = load_config(written(tmp_path / "recipes", values))
    here = tmp_path / "recipes"
    assert config.index == here / "idx"
    assert config.policy.model == str(here / "weights")
    assert (config.data.questions, config.data.zone) == ((str(here / "q.jsonl"),), here / "sub" / "z.jsonl")
    assert config.evaluation is not None
    assert config.evaluation.questions == tmp_path / "e.jsonl"
    assert config.output == Path("/elsewhere/run")


def test_hub_ids_are_left_alone_and_overridden_paths_belong_to_the_working_directory(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, LEAST), ["--output", "here/run"])
    assert config.policy.model == "org/name"
    assert config.output == Path("here/run")


def test_home_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert load_config(written(tmp_path, changed("index", "~/idx"))).index == tmp_path / "home" / "idx"
    assert "home folder" in refusal(written(tmp_path, changed("index", "~nobody-of-that-name/idx")))


def test_overrides_in_both_notations(tmp_path: Path) -> None:
    words = ["--reward.judge.wrong=-0.5", "--optimization.steps", "7", "--credit.advantage.cap=null",
             "--optimization.learning-rate", "1e-5", "--policy.lora=null", "--bogus=x"]  # fmt: skip
    config = load_config(written(tmp_path, LEAST), words[:-1])
    assert (config.reward.judge.wrong, config.optimization.steps) == (-0.5, 7)
    assert config.optimization.learning_rate == 1e-5
    assert config.credit.advantage.cap is None
    assert config.policy.lora is None
    assert "bogus" in refusal(written(tmp_path, LEAST), *words)


def test_overrides_make_sections_and_replace_whole_ones(tmp_path: Path) -> None:
    path = written(tmp_path, LEAST | {"credit": {"lambda_c": 3.0}})
    config = load_config(path, ["--evaluation.questions=/e.jsonl", "--credit={lambda_f: 0.5}"])
    assert config.evaluation is not None
    assert config.evaluation.questions == Path("/e.jsonl")
    assert (config.credit.lambda_c, config.credit.lambda_f) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--seed"], "--seed needs a value"),
        (["seed", "3"], "'seed'"),
        (["--"], "'--'"),
        (["-s", "3"], "'-s'"),
        (["--seed", "3", "4"], "'4'"),
        (["--seed=[1"], "[1"),
        (["--output.x=1"], "output"),
        (["--seed.x=1"], "seed"),
        (["--=1"], "'--=1'"),
    ],
)
def test_broken_overrides_are_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    assert told in refusal(written(tmp_path, LEAST | {"seed": 3}), *words)


def test_parse_overrides_keeps_the_last_and_reads_yaml() -> None:
    assert parse_overrides(["--a.b", "1", "--a.b=2", "--c=[x, 1.5]", "--d=", "--e-f", "a=b"]) == {
        "a.b": 2,
        "c": ["x", 1.5],
        "d": None,
        "e_f": "a=b",
    }


OTHER: dict[type, Any] = {int: 17, float: 0.375, str: "other", Path: Path("/other")}


def leaves(model: BaseModel, prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            found += leaves(value, f"{prefix}{name}.")
        else:
            found.append((f"{prefix}{name}", value))
    return found


def replaced(model: Any, dotted: str, value: Any) -> Any:
    head, _, rest = dotted.partition(".")
    return model.model_copy(update={head: replaced(getattr(model, head), rest, value) if rest else value})


def whole_config() -> RunConfig:
    return RunConfig.model_validate(LEAST | {"evaluation": {"questions": "e.jsonl"}})


def another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value, *value[:1]) or ("other",)
    if isinstance(value, dict):
        return {"a": 1}
    if value is None:
        return 3
    return OTHER[next(kind for kind in OTHER if isinstance(value, kind))]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("dotted", [name for name, _ in leaves(whole_config())])
def test_every_value_changes_the_fingerprint(dotted: str) -> None:
    config = whole_config()
    value = dict(leaves(config))[dotted]
    other = replaced(config, dotted, another(value))
    assert other.fingerprint() != config.fingerprint()
    assert replaced(other, dotted, value).fingerprint() == config.fingerprint()


def test_fingerprints_are_stable_over_key_order_and_defaults_written_out() -> None:
    config = whole_config()
    backwards = dict(reversed(config.model_dump(mode="json").items()))
    assert RunConfig.model_validate(backwards).fingerprint() == config.fingerprint()
    assert len(config.fingerprint()) == 16
    assert int(config.fingerprint(), 16) >= 0


def test_configurations_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="frozen"):
        whole_config().seed = 3
    assert ConfigModel.model_config["extra"] == "forbid"


def test_questions_may_be_one_several_and_of_a_hub(tmp_path: Path) -> None:
    hub = "hf://datasets/owner/name/train.parquet"
    data = {"questions": ["q.jsonl", hub, "/there/a.csv"], "exclude": "dev.jsonl"}
    config = load_config(written(tmp_path, LEAST | {"data": data}))
    assert config.data.questions == (str(tmp_path / "q.jsonl"), hub, "/there/a.csv")
    assert config.data.exclude == (str(tmp_path / "dev.jsonl"),)
    assert RunConfig.model_validate(LEAST | {"data": {"questions": Path("q")}}).data.questions == ("q",)
    assert "data.questions" in refusal(written(tmp_path, LEAST | {"data": {"questions": []}}))
    assert "data.questions" in refusal(written(tmp_path, LEAST | {"data": {"questions": [1]}}))


@pytest.mark.parametrize(
    ("letter", "name", "dotted", "value"),
    [
        ("A1", "no_cooccurrence", "credit.lambda_c", 0.0),
        ("A2", "no_judge", "credit.lambda_j", 0.0),
        ("A3", "no_alignment", "credit.alignment", "response"),
        ("A4", "no_zone", "data.zone", None),
    ],
)
def test_an_ablation_is_one_switch(tmp_path: Path, letter: str, name: str, dotted: str, value: Any) -> None:
    given = changed("credit", {"lambda_c": 12.0, "lambda_j": 2.0})
    given["data"] |= {"zone": "zone.jsonl", "bounds": [2, 3], "anchors": 5}
    path = written(tmp_path, given)
    full = load_config(path)
    by_letter, by_name = load_config(path, ["--ablation", letter]), load_config(path, [f"--ablation={name}"])
    assert by_letter == by_name
    assert by_letter.ablation == name
    before, after = dict(leaves(full)), dict(leaves(by_letter))
    assert after[dotted] == value
    moved = {key for key in after if after[key] != before[key]}
    assert moved == {"ablation", dotted} | ({"data.bounds", "data.anchors"} if letter == "A4" else set())
    assert load_config(written(tmp_path, by_letter.model_dump(mode="json"))) == by_letter


def test_a_check_across_sections_names_the_setting(tmp_path: Path) -> None:
    path = written(tmp_path, LEAST | {"credit": {"noise": {"false_negative": 0.2}}})
    assert refusal(path).startswith(f"{path}: credit.advantage.scale: group would undo credit.noise")
    free = ["--credit.advantage.scale", "none"]
    assert refusal(path, *free, "--reward.judge.wrong", "-2").startswith("--reward.judge: credit.noise and")


def test_an_empty_file_is_called_so(tmp_path: Path) -> None:
    for text in ("", "# nothing yet\n"):
        assert refusal(written(tmp_path, text)).startswith(f"{tmp_path / 'run.yaml'}: the file is empty")
    assert "found list" in refusal(written(tmp_path, "[1]"))


def test_an_unknown_ablation_and_one_over_a_broken_section_are_refused(tmp_path: Path) -> None:
    told = refusal(written(tmp_path, LEAST), "--ablation", "A5")
    assert told == (
        "--ablation: no such ablation: 'A5'; there are none, A1 (no_cooccurrence), A2 (no_judge), A3 (no_alignment), "
        "A4 (no_zone)"
    )
    assert "no such ablation: [1]" in refusal(written(tmp_path, LEAST | {"ablation": [1]}))
    assert "credit" in refusal(written(tmp_path, LEAST | {"credit": 3}), "--ablation", "A1")


def test_a_bare_off_is_the_word_off(tmp_path: Path) -> None:
    path = written(tmp_path, LEAST)
    config = load_config(path, ["--credit.noise.correction", "off"])
    assert config.credit.noise is not None
    assert config.credit.noise.correction == "off"
    assert "correction" in refusal(path, "--credit.noise.correction", "on")
    assert "steps" in refusal(path, "--optimization.steps", "off")
