"""The `math` rule of the judge: is an answer the same mathematics as an accepted one?

In: an answer and the accepted ones, as numbers, formulas or LaTeX. Out: an `AnswerLabel`. The library `math-verify`
does the comparing, in a process of its own: a tower of powers can hold it for ever, and its own time limit works by
signals, which only the main thread of a process gets. A comparison that does not end is `wrong`, as is an answer that
cannot be read: what cannot be verified earns nothing. A process that dies says nothing of the answer: another one is
asked. This module knows no reward.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from corver.errors import CorverError, DependencyError
from corver.text.answers import grade, is_refusal
from corver.types import AnswerLabel

__all__ = ["MathVerifier", "grade_math"]

SECONDS = 5
"""Time for one reading or one comparison, as math-verify counts it; three times that for the whole answer."""

START_SECONDS = 120
ATTEMPTS = 3
"""Workers that may die of one comparison before it is held to be their death."""

_WORKER = Path(__file__).with_name("math_worker.py")
_MARKUP = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}|[$\s]|\\[()\[\]]")


def grade_math(prediction: str, golds: Sequence[str], *, verifier: MathVerifier | None = None) -> AnswerLabel:
    """Label an answer by the mathematics it states.

    A gold that says the same literally is right, whatever the library makes of it; golds that are no mathematics
    ("Monday") are compared by the rule `words`. Raises DependencyError without `math-verify`.
    """
    if not prediction.strip():
        return "not_attempted"
    golds = [gold for gold in golds if gold.strip()]
    if _literal(prediction) in {_literal(gold) for gold in golds}:
        return "correct"
    if is_refusal(prediction):
        return "not_attempted"
    verdict = (verifier or _verifier_of(os.getpid())).compare(prediction, golds)
    if verdict == "unreadable_gold":
        return grade(prediction, golds, rule="words")
    return "correct" if verdict == "equal" else "wrong"


def _literal(text: str) -> str:
    return _MARKUP.sub(r"\1", text).rstrip(".").casefold()


class MathVerifier:
    """A worker process that compares, started at the first use, killed and started anew when it does not answer.

    Threads may share one; a forked process needs its own. timeouts: comparisons that did not end in time. deaths:
    workers that ended by themselves or by another's hand.
    """

    def __init__(self, *, seconds: int = SECONDS) -> None:
        self.seconds = seconds
        self.timeouts = 0
        self.deaths = 0
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def compare(self, prediction: str, golds: Sequence[str]) -> str:
        """`equal`, `different`, `unreadable_gold`, `incomparable`, `timed_out`, or `deadly`: it ended every worker that
        was given it, but another comparison did not.

        Raises CorverError when workers die of anything, DependencyError without `math-verify`.
        """
        with self._lock:
            for _ in range(ATTEMPTS):
                if (verdict := self._ask(prediction, golds)) is not None:
                    return verdict
            if self._ask("1", ["1"]) is not None:
                return "deadly"
        raise CorverError("the worker of the judge rule math dies again and again; does the machine lack memory?")

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if find_spec("math_verify") is None:
            raise DependencyError("the judge rule math needs math-verify: pip install 'corver[math]'")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        if _read_line(self._process, START_SECONDS)[0].strip() != "ready":
            self.close()
            raise CorverError("the worker of the judge rule math does not start; does `import math_verify` work?")
        return self._process

    def _ask(self, prediction: str, golds: Sequence[str]) -> str | None:
        """The verdict; None when the worker died."""
        process = self._running()
        assert process.stdin is not None
        request = {"prediction": prediction, "golds": list(golds), "seconds": self.seconds}
        late = False
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line, late = _read_line(process, 3 * self.seconds)
        except BrokenPipeError:
            line = ""
        if line.endswith("\n"):
            return str(json.loads(line)["verdict"])
        self.close()
        if late:
            self.timeouts += 1
            return "timed_out"
        self.deaths += 1
        return None


def _read_line(process: subprocess.Popen[str], seconds: float) -> tuple[str, bool]:
    """One line of the process, and whether the process was killed because it took longer; the line is cut then."""
    assert process.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    clock = threading.Timer(seconds, end)
    clock.start()
    try:
        return process.stdout.readline(), late.is_set()
    finally:
        clock.cancel()


@lru_cache(maxsize=1)
def _verifier_of(process: int) -> MathVerifier:
    """The verifier of this process: after a fork the pipes of the parent's worker must not be shared."""
    verifier = MathVerifier()
    atexit.register(verifier.close)
    return verifier
