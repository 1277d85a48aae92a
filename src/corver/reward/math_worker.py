"""Compare mathematical answers with `math-verify`, one JSON line in, one out, in a process that may be killed.

In: `{"prediction": …, "golds": […], "seconds": …}` a line. Out: `{"verdict": …}` a line: `equal`, `different`,
`unreadable_gold` (no accepted answer is mathematics) or `incomparable` (comparing took more memory, or went deeper,
than it may). `corver.reward.mathematics` runs this file by its path; it imports nothing of corver, so that it starts
fast. It knows no reward.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, TypeAlias

__all__ = ["Verdict", "compare", "main"]

Verdict: TypeAlias = Literal["equal", "different", "unreadable_gold", "incomparable"]

MOST_BYTES = 4 << 30
"""Of memory for one worker: a tower of powers would take all there is, and the system might end another process."""

MOST_CHARACTERS = 2_000
"""Longer answers are no answers, and the parser's time grows with them."""

_MARKED = re.compile(r"\$|\\\(|\\\[|\\boxed")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_FUNCTIONS = frozenset({"sqrt", "sin", "cos", "tan", "log", "exp", "inf", "max", "min", "mod"})
_SPELLED = (
    (re.compile(r"[−–]"), "-"),
    (re.compile(r"×"), r"\\times "),
    (re.compile(r"÷"), "/"),
    (re.compile(r"π"), r"\\pi "),
    (re.compile(r"∞"), r"\\infty "),
    (re.compile(r"(?:√|(?<!\\)\bsqrt)\s*(?:\(([^()]*)\)|(\w+))"), r"\\sqrt{\1\2}"),
    (re.compile(r"(?<![\d./])(\d+)\s+(\d+)/(\d+)(?![\d/])"), r"\1\\frac{\2}{\3}"),
    (re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)e([+-]?\d+)\b", re.IGNORECASE), r"\1\\cdot 10^{\2}"),
)  # fmt: skip
_SEPARATOR = re.compile(r"\s*(?:;|,(?=\s)|\bor\b|\band\b|\n)\s*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|isn't|never)\b|≠", re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\$[^$]*\$")


def compare(prediction: str, golds: Sequence[str], *, seconds: int = 5) -> Verdict:
    """Whether the prediction equals one of the golds.

    A prediction that denies, or that lists values of which not all equal the gold, is `different`; so is one that
    cannot be compared in `seconds`, which hold for each reading and each comparison. To be called in the main thread
    of a process, since math-verify keeps time by signals.
    """
    readable = False
    for gold in golds:
        meant = _readings(gold, seconds)
        readable = readable or bool(meant)
        if meant and _equals(prediction, gold, meant, seconds):
            return "equal"
    return "different" if readable else "unreadable_gold"


def _equals(prediction: str, gold: str, meant: Sequence[Any], seconds: int) -> bool:
    if len(prediction) > MOST_CHARACTERS or _NEGATION.search(prediction):
        return False
    several = bool(_SEPARATOR.search(gold)) or "{" in gold or "(" in gold or "[" in gold
    if not several:
        pieces = [piece for piece in _SEPARATOR.split(_BRACKETED.sub("0", prediction)) if re.search(r"\d", piece)]
        if len(pieces) > 1:
            spoken = [piece for piece in _SEPARATOR.split(prediction) if piece.strip()]
            return all(_any_equal(meant, _readings(piece, seconds), seconds) for piece in spoken)
    forms = [prediction]
    if several and not _MARKED.search(prediction):
        bare = _SEPARATOR.sub(", ", prediction.strip()).strip("{}[]() ")
        forms += [f"$\\{{{bare}\\}}$", f"$({bare})$"] if "," in bare else []
    return any(_any_equal(meant, _readings(form, seconds), seconds) for form in forms)


def _any_equal(meant: Sequence[Any], spoken: Sequence[Any], seconds: int) -> bool:
    from math_verify import verify

    return any(verify(gold, said, timeout_seconds=seconds, raise_on_error=False) for gold in meant for said in spoken)


def _readings(text: str, seconds: int) -> list[Any]:
    """What math-verify reads in the text, bare formulas marked as such first; [] when it finds no mathematics."""
    from math_verify import parse

    text = text.strip().rstrip(".")
    forms = [text]
    if not _MARKED.search(text) and not {word.lower() for word in _WORD.findall(text)} - _FUNCTIONS:
        marked = text
        for pattern, replacement in _SPELLED:
            marked = pattern.sub(replacement, marked)
        forms.insert(0, f"${marked}$")
    for form in forms:
        # The list ends with the string that was read; without an expression before it nothing was understood.
        found = [item for item in parse(form, parsing_timeout=seconds, fallback_mode="no_fallback")
                 if not isinstance(item, str)]  # fmt: skip
        if found:
            return found
    return []


def main() -> None:
    """Serve requests until standard input ends. Says `ready` once the libraries are loaded."""
    import math_verify  # noqa: F401 - loaded before the clock of a request runs

    logging.getLogger("math_verify").setLevel(logging.ERROR)
    _limit_memory()
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        verdict: Verdict
        try:
            verdict = compare(request["prediction"], request["golds"], seconds=request["seconds"])
        except (MemoryError, RecursionError):
            verdict = "incomparable"
        print(json.dumps({"verdict": verdict}), flush=True)


def _limit_memory() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST_BYTES if hard == resource.RLIM_INFINITY else min(MOST_BYTES, hard)
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    main()
