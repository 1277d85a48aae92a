"""Checkpoints on disk: which is the newest whole one, and what a damaged one leads to.

In: folders that transformers' trainer and corver wrote together. Out: their contents, or a TrainingError of one line
that names the file and says what to do. This module knows no trainer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from textwrap import shorten
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import TrainerState
from transformers.trainer import TRAINER_STATE_NAME

from corver.errors import TrainingError

__all__ = ["STATE_FILE", "check_trainer_state", "checkpoint_faults", "newest_checkpoint", "read_checkpoint_state",
           "read_object"]  # fmt: skip

STATE_FILE = "corver_state.json"
"""What corver adds to a checkpoint, last of all."""

_BEGIN_BEFORE = "remove this folder to go on from the checkpoint before it, or from the beginning"
_FAULTS = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, EOFError, UnpicklingError,
           SafetensorError)  # fmt: skip
"""What reading a damaged JSON, torch or safetensors file may raise."""


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint of a run's folder that was written to its end; None when there is none."""
    found = {
        int(number): path
        for path in folder.glob("checkpoint-*")
        if (number := path.name.partition("-")[2]).isdecimal() and (path / STATE_FILE).exists()
    }
    return found[max(found)] if found else None


def read_object(path: Path, *, cure: str) -> dict[str, Any]:
    """A JSON object. Raises TrainingError that says what is wrong with the file, and `cure`."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise TrainingError(f"{path}: cannot be read: {error.strerror}; {cure}") from None
    except (ValueError, RecursionError):
        raise TrainingError(f"{path}: is damaged (not JSON); {cure}") from None
    if not isinstance(found, dict):
        raise TrainingError(f"{path}: is damaged (no JSON object); {cure}")
    return found


def read_checkpoint_state(path: Path) -> dict[str, Any]:
    """What corver wrote into a checkpoint. Raises TrainingError for what is none."""
    return read_object(path, cure=_BEGIN_BEFORE)


def check_trainer_state(checkpoint: Path) -> None:
    """Raise TrainingError for a checkpoint whose trainer_state.json transformers could not take up."""
    path = checkpoint / TRAINER_STATE_NAME
    read_object(path, cure=_BEGIN_BEFORE)
    with checkpoint_faults(path):
        state = TrainerState.load_from_json(str(path))
        if not (isinstance(state.global_step, int) and isinstance(state.log_history, list)):
            raise TypeError("global_step or log_history is of another type")


@contextmanager
def checkpoint_faults(where: str | Path | None) -> Iterator[None]:
    """Around the reading of a part of a checkpoint: what cannot be read becomes a TrainingError."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except _FAULTS as error:
        reason = shorten(f"{type(error).__name__}: {error}", 200, placeholder=" …")
        told = f"{where}: the checkpoint is damaged, or another model's ({reason}); {_BEGIN_BEFORE}"
        raise TrainingError(told) from error
