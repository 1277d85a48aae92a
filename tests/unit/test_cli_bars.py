"""Progress: a bar on a terminal only, a line for long stages, silence for short ones."""

from __future__ import annotations

import io
import time

import pytest

from corver.cli import bars
from corver.progress import Progress, no_progress


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_short_stage_leaves_no_trace(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with bars.shown_progress(clock=clock) as progress:
        progress("reading", 0, 10, "documents")
        clock.now += 1.9
        progress("reading", 10, 10, "documents")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_long_stage_leaves_one_line_with_its_rate(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with bars.shown_progress(clock=clock) as progress:
        progress("reading", 0, None, "documents")
        clock.now += 2
        progress("reading", 500, 1000, "documents")
        clock.now += 2
        progress("reading", 1000, 1000, "documents")
        progress("writing", 0, 8, "bytes")
        clock.now += 4
        progress("writing", 8, 8, "bytes")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "corver: reading: 1000 documents in 4.0 s, 250/s",
        "corver: writing: 8 B in 4.0 s, 2 B/s",
    ]


def test_the_rate_of_work_that_goes_on_counts_only_what_was_done_now(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with bars.shown_progress(clock=clock) as progress:
        progress("training", 90, 100, "steps")
        clock.now += 10
        progress("training", 100, 100, "steps")
    assert capsys.readouterr().err == "corver: training: 100 steps in 10 s, 1/s\n"


def test_work_that_failed_does_not_claim_to_have_ended(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    def work(progress: Progress) -> None:
        progress("reading", 0, 10, "documents")
        clock.now += 60
        progress("reading", 5, 10, "documents")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"), bars.shown_progress(clock=clock) as progress:
        work(progress)
    assert capsys.readouterr().err == ""


def watch(progress: Progress, clock: Clock) -> None:
    for done in range(0, 101, 10):
        progress("counting", done, 100, "words")
        clock.now += 0.3


def test_a_terminal_gets_a_bar_with_amount_and_rate(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(bars.sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with bars.shown_progress(clock=clock) as progress:
        watch(progress, clock)
    shown = terminal.getvalue()
    assert "counting" in shown
    assert "of 100 words" in shown
    assert "/s, " in shown
    assert shown.rstrip().endswith("corver: counting: 100 words in 3.3 s, 30/s")


def test_a_stage_that_says_nothing_for_long_gets_its_bar_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(bars.sys, "stderr", terminal)
    monkeypatch.setattr(bars, "_BAR_AFTER", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with bars.shown_progress() as progress:
        progress("fetching", 0, 1, "files")
        until = time.monotonic() + 10
        while "fetching" not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
    assert "0 of 1 files" in terminal.getvalue()
    assert "gone" in terminal.getvalue()


def test_no_bar_where_standard_output_shares_the_terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(bars.sys, "stderr", terminal)
    with bars.shown_progress(bar=False, clock=clock) as progress:
        watch(progress, clock)
    assert terminal.getvalue() == "corver: counting: 100 words in 3.3 s, 30/s\n"


def test_the_silent_listener_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    no_progress("reading", 1, 2, "documents")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
