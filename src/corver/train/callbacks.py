"""Logs of a run: a JSONL row a step, and the scored rollouts of some steps.

In: what the trainer logs, and its scored batches. Out: rows in the run folder, rewound to the checkpoint on resume.
This module knows no reward.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from corver.errors import CorverWarning
from corver.progress import Progress, no_progress
from corver.runs import append_jsonl, read_jsonl, write_text
from corver.types import Rollout, SentenceScore

__all__ = ["MetricsLog", "SampleLog"]


_CLIPPED = 0.9
"""Share of cut-off completions above which a run is told that it learns from next to nothing."""


class MetricsLog(TrainerCallback):
    """Appends every step's log to a file, and ends training when its time is up.

    time_limit: seconds of training, over all sittings of the run that count; the step in progress is finished. agree:
    makes the main process's clock that of all.
    """

    def __init__(
        self,
        path: Path,
        *,
        total: int,
        time_limit: float | None = None,
        progress: Progress = no_progress,
        agree: Callable[[bool], bool] = bool,
    ) -> None:
        self._path = path
        self._total = total
        self._time_limit = time_limit
        self._progress = progress
        self._agree = agree
        self._clipped = False
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds of training so far, over all sittings of the run that count."""
        return time.monotonic() - self._started

    def rewind(self, step: int) -> None:
        """Drop rows after `step`: a resumed run makes them again."""
        rows = _rewind(self._path, step)
        self._started = time.monotonic() - (rows[-1].get("seconds") or 0.0 if rows else 0.0)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        if not state.is_world_process_zero or not logs or "train_runtime" in logs:
            return
        append_jsonl(self._path, [{"step": state.global_step, "seconds": round(self.seconds, 2), **logs}])
        self._progress("train", state.global_step, self._total, "steps")
        if not self._clipped and logs.get("completions/clipped_ratio", 0.0) > _CLIPPED:
            self._clipped = True
            warnings.warn(
                f"step {state.global_step}: {logs['completions/clipped_ratio']:.0%} of the completions were cut off at "
                "sampling.max_completion_tokens; few of them can hold an answer, so raise it or shorten the answers",
                CorverWarning,
                stacklevel=2,
            )

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._time_limit is not None and self._agree(self.seconds >= self._time_limit):
            control.should_training_stop = True


class SampleLog:
    """Appends the scored rollouts of every `every`-th step, at most `most` of each."""

    def __init__(self, path: Path, *, every: int = 1, most: int = 8) -> None:
        self._path = path
        self._every = every
        self._most = most

    def rewind(self, step: int) -> None:
        """Drop rows of steps after `step`."""
        _rewind(self._path, step)

    def __call__(
        self,
        step: int,
        rollouts: Sequence[Rollout],
        scores: Sequence[Sequence[SentenceScore]],
        response: Sequence[float],
    ) -> None:
        if step % self._every:
            return
        rows = [
            {
                "step": step + 1,
                "question": rollout.question,
                "answers": list(rollout.answers),
                "completion": rollout.completion,
                "response": float(value),
                "sentences": [score.to_json() for score in sentences],
            }
            for rollout, sentences, value in zip(rollouts, scores, response, strict=True)
        ]
        append_jsonl(self._path, rows[: self._most])


def _rewind(path: Path, step: int) -> list[dict[str, Any]]:
    rows = read_jsonl(path)
    kept = [row for row in rows if row["step"] <= step]
    if len(kept) != len(rows):
        write_text(path, "".join(json.dumps(row) + "\n" for row in kept))
    return kept
