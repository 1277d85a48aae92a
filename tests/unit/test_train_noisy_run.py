"""A whole run whose judge errs: rates by name, appeals, and a kill in the middle."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from corver.config import RunConfig
from corver.errors import CorverWarning, IndexFormatError
from corver.evaluate.stats import Estimate
from corver.evaluate.verifier import VerifierRates
from corver.runs import RunFolder, read_jsonl
from corver.train.run import train

STEPS = 4
TIMES = ("seconds", "step_time", "corver/reward_share")


class StopError(Exception):
    """Stands for a kill."""


def config(output: Path, model: Path, index: Path, questions: Path, rates: Path) -> RunConfig:
    return RunConfig.model_validate(
        {
            "output": output,
            "index": index,
            "policy": {"model": str(model), "dtype": "float32", "device": "cpu",
                       "lora": {"r": 4, "alpha": 8, "target_modules": ["q_proj", "v_proj"]}},
            "data": {"questions": questions, "split": "train"},
            "reward": {"judge": {"rule": "words"}},
            "credit": {"advantage": {"scale": "none"}, "noise": {"rates": rates, "correction": "backward"},
                       "appeals": {"judge": "lenient", "q": 0.8, "q_accepted": 0.5}},
            "sampling": {"max_completion_tokens": 32},
            "optimization": {"steps": STEPS, "prompts_per_step": 2, "generations": 4, "learning_rate": 1e-2,
                             "save_every": 2, "micro_batch": 4, "beta": 0.0},
        }
    )  # fmt: skip


def rows(folder: RunFolder) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name not in TIMES and not name.endswith("_seconds")}
        for row in read_jsonl(folder.metrics)
    ]


def same(own: Any, other: Any) -> bool:
    both_missing = own is None and other is None
    return both_missing or own == pytest.approx(other, rel=1e-6, abs=1e-9, nan_ok=True)


def test_a_killed_run_with_noise_and_appeals_ends_like_an_unbroken_one(
    tiny_model: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path
) -> None:
    half = Estimate(0.05, 0.02, 0.1)
    VerifierRates("words", half, Estimate(0.3, 0.2, 0.4), 100, 100).save(tmp_path / "rates.json")

    def made(name: str) -> RunConfig:
        return config(tmp_path / name, tiny_model, tiny_index, tiny_questions, tmp_path / "rates.json")

    whole = train(made("whole"))
    known = yaml.safe_load(whole.config.read_text())["credit"]["noise"]
    assert (known["false_positive"], known["false_negative"], known["rates"]) == (0.05, 0.3, None)
    assert known["values"] == [-1.0, 2.0]

    def stop(stage: str, done: int, total: int | None, unit: str) -> None:
        if stage == "train" and done >= 3:
            raise StopError

    with pytest.raises(StopError):
        train(made("broken"), progress=stop)
    broken = train(made("broken"))
    logged, expected = rows(broken), rows(whole)
    assert [row["step"] for row in logged] == list(range(1, STEPS + 1))
    for own, other in zip(logged, expected, strict=True):
        assert own.keys() == other.keys()
        assert [name for name in own if not same(own[name], other[name])] == []
    assert sum(row["corver/appeals_made"] for row in expected) > 0
    assert all(0 <= row["corver/noise_false_negative"] <= 1 for row in expected)
    assert all(math.isfinite(row["corver/advantage_std"]) for row in expected)


def test_a_run_warns_of_doubtful_rates_before_it_begins(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    wide = Estimate(0.4, 0.1, 0.8)
    VerifierRates("words", wide, wide, 5, 5).save(tmp_path / "rates.json")
    settings = config(tmp_path / "run", tiny_model, tmp_path / "no-index", tiny_questions, tmp_path / "rates.json")
    with pytest.warns(CorverWarning, match="may say nothing about what is right"), pytest.raises(IndexFormatError):
        train(settings)
