"""Each recipe on a random model of its architecture and chat template: two real steps, and the traps of each family."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from chat_models import FAMILIES, OPENED, make_chat_tokenizer, save_chat_model
from corver.config import PolicyConfig, RunConfig
from corver.errors import ConfigError, CorverWarning, InputError
from corver.evaluate.questions import Question
from corver.policy.generate import SamplingSettings, encode_prompt, generate
from corver.policy.load import Policy, load_policy
from corver.policy.prompts import check_prompt, prompts_open_think, render_prompt
from corver.policy.tokens import detokenizer_of, end_ids
from corver.runs import read_jsonl
from corver.train.building import fitting_questions
from corver.train.recipe import load_recipe, recipe_names
from corver.train.run import train
from tiny import QUESTIONS, good_completion

KINDS = {name: next(kind for kind in ("llama", "qwen3", "olmo") if name.startswith(kind)) for name in recipe_names()}
KINDS = {name: "olmo2" if kind == "olmo" else kind for name, kind in KINDS.items()}
SEVEN = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("families")
    for kind in FAMILIES:
        save_chat_model(folder / kind, kind)
    save_chat_model(folder / "opened", "qwen3", template=OPENED)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zone") / "zone.jsonl"
    rows = [{"id": f"q{number}", "correct": 8, "samples": 16} for number in range(len(QUESTIONS))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def words_of(**values: Any) -> list[str]:
    return [f"--{name.replace('__', '.')}={json.dumps(value, default=str)}" for name, value in values.items()]


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_takes_two_steps_on_its_architecture(
    name: str, models: dict[str, Path], zone: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path
) -> None:
    words = words_of(
        output=tmp_path / "run",
        index=tiny_index,
        policy__model=models[KINDS[name]],
        policy__device="cpu",
        data__questions=tiny_questions,
        data__zone=zone,
        sampling__max_completion_tokens=12,
        optimization__steps=2,
        optimization__generations=4,
    )
    config = load_recipe(Path(name), words)
    with pytest.warns(CorverWarning, match="adamw_bnb_8bit needs a CUDA device; training with adamw_torch"):
        folder = train(config)
    rows = read_jsonl(folder.metrics)
    assert [row["step"] for row in rows] == [1, 2]
    assert all(isinstance(row["loss"], float) and row["grad_norm"] > 0 for row in rows)
    assert all(row["corver/reward_share"] > 0 for row in rows)
    weights = load_file(folder.adapter / "adapter_model.safetensors")
    adapted = {part for key in weights for part in key.split(".") if part.endswith("_proj")}
    assert adapted == SEVEN
    assert {value.shape[0] for key, value in weights.items() if "lora_A" in key} == {128}
    assert len(weights) == 2 * 2 * 7  # A and B, two layers, seven matrices
    settings = json.loads((folder.adapter / "adapter_config.json").read_text())
    assert (settings["lora_alpha"], settings["lora_dropout"]) == (256, 0.0)


@pytest.fixture(scope="module")
def policies(models: dict[str, Path]) -> dict[str, Policy]:
    return {
        name: load_policy(PolicyConfig(model=str(path), device="cpu", dtype="float32")) for name, path in models.items()
    }


def recipe_of(kind: str, model: Path, **values: Any) -> RunConfig:
    name = next(name for name, own in KINDS.items() if own == kind)
    return load_recipe(Path(name), words_of(output="o", index="i", policy__model=model, **values))


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_prompts_fit_and_end_where_the_completion_begins(
    kind: str, policies: dict[str, Policy], models: dict[str, Path]
) -> None:
    config, policy = recipe_of(kind, models[kind]), policies[kind]
    template = config.policy.chat_template_kwargs
    asked = [Question(str(number), text, ("x",)) for number, (text, *_) in enumerate(QUESTIONS)]
    assert fitting_questions(config, policy, asked) == asked
    longest = max(len(encode_prompt(policy, one.question, prompt="instruct", template=template)) for one in asked)
    assert longest <= config.sampling.max_prompt_tokens
    text = render_prompt(policy.tokenizer, "Who?", prompt="instruct", template=template)
    ends = {"llama": "assistant<|end_header_id|>\n\n", "qwen3": "<think>\n\n</think>\n\n", "olmo2": "<|assistant|>\n"}
    assert text.endswith(ends[kind])
    check_prompt(policy.tokenizer, prompt="instruct", template=template)
    assert not prompts_open_think(policy.tokenizer, [[{"role": "user", "content": "Who?"}]], template)


def test_a_question_too_long_for_the_prompt_is_left_out(policies: dict[str, Policy], models: dict[str, Path]) -> None:
    config = recipe_of("qwen3", models["qwen3"])
    asked = [Question("short", "Who?", ("x",)), Question("long", "Who " * 300, ("x",))]
    assert [one.id for one in fitting_questions(config, policies["qwen3"], asked)] == ["short"]


def test_llamas_prompt_does_not_depend_on_the_day(policies: dict[str, Policy], models: dict[str, Path]) -> None:
    template = recipe_of("llama", models["llama"]).policy.chat_template_kwargs
    text = render_prompt(policies["llama"].tokenizer, "Who?", prompt="instruct", template=template)
    assert "Today Date: 26 Jul 2024" in text
    undated = render_prompt(policies["llama"].tokenizer, "Who?", prompt="instruct", template={})
    assert "Today Date: 26 Jul 2024" not in undated  # what the recipe guards against


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_every_declared_end_ends_a_completion(kind: str, policies: dict[str, Policy]) -> None:
    policy = policies[kind]
    ends = {policy.tokenizer.convert_ids_to_tokens(number) for number in end_ids(policy.model, policy.tokenizer)}
    assert ends == set(FAMILIES[kind].ends)
    samples = next(
        generate(
            policy, ["Who?"], prompt="instruct", settings=SamplingSettings(temperature=1.0, max_tokens=6, samples=8)
        )
    )
    for sample in samples:
        assert sample.cut_off == (sample.ids[-1] not in end_ids(policy.model, policy.tokenizer))


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_tags_survive_sampling_and_special_tokens_do_not(kind: str, policies: dict[str, Policy]) -> None:
    tokenizer = policies[kind].tokenizer
    text = good_completion("Marie Curie was born in Warsaw.", "Warsaw")
    ids = tokenizer(text + FAMILIES[kind].eos, add_special_tokens=False)["input_ids"]
    assert detokenizer_of(tokenizer, ids=policies[kind].model.config.vocab_size)(ids).text == text


def test_qwen3_with_thinking_lets_the_model_open_its_thought(policies: dict[str, Policy]) -> None:
    tokenizer = policies["qwen3"].tokenizer
    text = render_prompt(tokenizer, "Who?", prompt="instruct", template={"enable_thinking": True})
    assert text.endswith("<|im_start|>assistant\n")


def test_examples_that_a_template_strips_are_refused(policies: dict[str, Policy]) -> None:
    for kind in ("llama", "olmo2"):
        check_prompt(policies[kind].tokenizer, prompt="few_shot", template={})
    with pytest.raises(ConfigError, match=r"policy\.prompt=few_shot.*use instruct"):
        check_prompt(policies["qwen3"].tokenizer, prompt="few_shot", template={})


def test_a_template_that_takes_no_system_message_is_one_line() -> None:
    refusing = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    tokenizer = make_chat_tokenizer(FAMILIES["olmo2"], template=refusing)
    with pytest.raises(InputError, match="cannot take the prompt 'instruct': System role not supported"):
        render_prompt(tokenizer, "Who?", prompt="instruct", template={})


def test_a_thought_that_the_prompt_opened_needs_no_tag_of_its_own(
    models: dict[str, Path], zone: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A completion that closes the prompt's thought and answers is well formed; one that opens another is not."""
    said = ["Marie Curie was born in Warsaw.</think> <answer>Warsaw</answer><|im_end|>",
            "<think>Marie Curie was born in Warsaw.</think> <answer>Warsaw</answer><|im_end|>"]  # fmt: skip

    def sample(policy: Policy, prompts: Any, settings: Any) -> list[tuple[list[int], bool]]:
        assert all(policy.tokenizer.decode(ids).endswith("<think>\n") for ids in prompts)
        texts = [said[place % 2] for place in range(len(prompts))]
        return [(policy.tokenizer(text, add_special_tokens=False)["input_ids"], False) for text in texts]

    monkeypatch.setattr("corver.train.shared_prompt.sample_ids", sample)
    words = words_of(output=tmp_path / "run", index=tiny_index, data__questions=tiny_questions, data__zone=zone,
                     policy__device="cpu", optimization__steps=1, optimization__generations=4,
                     policy__chat_template_kwargs={}, optimization__optimizer="adamw_torch",
                     policy__model=models["opened"])  # fmt: skip
    folder = train(load_recipe(Path("qwen3-8b"), words))
    (row,) = read_jsonl(folder.metrics)
    assert row["corver/format_rate"] == 0.5
    assert row["rewards/format/mean"] == 0.0


def test_a_run_told_that_most_completions_are_cut_off(
    models: dict[str, Path], zone: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path
) -> None:
    words = words_of(output=tmp_path / "run", index=tiny_index, data__questions=tiny_questions, data__zone=zone,
                     policy__device="cpu", policy__model=models["olmo2"], optimization__steps=2,
                     optimization__generations=4, optimization__optimizer="adamw_torch",
                     sampling__max_completion_tokens=4)  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train(load_recipe(Path("olmo-2-13b"), words))
    told = [str(one.message) for one in caught if issubclass(one.category, CorverWarning)]
    assert len(told) == 1
    assert "cut off at sampling.max_completion_tokens" in told[0]
