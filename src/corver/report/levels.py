"""From a scored sentence to how it is marked: level, colour tone, label; and tallies of such marks.

In: the levels of a run's configuration and sentences as JSON (`SentenceScore.to_json`). Out: marks and counts. This
module knows no colours and no HTML. The tone follows the reward (worst, negative, zero, positive), so that any number
of levels fits; the mark is a character of its own, so that nothing hangs on colour alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import ValidationError

from corver.config import LevelsConfig
from corver.report.values import MINUS, integer, lookup, number, points
from corver.types import Status

__all__ = ["LevelScale", "Mark", "Tally", "Tone"]

Tone: TypeAlias = Literal["worst", "negative", "zero", "positive", "silent", "lacking", "failed"]

_CLAIMS = (Status.SUPPORTED.value, Status.UNSUPPORTED.value)


@dataclass(frozen=True, slots=True)
class Mark:
    """How one kind of sentence is shown. sign: one or two characters; title: in words; reward: or '' when it varies."""

    key: str
    sign: str
    tone: Tone
    title: str
    reward: str = ""


_STATUS_MARKS = {
    Status.NO_CLAIM.value: Mark("no_claim", "·", "silent", "no claim"),
    Status.NO_EVIDENCE.value: Mark("no_evidence", "∅", "lacking", "subject not in the corpus"),
    Status.FAILED.value: Mark("failed", "!", "failed", "look-up failed"),
}
_UNKNOWN = Mark("unknown", "?", "failed", "unknown status")
_BY_SIGN = {
    -1: Mark("minus", MINUS, "worst", "negative score"),
    0: Mark("neutral", "0", "zero", "neutral score"),
    1: Mark("plus", "+", "positive", "positive score"),
}


class LevelScale:
    """The levels of one run. `levels`: the run's own, or the paper's where its configuration does not say."""

    def __init__(self, levels: LevelsConfig) -> None:
        worst = min(levels.rewards)
        starts = (0, *levels.thresholds)
        ends = (*(start - 1 for start in levels.thresholds), None)
        self.marks = tuple(
            Mark(f"level{number}", str(number), _tone(reward, worst), _range(start, end), points(reward))
            for number, (start, end, reward) in enumerate(zip(starts, ends, levels.rewards, strict=True))
        )

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> LevelScale:
        """The levels under `reward.levels` of a run's settings."""
        try:
            return cls(LevelsConfig.model_validate(lookup(config, "reward.levels") or {}))
        except ValidationError:
            return cls(LevelsConfig())

    def mark(self, sentence: Mapping[str, Any]) -> Mark:
        """The mark of one sentence."""
        status = sentence.get("status")
        if status not in _CLAIMS:
            return _STATUS_MARKS.get(status, _UNKNOWN) if isinstance(status, str) else _UNKNOWN
        level, reward = integer(sentence.get("level")), number(sentence.get("reward"))
        if level is not None and 0 <= level < len(self.marks):
            return self.marks[level]
        return _UNKNOWN if reward is None else _BY_SIGN[(reward > 0) - (reward < 0)]

    def legend(self) -> tuple[Mark, ...]:
        """Every level, then the states without a verdict."""
        return (*self.marks, *_STATUS_MARKS.values())


@dataclass(slots=True)
class Tally:
    """Sums over completions. reward: of the claims with a numeric reward, `scored` of them."""

    completions: int = 0
    sentences: int = 0
    claims: int = 0
    scored: int = 0
    reward: float = 0.0
    words: int = 0
    marks: Counter[Mark] = field(default_factory=Counter)

    def add(self, completion: Any, sentences: Iterable[Any], scale: LevelScale) -> None:
        """Count one completion and its sentences."""
        self.completions += 1
        self.words += len(completion.split()) if isinstance(completion, str) else 0
        for sentence in sentences:
            if not isinstance(sentence, dict):
                continue
            self.sentences += 1
            self.marks[scale.mark(sentence)] += 1
            if sentence.get("status") in _CLAIMS:
                self.claims += 1
                reward = number(sentence.get("reward"))
                if reward is not None:
                    self.scored += 1
                    self.reward += reward

    def merge(self, other: Tally) -> None:
        """Add another tally's sums."""
        for name in ("completions", "sentences", "claims", "scored", "reward", "words"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.marks.update(other.marks)

    @property
    def mean_reward(self) -> float | None:
        """Mean reward of a claim."""
        return self.reward / self.scored if self.scored else None

    def per_completion(self, total: float) -> float | None:
        """A sum as its mean over completions."""
        return total / self.completions if self.completions else None


def _tone(reward: float, worst: float) -> Tone:
    if reward > 0:
        return "positive"
    if reward == 0:
        return "zero"
    return "worst" if reward == worst else "negative"


def _range(start: int, end: int | None) -> str:
    if end is None:
        return f"count {start} or more"
    return f"count {start}" if start == end else f"count {start}–{end}"
