"""How often a verifier errs: ρ0 and ρ1 with intervals, from answers that people have judged.

In: a file of rows with what a verifier said and what is true, or with answers that a judge rule grades here. Out:
`VerifierRates`, whose JSON a run's configuration names (`credit.noise.rates`). This module trains nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corver.errors import DependencyError, InputError
from corver.evaluate.rows import read_rows
from corver.evaluate.stats import Estimate, upper_limit_of_sum, wilson
from corver.reward.judge import JudgeRule, label_answer
from corver.runs import read_document, write_text

__all__ = ["Interval", "VerifierRates", "measure_verifier"]

Interval: TypeAlias = Literal["wilson", "exact"]

FORMAT = "corver verifier rates"
VERSION = 1
_TRUE = frozenset({"true", "1", "1.0", "yes", "correct", "right", "accepted"})
_FALSE = frozenset({"false", "0", "0.0", "no", "incorrect", "wrong", "rejected", "not_attempted"})
_UNSURE = frozenset({"", "unsure", "possible", "none", "null"})


@dataclass(frozen=True, slots=True)
class VerifierRates:
    """ρ0 over `wrong` answers, ρ1 over `right` ones. verifier: whose. skipped: rows without a label or a verdict."""

    verifier: str
    false_positive: Estimate
    false_negative: Estimate
    wrong: int
    right: int
    skipped: int = 0
    source: str = ""

    def to_json(self) -> dict[str, Any]:
        """The file that `credit.noise.rates` names."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "verifier": self.verifier,
            "source": self.source,
            "false_positive": self.false_positive.to_json(),
            "false_negative": self.false_negative.to_json(),
            "wrong": self.wrong,
            "right": self.right,
            "skipped": self.skipped,
        }

    def caution(self) -> str | None:
        """What makes a correction by these rates doubtful, in one line: an interval of ρ0 + ρ1 that reaches 1."""
        limit = upper_limit_of_sum(self.false_positive, self.false_negative)
        if limit < 1:
            return None
        return (
            f"{self.verifier}: may say nothing about what is right (ρ0 + ρ1 up to {limit:.3f}): judge more answers "
            "before you train on this"
        )

    def save(self, path: Path) -> None:
        """Write them as JSON."""
        write_text(path, json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> VerifierRates:
        """Read rates. Raises InputError when the file holds none, or lacks either rate."""
        row = read_document(path, kind=FORMAT, version=VERSION, maker="corver noise measure FILE --output")
        try:
            return cls(
                verifier=str(row["verifier"]),
                false_positive=_estimate(row["false_positive"]),
                false_negative=_estimate(row["false_negative"]),
                wrong=int(row["wrong"]),
                right=int(row["right"]),
                skipped=int(row["skipped"]),
                source=str(row["source"]),
            )
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{path}: holds damaged verifier rates, or lacks one of the two") from None


def measure_verifier(
    path: Path,
    *,
    rule: JudgeRule | None = None,
    verifier_field: str = "verifier",
    truth_field: str = "truth",
    interval: Interval = "wilson",
) -> VerifierRates:
    """Rates of the verdicts in a file, or of a judge rule on its answers.

    rule: grade `prediction` against `answers` (with `question` if it is there); None: take `verifier_field`.
    truth_field: the people's label: true or false, 1 or 0, yes or no, correct or wrong …; rows that say neither (empty,
    "unsure", "possible") are skipped. Raises InputError naming the row that cannot be read, or when the file holds no
    right, or no wrong, answer.
    """
    counts = {(truth, verdict): 0 for truth in (True, False) for verdict in (True, False)}
    skipped = 0
    for where, row in read_rows(path):
        truth = _label(row, truth_field, where)
        verdict = _graded(row, rule, where) if rule is not None else _label(row, verifier_field, where)
        if truth is None or verdict is None:
            skipped += 1
            continue
        counts[truth, verdict] += 1
    right, wrong = (counts[truth, True] + counts[truth, False] for truth in (True, False))
    if not right or not wrong:
        missing = "right" if not right else "wrong"
        raise InputError(f"{path}: holds no {missing} answer (field {truth_field!r}); both error rates need some")
    return VerifierRates(
        verifier=rule or verifier_field,
        false_positive=_rate(counts[False, True], wrong, interval),
        false_negative=_rate(counts[True, False], right, interval),
        wrong=wrong,
        right=right,
        skipped=skipped,
        source=path.name,
    )


def _rate(errors: int, trials: int, interval: Interval) -> Estimate:
    if interval == "wilson":
        return wilson(errors, trials)
    try:
        from scipy.stats import binomtest
    except ModuleNotFoundError:
        raise DependencyError("exact intervals need scipy: pip install 'corver[calibrate]'") from None
    found = binomtest(errors, trials).proportion_ci(method="exact")
    return Estimate(errors / trials, float(found.low), float(found.high))


def _label(row: dict[str, Any], name: str, where: str) -> bool | None:
    if name not in row:
        raise InputError(f"{where}: has no field {name!r} (it has {', '.join(map(str, row)) or 'none'})")
    value = row[name]
    word = str(value).strip().casefold()
    if word in _UNSURE:
        return None
    if word not in _TRUE | _FALSE:
        raise InputError(f"{where}: {name} is {str(value)[:40]!r}, expected true or false, 1 or 0, correct or wrong")
    return word in _TRUE


def _graded(row: dict[str, Any], rule: JudgeRule, where: str) -> bool:
    prediction, answers = row.get("prediction"), row.get("answers", row.get("answer"))
    if not isinstance(prediction, str) or not isinstance(answers, str | list) or not answers:
        raise InputError(f"{where}: a judge needs the fields prediction (text) and answers (text or a list)")
    golds = [answers] if isinstance(answers, str) else [str(answer) for answer in answers]
    question = row.get("question")
    return label_answer(prediction, golds, rule=rule, question=str(question) if question else None) == "correct"


def _estimate(row: dict[str, Any]) -> Estimate:
    return Estimate(*(float(row[key]) for key in ("value", "low", "high")))
