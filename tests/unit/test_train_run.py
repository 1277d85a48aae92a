"""A whole run on a tiny model: what it writes, and that a run broken anywhere ends like an unbroken one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from corver.cli.app import app
from corver.config import RunConfig
from corver.errors import ConfigError, IndexFormatError, InputError, TrainingError
from corver.index import Index
from corver.runs import RunFolder, read_jsonl
from corver.train import run as training_run
from corver.train.checkpoints import newest_checkpoint
from corver.train.run import train

STEPS = 5
TIMES = {"seconds", "step_time", "corver/reward_seconds", "corver/scoring_seconds", "corver/reward_share"}


class StopError(Exception):
    """Stands for a kill."""


def config_of(output: Path, model: Path, index: Path, questions: Path, **changes: Any) -> RunConfig:
    settings: dict[str, Any] = {
        "output": output,
        "index": index,
        "policy": {"model": str(model), "dtype": "float32", "device": "cpu",
                   "lora": {"r": 4, "alpha": 8, "target_modules": ["q_proj", "v_proj"]}},
        "data": {"questions": questions, "split": "train"},
        "credit": {"reference_batches": 3},
        "sampling": {"max_completion_tokens": 32},
        "optimization": {"steps": STEPS, "prompts_per_step": 2, "generations": 4, "learning_rate": 1e-2,
                         "save_every": 2, "micro_batch": 4, "beta": 0.01},
        "evaluation": {"questions": questions, "split": "heldout", "batch": 2, "bootstrap": 200},
    }  # fmt: skip
    for name, value in changes.items():
        settings[name] = settings.get(name, {}) | value if isinstance(value, dict) else value
    return RunConfig.model_validate(settings)


@pytest.fixture(scope="module")
def make(tiny_model: Path, tiny_index: Path, tiny_questions: Path) -> Any:
    def made(output: Path, **changes: Any) -> RunConfig:
        return config_of(output, tiny_model, tiny_index, tiny_questions, **changes)

    return made


@pytest.fixture(scope="module")
def unbroken(make: Any, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return train(make(tmp_path_factory.mktemp("unbroken") / "run"))


def stopping(stage: str, at: int) -> Any:
    def progress(name: str, done: int, total: int | None, unit: str) -> None:
        if name == stage and done >= at:
            raise StopError

    return progress


def metrics_of(folder: RunFolder) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in read_jsonl(folder.metrics)]


def assert_same_run(folder: RunFolder, other: RunFolder) -> None:
    assert [row["step"] for row in read_jsonl(folder.metrics)] == list(range(1, STEPS + 1))
    for own, expected in zip(metrics_of(folder), metrics_of(other), strict=True):
        assert own.keys() == expected.keys()
        for name, value in expected.items():
            assert own[name] == pytest.approx(value, rel=1e-6, abs=1e-9), (own["step"], name)
    assert read_jsonl(folder.samples) == read_jsonl(other.samples)
    weights, expected_weights = (load_file(run.adapter / "adapter_model.safetensors") for run in (folder, other))
    assert weights.keys() == expected_weights.keys()
    for name, value in expected_weights.items():
        np.testing.assert_allclose(weights[name], value, rtol=1e-6, atol=1e-8)
    for name in ("raw", "trained"):
        rows = sorted(read_jsonl(folder.evaluation(name)), key=lambda row: row["id"])
        assert rows == sorted(read_jsonl(other.evaluation(name)), key=lambda row: row["id"])


def test_a_run_leaves_all_that_it_promises(unbroken: RunFolder) -> None:
    for path in (unbroken.config, unbroken.metrics, unbroken.summary, unbroken.card, unbroken.report,
                 unbroken.samples, unbroken.adapter / "adapter_model.safetensors"):  # fmt: skip
        assert path.stat().st_size > 0
    rows = read_jsonl(unbroken.metrics)
    assert [row["step"] for row in rows] == list(range(1, STEPS + 1))
    assert len({row["loss"] for row in rows}) > 1
    assert any(row["corver/claims"] > 0 for row in rows)
    summary = json.loads(unbroken.summary.read_text())
    assert summary["questions"] == 3
    assert summary["seconds"].keys() == {"evaluate_raw", "train", "evaluate_trained"}
    for name in ("raw", "trained", "difference"):
        assert {"accuracy", "sentence_reward", "claims_per_completion", "mean_length"} <= summary[name].keys()
    assert not list(unbroken.path.glob("*.part"))
    assert not list(unbroken.path.glob(".*.part"))


def test_held_out_questions_are_never_trained_on(unbroken: RunFolder) -> None:
    asked = {row["question"] for row in read_jsonl(unbroken.samples)}
    held_out = {row["question"] for row in read_jsonl(unbroken.evaluation("raw"))}
    assert asked
    assert len(held_out) == 3
    assert not asked & held_out


def test_training_moved_the_adapter(unbroken: RunFolder) -> None:
    weights = load_file(unbroken.adapter / "adapter_model.safetensors")
    moved = [np.abs(value).max() for name, value in weights.items() if "lora_B" in name]
    assert len(moved) == 4
    assert min(moved) > 0


@pytest.mark.parametrize(
    ("stage", "at"),
    [("evaluate raw", 2), ("train", 1), ("train", 3), ("train", STEPS), ("evaluate trained", 1)],
)
def test_a_run_broken_anywhere_ends_like_an_unbroken_one(
    make: Any, tmp_path: Path, unbroken: RunFolder, stage: str, at: int
) -> None:
    config = make(tmp_path / "run")
    with pytest.raises(StopError):
        train(config, progress=stopping(stage, at))
    assert not (tmp_path / "run" / "summary.json").exists()
    assert_same_run(train(config), unbroken)


@pytest.mark.parametrize("micro_batch", [2, 8])
def test_a_run_broken_within_an_epoch_ends_like_an_unbroken_one(make: Any, tmp_path: Path, micro_batch: int) -> None:
    changes = {"optimization": {"save_every": 3, "micro_batch": micro_batch}, "evaluation": None}
    whole = train(make(tmp_path / "whole", **changes))
    broken = make(tmp_path / "broken", **changes)
    with pytest.raises(StopError):
        train(broken, progress=stopping("train", 4))
    assert_same_run(train(broken), whole)


def test_answers_already_given_are_not_asked_again(make: Any, tmp_path: Path, unbroken: RunFolder) -> None:
    config = make(tmp_path / "run")
    with pytest.raises(StopError):
        train(config, progress=stopping("evaluate raw", 2))
    first = read_jsonl(RunFolder(config.output).evaluation("raw"))
    assert len(first) == 2
    reports: list[tuple[str, int]] = []

    def progress(name: str, done: int, total: int | None, unit: str) -> None:
        reports.append((name, done))
        if name == "train":
            raise StopError

    with pytest.raises(StopError):
        train(config, progress=progress)
    assert [done for name, done in reports if name == "evaluate raw"] == [3]
    assert read_jsonl(RunFolder(config.output).evaluation("raw"))[:2] == first


def test_a_torn_last_line_is_made_again(make: Any, tmp_path: Path, unbroken: RunFolder) -> None:
    config = make(tmp_path / "run")
    with pytest.raises(StopError):
        train(config, progress=stopping("train", 3))
    folder = RunFolder(config.output)
    for path in (folder.metrics, folder.samples):
        with path.open("ab") as file:
            file.write(b'{"step": 4, "los')
    assert_same_run(train(config), unbroken)


def test_a_half_written_checkpoint_is_not_taken_up(make: Any, tmp_path: Path, unbroken: RunFolder) -> None:
    config = make(tmp_path / "run")
    with pytest.raises(StopError):
        train(config, progress=stopping("train", 5))
    checkpoints = RunFolder(config.output).checkpoints
    shutil.copytree(checkpoints / "checkpoint-4", checkpoints / "checkpoint-5", dirs_exist_ok=True)
    (checkpoints / "checkpoint-5" / "corver_state.json").unlink()
    assert_same_run(train(config), unbroken)


def test_a_folder_that_is_no_checkpoint_is_passed_over(tmp_path: Path) -> None:
    for name in ("checkpoint-2", "checkpoint-10", "checkpoint-old", "checkpoint-11"):
        (tmp_path / name).mkdir()
        if name != "checkpoint-11":
            (tmp_path / name / "corver_state.json").write_text("{}")
    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    assert newest_checkpoint(tmp_path / "checkpoint-10") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"train": "long"}', "[" * 100_000])
def test_damaged_times_of_a_run_are_one_line(make: Any, tmp_path: Path, text: str) -> None:
    config = make(tmp_path / "run")
    with pytest.raises(StopError):
        train(config, progress=stopping("evaluate raw", 3))
    state = RunFolder(config.output).state
    state.write_text(text)
    with pytest.raises(TrainingError, match=r"is damaged \(.*\); remove it") as raised:
        train(config)
    assert str(raised.value).startswith(f"{state}: ")
    assert "\n" not in str(raised.value)


def moved(run: RunFolder, to: Path, **paths: tuple[Path, Path]) -> RunFolder:
    """A copy of a run, with its own folder and other paths in its configuration changed."""
    shutil.copytree(run.path, to)
    text = run.config.read_text().replace(str(run.path), str(to))
    for old, new in paths.values():
        text = text.replace(str(old), str(new))
    folder = RunFolder(to)
    folder.config.write_text(text)
    return folder


def test_a_finished_run_is_left_alone_and_needs_nothing(
    make: Any, tmp_path: Path, unbroken: RunFolder, tiny_index: Path
) -> None:
    gone = tmp_path / "gone"
    folder = moved(unbroken, tmp_path / "run", index=(tiny_index, gone))

    def times() -> dict[Path, int]:
        files = (path for path in folder.path.rglob("*") if path.is_file() and path.name != ".lock")
        return {path: path.stat().st_mtime_ns for path in files}

    def progress(*_: Any) -> None:
        raise AssertionError("a finished run must not work")

    before = times()
    train(make(folder.path).model_copy(update={"index": gone}), progress=progress)
    assert times() == before


def test_a_run_killed_after_its_summary_still_gets_card_and_page(
    make: Any, tmp_path: Path, unbroken: RunFolder
) -> None:
    folder = moved(unbroken, tmp_path / "run")
    folder.card.unlink()
    folder.report.unlink()
    train(make(tmp_path / "run"))
    assert folder.card.exists()
    assert folder.report.exists()


def test_a_folder_of_another_configuration_is_refused(make: Any, unbroken: RunFolder) -> None:
    with pytest.raises(ConfigError, match="other settings"):
        train(make(unbroken.path, seed=43))


def test_a_run_that_made_nothing_leaves_its_folder_to_other_settings(make: Any, tmp_path: Path) -> None:
    broken = make(tmp_path / "run", seed=5).model_copy(update={"index": tmp_path / "none"})
    with pytest.raises(IndexFormatError):
        train(broken)
    with pytest.raises(StopError):
        train(make(tmp_path / "run"), progress=stopping("train", 3))
    assert yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())["seed"] != 5


def test_a_folder_that_holds_something_else_is_refused(make: Any, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("mine")
    with pytest.raises(ConfigError, match=r"thesis\.tex"):
        train(make(tmp_path / "run"))
    assert not (tmp_path / "run" / "config.yaml").exists()


def test_another_index_is_refused_on_resume(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_evaluation, without = make(tmp_path / "a"), make(tmp_path / "b", evaluation=None)
    for config in (with_evaluation, without):
        with pytest.raises(StopError):
            train(config, progress=stopping("train", 3))
    monkeypatch.setattr(Index, "fingerprint", lambda self: "another")
    with pytest.raises(InputError, match="another index"):
        train(with_evaluation)
    with pytest.raises(TrainingError, match="another index"):
        train(without)


def test_other_weights_at_the_same_place_are_refused_on_resume(
    tiny_model: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    with_evaluation = config_of(tmp_path / "a", model, tiny_index, tiny_questions)
    without = config_of(tmp_path / "b", model, tiny_index, tiny_questions, evaluation=None)
    for config in (with_evaluation, without):
        with pytest.raises(StopError):
            train(config, progress=stopping("train", 3))
    file = model / "model.safetensors"
    weights = load_file(file)
    save_file({name: tensor + 1e-3 for name, tensor in weights.items()}, file, metadata={"format": "pt"})
    with pytest.raises(InputError, match="another model"):
        train(with_evaluation)
    with pytest.raises(TrainingError, match="another model"):
        train(without)


def test_other_levels_are_refused_by_the_checkpoint(make: Any, tmp_path: Path) -> None:
    config = make(tmp_path / "run", evaluation=None)
    with pytest.raises(StopError):
        train(config, progress=stopping("train", 3))
    other = make(tmp_path / "run", evaluation=None, reward={"levels": {"rewards": [-0.2, -0.1, 0.0, 0.1]}})
    with pytest.raises(ConfigError, match="other settings"):
        train(other)
    text = yaml.safe_dump(other.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    RunFolder(config.output).config.write_text(text)
    with pytest.raises(TrainingError, match="another scorer"):
        train(other)


def test_a_run_without_evaluation_ends_with_a_summary(make: Any, tmp_path: Path) -> None:
    folder = train(make(tmp_path / "run", evaluation=None, optimization={"steps": 1}))
    assert json.loads(folder.summary.read_text())["questions"] == 0
    assert folder.report.exists()
    assert not folder.evaluation("raw").exists()


def test_raw_and_trained_model_get_the_same_prompt_and_so_does_training(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corver.policy import generate

    prompts: list[tuple[str, list[list[int]]]] = []
    sample = generate.sample_ids

    def keep(where: str) -> Any:
        def kept(policy: Any, ids: Any, settings: Any) -> Any:
            prompts.append((where, [list(row) for row in ids]))
            return sample(policy, ids, settings)

        return kept

    monkeypatch.setattr(generate, "sample_ids", keep("evaluate"))
    monkeypatch.setattr("corver.train.shared_prompt.sample_ids", keep("train"))
    questions = tmp_path / "same.jsonl"
    rows = [{"question": "Where was Ada born?", "answers": ["London"], "split": "train"}]
    rows += [{"question": "Where was Ada raised?", "answers": ["London"], "split": "heldout"}]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = {"questions": questions}
    train(
        make(
            tmp_path / "run",
            data=data,
            evaluation=data,
            optimization={"steps": 1, "prompts_per_step": 1, "micro_batch": 4},
        )
    )
    evaluated = [ids for where, ids in prompts if where == "evaluate"]
    trained = [ids for where, ids in prompts if where == "train"]
    assert len(evaluated) == 2
    assert evaluated[0] == evaluated[1]
    tokenizer = training_run.load_policy(make(tmp_path / "x").policy).tokenizer
    texts = {tokenizer.decode(row) for ids in trained for row in ids}
    assert texts == {tokenizer.decode(evaluated[0][0]).replace("raised", "born")}


def test_the_adapter_from_disk_answers_like_the_one_in_memory(make: Any, tmp_path: Path, unbroken: RunFolder) -> None:
    folder = moved(unbroken, tmp_path / "run")
    for path in (folder.summary, folder.evaluation("trained")):
        path.unlink()
    config = make(tmp_path / "run")
    key = folder.evaluation("raw").with_suffix(".key.json")
    key.write_text(json.dumps(json.loads(key.read_text()) | {"run": config.fingerprint()}))
    train(config)
    assert read_jsonl(folder.evaluation("trained")) == read_jsonl(unbroken.evaluation("trained"))


def test_full_weights_are_trained_saved_and_taken_up(make: Any, tmp_path: Path) -> None:
    changes = {"policy": {"lora": None}, "optimization": {"steps": 2, "beta": 0.0}}
    whole = train(make(tmp_path / "whole", **changes))
    broken = make(tmp_path / "broken", **changes)
    with pytest.raises(StopError):
        train(broken, progress=stopping("evaluate trained", 1))
    again = train(broken)
    for name in ("raw", "trained"):
        assert read_jsonl(again.evaluation(name)) == read_jsonl(whole.evaluation(name))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"optimization": {"micro_batch": 3}}, "micro_batch=3"),
        ({"optimization": {"iterations": 2, "save_every": 3}}, "save_every=3"),
        ({"sampling": {"max_prompt_tokens": 5}}, "max_prompt_tokens=5"),
        ({"data": {"split": "heldout"}}, "every training question"),
        ({"policy": {"lora": {"top_layers": 3}}}, "top_layers=3"),
        (
            {"credit": {"noise": {"verifier": "strict", "false_negative": 0.1}, "advantage": {"scale": "none"}}},
            "the reward functions are judge, format",
        ),
    ],
)
def test_contradictions_are_refused_by_name(make: Any, tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        train(make(tmp_path / "run", **changes), progress=stopping("train", 1))
    # It is said before the raw model is evaluated, and so before anything is written that takes time.
    assert not list((tmp_path / "run").rglob("evaluation/*"))


def test_a_batch_that_does_not_divide_is_wrong_use_before_the_model_is_read(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_run, "load_policy", lambda _: pytest.fail("the model was read"))
    written = tmp_path / "run.yaml"
    written.write_text(yaml.safe_dump(make(tmp_path / "run").model_dump(mode="json")))
    words = ["--optimization.prompts_per_step", "1", "--optimization.micro_batch", "3"]
    for dry in ([], ["--dry-run"]):
        result = CliRunner().invoke(app, ["train", str(written), *words, *dry], prog_name="corver")
        assert result.exit_code == 2
        assert "micro_batch=3 does not divide 1 prompts × 4 generations = 4 completions" in result.stderr
    assert not list((tmp_path / "run").rglob("evaluation/*"))


def test_only_the_top_layers_carry_adapters(make: Any, tmp_path: Path) -> None:
    lora = {"r": 2, "alpha": 4, "target_modules": ["q_proj"], "top_layers": 1}
    folder = train(make(tmp_path / "run", policy={"lora": lora}, evaluation=None, optimization={"steps": 1}))
    names = load_file(folder.adapter / "adapter_model.safetensors")
    assert {name.split(".layers.")[1][0] for name in names} == {"1"}


def test_two_iterations_on_each_batch_survive_a_break(make: Any, tmp_path: Path) -> None:
    changes = {"optimization": {"iterations": 2, "save_every": 2}, "evaluation": None}
    whole = train(make(tmp_path / "whole", **changes))
    broken = make(tmp_path / "broken", **changes)
    with pytest.raises(StopError):
        train(broken, progress=stopping("train", 3))
    assert metrics_of(train(broken)) == [pytest.approx(row) for row in metrics_of(whole)]


def test_a_time_limit_ends_training_early_and_the_run_in_order(make: Any, tmp_path: Path) -> None:
    folder = train(make(tmp_path / "run", optimization={"time_limit": 1e-6}))
    assert [row["step"] for row in read_jsonl(folder.metrics)] == [1]
    summary = json.loads(folder.summary.read_text())
    assert summary["trained"]["accuracy"]["value"] is not None
    assert (folder.adapter / "adapter_model.safetensors").exists()
