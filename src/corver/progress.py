"""How long work tells its caller how far it is: one small protocol, and the silence that is its default.

In: nothing. Out: a protocol that every long function of corver takes as `progress=`. The library reports and never
prints; whether there is a bar, a log line or nothing is the caller's business. This module knows no terminal.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "no_progress"]


class Progress(Protocol):
    """Called now and then, and once at the end of a stage with done == total.

    stage: what is being done, in the words of a user ("reading", "evaluate raw"); stages follow one another. done,
    total: so many units of it, counted from 0; total is None while nobody knows it, and may grow. unit: what is
    counted, in the plural ("documents", "answers"); "bytes" is shown as KiB, MiB, GiB. A report of a stage other than
    the last one ends that last one. Called from one thread at a time. Must return fast; an exception that it raises
    (KeyboardInterrupt above all) goes through the work and ends it.
    """

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None: ...


def no_progress(stage: str, done: int, total: int | None, unit: str) -> None:
    """The silent listener."""
