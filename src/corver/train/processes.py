"""The processes of a run that torchrun or `accelerate launch` started, or the one that a shell did.

In: the device wanted. Out: which process this is, barriers, and a way to agree. This module knows no run.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list

from corver.errors import CorverError, TrainingError

__all__ = ["Processes", "in_main_process", "process_group"]

_Value = TypeVar("_Value")
_PATIENCE = timedelta(days=7)
"""How long others wait while the main process evaluates; the libraries' own half hour is less than an evaluation."""


def in_main_process() -> bool:
    """Whether this is the process that speaks for all of a run, or the only one."""
    return bool(PartialState().is_main_process)


@contextmanager
def process_group() -> Iterator[None]:
    """Around all that the processes of a run do together: they leave their group at its end, once all have come there.

    One that fails leaves at once: nothing would come of waiting for the others, which fail in their turn. A process
    that exits while the group's threads still work may be aborted by them; they end with the last that holds the group,
    a model wrapped for several processes among them, which lies in a cycle. So the collector runs before the exit.
    """
    try:
        yield
    except BaseException:
        _leave(wait=False)
        raise
    _leave(wait=True)


def _leave(*, wait: bool) -> None:
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        if wait:
            PartialState().wait_for_everyone()
        gc.collect()
        torch.distributed.destroy_process_group()
        atexit.register(gc.collect)  # by then nothing holds what a failure's traceback still held


class Processes:
    """The processes of this run. device: of the policy, as in its configuration."""

    def __init__(self, device: str = "auto") -> None:
        cpu = device == "cpu" or not (torch.cuda.is_available() or torch.backends.mps.is_available())
        self._state = PartialState(cpu=cpu, timeout=_PATIENCE)

    @property
    def number(self) -> int:
        """How many there are."""
        return int(self._state.num_processes)

    @property
    def main(self) -> bool:
        """Whether this is the one that writes."""
        return bool(self._state.is_main_process)

    def wait(self) -> None:
        """Until all have come this far."""
        self._state.wait_for_everyone()

    def agree(self, value: _Value) -> _Value:
        """The main process's value, in all of them; it must be picklable (it never leaves this run)."""
        if self.number == 1:
            return value
        values: list[Any] = [value]
        broadcast_object_list(values)
        result: _Value = values[0]
        return result

    def on_main(self, work: Callable[[], _Value]) -> _Value | None:
        """Let the main process do this while the others wait: its result there, None elsewhere.

        What corver's own errors say on the main process ends the others too, so that none waits for ever.
        """
        if self.number == 1:
            return work()
        result, failure = None, None
        if self.main:
            try:
                result = work()
            except CorverError as error:
                failure = error
        told = self.agree(None if failure is None else str(failure))
        if failure is not None:
            raise failure
        if told is not None:
            raise TrainingError(f"the main process stopped: {told}")
        return result
