"""Progress of long work on standard error: a bar with rate and time left on a terminal, one line a stage elsewhere.

In: the reports of the `Progress` protocol. Out: a live bar for any stage that lasts longer than a second on a
terminal; otherwise, for any stage that lasted longer than two, one line at its end. Nothing at all for shorter work.
This module knows nothing of what is being done.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from corver.cli.output import say
from corver.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["quantity", "shown_progress"]

_BAR_AFTER = 1.0
_LINE_AFTER = 2.0
_EVERY = 0.1
"""Seconds: when a bar appears, which stages get a line, and how often a bar is told anything."""


@contextmanager
def shown_progress(*, bar: bool = True, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """A listener for one command's work. bar: False where standard output shares the terminal and would be torn."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    shown = _Shown(clock, sys.stderr if bar and terminal else None)
    try:
        yield shown
    except BaseException:
        shown.close(finished=False)
        raise
    shown.close(finished=True)


class _Shown:
    """The state of the stage at work. terminal: where a bar may be drawn, None for nowhere.

    A timer shows the bar of a stage that says nothing for long; hence the lock.
    """

    def __init__(self, clock: Callable[[], float], terminal: TextIO | None) -> None:
        self._clock = clock
        self._terminal = terminal
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._live: RichProgress | None = None
        self._stage: str | None = None
        self._began = self._told = 0.0
        self._first = self._done = 0
        self._total: int | None = None
        self._unit = ""

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        with self._lock:
            if stage != self._stage:
                self._end(finished=True)
                self._begin(stage, done)
            self._done, self._total, self._unit = done, total, unit
            now = self._clock()
            if now - self._began >= _BAR_AFTER and now - self._told >= _EVERY:
                self._told = now
                self._draw()

    def close(self, *, finished: bool) -> None:
        """End the stage at work."""
        with self._lock:
            self._end(finished=finished)

    def _begin(self, stage: str, done: int) -> None:
        self._stage, self._first, self._began = stage, done, self._clock()
        if self._terminal is not None:
            self._timer = threading.Timer(_BAR_AFTER, self._overdue, [stage])
            self._timer.daemon = True
            self._timer.start()

    def _overdue(self, stage: str) -> None:
        with self._lock:
            if self._stage == stage:
                self._draw()

    def _draw(self) -> None:
        """Bring the bar up to date; makes it where there is none yet."""
        if self._terminal is None:
            return
        if self._live is None:
            self._live = _live(self._terminal)
            self._live.start()
            self._live.add_task(str(self._stage), total=self._total, completed=self._first, unit=self._unit)
        self._live.update(self._live.task_ids[0], completed=self._done, total=self._total)

    def _end(self, *, finished: bool) -> None:
        """Take the bar of the stage away, and leave a line if it was long enough and came to its end."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._live is not None:
            self._live.stop()
            self._live = None
        if self._stage is None:
            return
        stage, self._stage = self._stage, None
        seconds = self._clock() - self._began
        if finished and seconds >= _LINE_AFTER:
            work = self._done - self._first
            rate = f", {quantity(work / seconds, self._unit)}/s" if work else ""
            amount = f"{quantity(self._done, self._unit)} {_noun(self._unit)}"
            say(f"{stage}: {amount}in {duration(seconds)}{rate}")


def quantity(number: float, unit: str) -> str:
    """A number short enough for a bar: 3.4 MiB for bytes, 12.3 M for anything else, all digits below ten thousand."""
    if unit == "bytes":
        if number < 1024:
            return f"{number:.0f} B"
        power = min(4, int(math.log2(number)) // 10)
        return f"{number / 1024**power:.1f} {('KiB', 'MiB', 'GiB', 'TiB')[power - 1]}"
    if number < 10_000:
        return f"{number:.0f}" if number >= 10 or float(number).is_integer() else f"{number:.1f}"
    for limit, name in ((1e6, "k"), (1e9, "M"), (1e12, "G")):
        if number < limit:
            return f"{number / limit * 1000:.1f} {name}"
    return f"{number / 1e12:.1f} T"


def duration(seconds: float) -> str:
    """5 s, 3 min 20 s, 2 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _noun(unit: str) -> str:
    return "" if unit in ("", "bytes") else f"{unit} "


def _live(terminal: TextIO) -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class Amount(ProgressColumn):
        """done of total, the rate, and the time left; the time gone by while nobody knows what is left."""

        def render(self, task: Task) -> Text:
            unit = task.fields["unit"]
            of = "" if task.total is None else f" of {quantity(task.total, unit)}"
            parts = [f"{quantity(task.completed, unit)}{of} {_noun(unit)}".rstrip()]
            if task.speed:
                parts.append(f"{quantity(task.speed, unit)}/s")
            left = task.time_remaining
            parts.append(f"{duration(task.elapsed or 0.0)} gone" if left is None else f"{duration(left)} left")
            return Text(", ".join(parts))

    return RichProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Amount(),
        console=Console(file=terminal),
        transient=True,
        redirect_stdout=False,
        speed_estimate_period=30.0,
    )
