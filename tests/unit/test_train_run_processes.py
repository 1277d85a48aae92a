"""`corver train` in two processes: one run folder, one table, resumed like an unbroken run; failures end both."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from corver.config import RunConfig
from corver.errors import ConfigError
from corver.runs import RunFolder, read_jsonl
from corver.train.arguments import check_settings
from corver.train.building import _engine
from launching import launch

TIMES = {"seconds", "step_time", "corver/reward_seconds", "corver/scoring_seconds", "corver/reward_share"}
TRAIN = ("-m", "corver.cli", "train", "run.yaml")


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, tiny_model: Path, tiny_index: Path, tiny_questions: Path
) -> tuple[Path, list[tuple[int, str, str]]]:
    """A folder with a finished run of two processes, and what these said."""
    folder = tmp_path_factory.mktemp("together")
    config = {
        "output": "run", "index": str(tiny_index),
        "policy": {"model": str(tiny_model), "dtype": "float32", "device": "cpu",
                   "lora": {"r": 4, "alpha": 8, "target_modules": ["q_proj", "v_proj"]}},
        "data": {"questions": str(tiny_questions), "split": "train"},
        "credit": {"reference_batches": 3},
        "sampling": {"max_completion_tokens": 24},
        "optimization": {"steps": 4, "prompts_per_step": 1, "generations": 4, "learning_rate": 1e-2, "save_every": 2,
                         "micro_batch": 2, "beta": 0.01, "time_limit": 60.0},
        "evaluation": {"questions": str(tiny_questions), "split": "heldout", "limit": 2, "batch": 2, "bootstrap": 200},
    }  # fmt: skip
    (folder / "run.yaml").write_text(yaml.safe_dump(config))
    return folder, launch(TRAIN, world=2, folder=folder)


def test_one_run_folder_and_one_table(place: tuple[Path, list[tuple[int, str, str]]]) -> None:
    folder, said = place
    assert [status for status, *_ in said] == [0, 0], said[0][2][-2000:] + said[1][2][-2000:]
    assert "accuracy" in said[0][1]
    assert said[1][1] == ""
    assert "corver:" not in said[1][2]
    run = RunFolder(folder / "run")
    rows = read_jsonl(run.metrics)
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert all(row["corver/claims"] is not None for row in rows)
    # One prompt of four completions a step: each process has half of the group, and the main one logs its own.
    assert len(read_jsonl(run.samples)) == 4 * 2
    for path in (run.summary, run.card, run.report, run.adapter / "adapter_model.safetensors"):
        assert path.exists()
    for name in ("raw", "trained"):
        assert len(read_jsonl(run.evaluation(name))) == 2


def test_a_run_of_two_processes_taken_up_ends_like_an_unbroken_one(
    place: tuple[Path, list[tuple[int, str, str]]],
) -> None:
    """The folder as a kill in step 4 leaves it: checkpoint 2 whole, checkpoint 4 without its last file."""
    folder, _ = place
    whole, broken = RunFolder(folder / "run"), RunFolder(folder / "whole")
    shutil.copytree(whole.path, broken.path)
    whole, broken = broken, whole
    shutil.rmtree(broken.adapter)
    (broken.checkpoints / "checkpoint-4" / "corver_state.json").unlink()
    for path in (broken.summary, broken.card, broken.report, broken.evaluation("trained")):
        path.unlink()
    said = launch(TRAIN, world=2, folder=folder)
    assert [status for status, *_ in said] == [0, 0], said[0][2][-2000:]
    for own, expected in zip(read_jsonl(broken.metrics), read_jsonl(whole.metrics), strict=True):
        assert own.keys() == expected.keys()
        for name in own.keys() - TIMES:
            assert own[name] == pytest.approx(expected[name], rel=1e-6, abs=1e-9), (own["step"], name)
    assert read_jsonl(broken.samples) == read_jsonl(whole.samples)
    weights, expected_weights = (load_file(run.adapter / "adapter_model.safetensors") for run in (broken, whole))
    for name, value in expected_weights.items():
        np.testing.assert_allclose(weights[name], value, rtol=1e-6, atol=1e-8)


def test_what_ends_the_main_process_ends_the_others(place: tuple[Path, list[tuple[int, str, str]]]) -> None:
    folder, _ = place
    (folder / "taken").mkdir()
    (folder / "taken" / "thesis.tex").write_text("mine")
    said = launch((*TRAIN, "--output", "taken"), world=2, folder=folder)
    assert [status for status, *_ in said] == [2, 1]
    assert "corver: error: taken: is not empty and holds no run (thesis.tex)" in said[0][2]
    assert "the main process stopped: taken: is not empty" in said[1][2]
    assert [out for _, out, _ in said] == ["", ""]


def test_engines_that_serve_one_process() -> None:
    base = {"output": "o", "index": "i", "policy": {"model": "m"}, "data": {"questions": "q"}}
    shared = RunConfig.model_validate(base | {"sampling": {"engine": "shared_prompt"}})
    assert "rollout_func" in _engine(shared, 1)[1]
    with pytest.raises(ConfigError, match="serves one process, found 2"):
        check_settings(shared, processes=2)
    check_settings(shared)
    assert _engine(RunConfig.model_validate(base), 2)[1] == {}
