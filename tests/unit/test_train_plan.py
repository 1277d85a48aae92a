"""Dry runs: arithmetic, questions and notes, on the command line and in JSON; nothing is written or loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from corver.cli.app import app
from corver.config import RunConfig
from corver.errors import ConfigError
from corver.policy import load
from corver.train.estimate import Memory, lighter_micro_batch
from corver.train.plan import plan_run


def config_of(model: Path, questions: Path, **changes: Any) -> RunConfig:
    values: dict[str, Any] = {
        "output": "o",
        "index": "i",
        "policy": {"model": str(model), "device": "cpu"},
        "data": {"questions": questions, "split": "train"},
        "evaluation": {"questions": questions, "split": "heldout", "limit": 1},
    }
    return RunConfig.model_validate(values | changes)


def test_arithmetic_of_a_step_and_of_a_run(tiny_model: Path, tiny_questions: Path) -> None:
    optimization = {"steps": 5, "prompts_per_step": 4, "generations": 6, "micro_batch": 3, "iterations": 2}
    sampling = {"max_prompt_tokens": 10, "max_completion_tokens": 20}
    plan = plan_run(config_of(tiny_model, tiny_questions, optimization=optimization, sampling=sampling), processes=2)
    assert plan.batch == {
        "processes": 2,
        "questions_per_step": 4,
        "completions_per_question": 6,
        "completions_per_step": 24,
        "completions_per_backward_pass": 3,
        "backward_passes_per_step_and_process": 4,
        "optimizer_steps": 5,
        "generation_batches": 3,
        "questions_asked": 12,
        "completions_sampled": 72,
        "tokens_per_step_at_most": 24 * 30,
        "tokens_sampled_at_most": 72 * 20,
    }
    assert plan.notes == ("i: no such index yet; make it with `corver index build SOURCE --output i`",)
    assert plan.data is not None
    assert (plan.data["training"], plan.data["held_out"]["questions"]) == (5, 3)
    assert plan.model is not None
    assert min(plan.model.values()) > 0


@pytest.mark.parametrize(
    ("optimization", "processes", "told"),
    [
        ({"prompts_per_step": 3, "generations": 3}, 2, "cannot be shared by 2 processes"),
        ({"prompts_per_step": 2, "generations": 4, "micro_batch": 3}, 1, "micro_batch=3 does not divide"),
        ({"prompts_per_step": 2, "generations": 4, "micro_batch": 8}, 2, "4 in each of 2 processes"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(
    tiny_model: Path, tiny_questions: Path, optimization: dict[str, int], processes: int, told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        plan_run(config_of(tiny_model, tiny_questions, optimization=optimization), processes=processes)


def test_what_cannot_be_known_yet_is_a_note(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    config = config_of(tmp_path, tiny_questions, data={"questions": tiny_questions, "zone": tmp_path / "zone.jsonl"},
                       optimization={"optimizer": "adamw_bnb_8bit"})  # fmt: skip
    plan = plan_run(config)
    assert (plan.data, plan.memory, plan.model) == (None, None, None)
    for told, note in zip(("adamw_bnb_8bit", "index build", "corver zone", "config.json"), plan.notes, strict=True):
        assert told in note


def test_what_is_not_there_yet_is_named_with_what_makes_it(tiny_model: Path, tmp_path: Path) -> None:
    zone, questions = tmp_path / "zone.jsonl", tmp_path / "q.jsonl"
    data = {"questions": ["hf://datasets/o/n/*.parquet", str(questions)], "zone": zone}
    evaluation = {"questions": tmp_path / "heldout.jsonl"}
    config = config_of(tiny_model, questions, data=data, evaluation=evaluation, index=tmp_path / "engine.yaml")
    notes = plan_run(config).notes
    assert notes[:4] == (
        f"{tmp_path / 'engine.yaml'}: no such index yet; describe an engine there",
        f"{questions}: no such file of questions yet",
        f"{tmp_path / 'heldout.jsonl'}: no such file of questions yet",
        f"{zone}: no such learning-zone file yet; make it with `corver zone CONFIG --to {zone}`",
    )
    for path in (zone, questions, tmp_path / "heldout.jsonl", tmp_path / "engine.yaml"):
        path.touch()
    assert [note for note in plan_run(config).notes if "yet" in note] == []


def test_a_shape_that_no_formula_fits_is_a_note(tiny_questions: Path, tmp_path: Path) -> None:
    shape = {"model_type": "gpt2", "n_embd": 12, "n_layer": 1, "vocab_size": 50}
    (tmp_path / "config.json").write_text(json.dumps(shape))
    plan = plan_run(config_of(tmp_path, tiny_questions))
    assert plan.memory is None
    assert any("does not fit the formulas" in note for note in plan.notes)


def test_logits_that_outweigh_a_small_model_are_told_with_a_lighter_micro_batch(
    tiny_questions: Path, tmp_path: Path
) -> None:
    shape = {"model_type": "llama", "vocab_size": 40_000, "hidden_size": 64, "intermediate_size": 128,
             "num_hidden_layers": 2, "num_attention_heads": 4}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(shape))
    whole = plan_run(config_of(tmp_path, tiny_questions))
    (hint,) = [note for note in whole.notes if note.startswith("logits take")]
    assert "optimization.micro_batch 1 (now 48)" in hint
    lighter = plan_run(config_of(tmp_path, tiny_questions, optimization={"micro_batch": 1}))
    assert not [note for note in lighter.notes if note.startswith("logits take")]
    assert lighter.memory is not None
    assert f"it takes {lighter.memory['backward'] / 2**30:.1f} GiB" in hint
    short = plan_run(config_of(tmp_path, tiny_questions, sampling={"max_completion_tokens": 50}))
    assert not [note for note in short.notes if note.startswith("logits take")]


@pytest.mark.parametrize(
    ("held", "activations", "logits", "micro", "expected"),
    [
        (100, 0, 100, 8, None),
        (100, 0, 800, 8, (1, 200)),
        (1000, 100, 8000, 8, (1, 2012)),
        (1000, 400, 4800, 12, (2, 1866)),
        (0, 0, 800, 8, (1, 100)),
        (0, 0, 800, 1, None),
        (0, 100, 100, 6, None),
    ],
)
def test_the_largest_micro_batch_whose_logits_are_half_of_a_pass(
    held: int, activations: int, logits: int, micro: int, expected: tuple[int, int] | None
) -> None:
    memory = Memory(weights=held, adapter=0, gradients=0, optimiser=0, reference=0, cache=0, activations=activations,
                    logits=logits)  # fmt: skip
    assert lighter_micro_batch(memory, micro) == expected


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words), prog_name="corver")


@pytest.fixture(autouse=True)
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(config: object) -> None:
        raise AssertionError("a dry run loads no weights")

    monkeypatch.setattr(load, "load_policy", refuse)


def test_a_recipe_by_name_is_planned_without_index_output_or_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("train", "llama-3.2-3b", "--dry-run", "--policy.device", "cuda", "--ablation", "A2")
    assert result.exit_code == 0, result.stderr
    assert not list(tmp_path.iterdir())
    settings, rest = result.stdout.split("# batch\n")
    config = yaml.safe_load(settings)
    assert (config["ablation"], config["credit"]["lambda_j"]) == ("no_judge", 0.0)
    lines = [" ".join(line.split()) for line in rest.splitlines()]
    assert "questions per step 3" in lines
    assert "completions per backward pass 4" in lines
    assert "all weights 3.2 G" in lines
    assert any(line.startswith("together while sampling 13.") and line.endswith("GiB") for line in lines)
    assert any(line.startswith("# note: questions of a hub") for line in lines)


def test_a_dry_run_as_json(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(config_of(tiny_model, tiny_questions).model_dump(mode="json")))
    result = run("train", str(path), "--dry-run", "--json", "--processes", "3")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["batch"]["completions_per_backward_pass"] == 16
    assert found["memory_per_device"]["backward"] > found["memory_per_device"]["weights"]
    assert found["config"]["data"]["questions"] == [str(tiny_questions)]


def test_an_unknown_recipe_names_those_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("train", "llama-4", "--dry-run")
    assert result.exit_code == 2
    assert "no recipe of that name (llama-3.1-8b, llama-3.2-3b, olmo-2-13b" in result.stderr
    missing = run("train", "llama-4.yaml")
    assert missing.exit_code == 2
    assert "no such configuration file" in missing.stderr
    (tmp_path / "qwen3-4b").write_text("seed: [")
    assert "not valid YAML" in run("train", "qwen3-4b").stderr


def test_a_recipe_needs_index_and_output_to_be_trained() -> None:
    result = run("train", "qwen3-8b")
    assert result.exit_code == 2
    assert "output: Field required (and 1 more)" in result.stderr


def test_a_recipe_without_its_zone_names_the_cure(
    tmp_path: Path, tiny_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"question": "Who?", "answers": ["x"]}\n')
    result = run("train", "qwen3-8b", "--index", str(tiny_index), "--output", "out", "--data.questions", str(questions))
    assert result.exit_code == 1
    assert "zone-qwen3-8b.jsonl: no such learning-zone file; make it with `corver zone`" in result.stderr
