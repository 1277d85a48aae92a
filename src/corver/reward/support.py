"""What turns the sentences of a text into verdicts: the one part of a scorer that knows what evidence is worth.

In: passages and the spans of their sentences. Out: a `SentenceScore` a sentence. `paper` (levels of a count) and
`profile` (every detail around the subject) are both this. This module knows neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from corver.types import Passage, SentenceScore, Span

__all__ = ["SUPPORTS", "Support", "SupportName"]

SupportName: TypeAlias = Literal["paper", "profile"]
SUPPORTS: tuple[SupportName, ...] = ("paper", "profile")


class Support(Protocol):
    """Evidence to verdicts, a batch at a time."""

    def verdicts(self, passages: Sequence[Passage], spans: Sequence[Sequence[Span]]) -> list[list[SentenceScore]]:
        """One verdict a sentence, each sentence by itself. What cannot be looked up is `failed`, never a number."""
        ...

    def guard(self, scores: Sequence[SentenceScore]) -> list[SentenceScore]:
        """The verdicts of one completion, where nothing is rewarded a second time."""
        ...

    def settings(self) -> Mapping[str, Any]:
        """All that its verdicts depend on, as JSON values, for a fingerprint."""
        ...
