"""The `math` rule of the judge: is an answer the same mathematics as an accepted one?

In: an answer and the accepted ones, as numbers, formulas or LaTeX. Out: an `AnswerLabel`. The library `math-verify`
does the comparing, in a process of its own: a tower of powers can hold it for ever, and its own time limit works by
signals, which only the main thread of a process gets. A comparison that does not end is `wrong`, as is an answer that
cannot be read: what cannot be verified earns nothing. This module knows no reward.
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
from typing import Any

from corver.errors import CorverError, DependencyError
from corver.text.answers import grade, is_refusal
from corver.types import AnswerLabel

__all__ = ["MathVerifier", "grade_math"]

SECONDS = 5
"""Time for one reading or one comparison, as math-verify counts it; three times that for the whole answer."""

START_SECONDS = 120
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

    Threads may share one; a forked process needs its own. timeouts: comparisons that did not end in time.
    """

    def __init__(self, *, seconds: int = SECONDS) -> None:
        self.seconds = seconds
        self.timeouts = 0
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def compare(self, prediction: str, golds: Sequence[str]) -> str:
        """`equal`, `different`, `unreadable_gold` or `timed_out`. Raises DependencyError without `math-verify`."""
        with self._lock:
            process = self._running()
            request = {"prediction": prediction, "golds": list(golds), "seconds": self.seconds}
            answer = self._ask(process, json.dumps(request), 3 * self.seconds)
            if answer is None:
                self.timeouts += 1
                return "timed_out"
            return str(answer["verdict"])

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
        if _read_line(self._process, START_SECONDS).strip() != "ready":
            self.close()
            raise CorverError("the worker of the judge rule math does not start; does `import math_verify` work?")
        return self._process

    def _ask(self, process: subprocess.Popen[str], request: str, seconds: float) -> dict[str, Any] | None:
        """The reply, or None when the worker died or had to be killed."""
        assert process.stdin is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            line = _read_line(process, seconds)
        except BrokenPipeError:
            line = ""
        if not line.endswith("\n"):
            self.close()
            return None
        reply: dict[str, Any] = json.loads(line)
        return reply


def _read_line(process: subprocess.Popen[str], seconds: float) -> str:
    """One line of the process, which is killed when it takes longer; "" then."""
    assert process.stdout is not None
    clock = threading.Timer(seconds, process.kill)
    clock.start()
    try:
        return process.stdout.readline()
    finally:
        clock.cancel()


@lru_cache(maxsize=1)
def _verifier_of(process: int) -> MathVerifier:
    """The verifier of this process: after a fork the pipes of the parent's worker must not be shared."""
    verifier = MathVerifier()
    atexit.register(verifier.close)
    return verifier
