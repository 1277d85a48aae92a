"""The guard against repetition: a claim is rewarded once a completion.

In: the verdicts on the sentences of one completion, in order. Out: the same verdicts, where the second and every
further sentence on the same pair is marked as repeated and has lost its positive reward. Without it a policy learns to
repeat its best supported sentence. Penalties stay: saying something unsupported twice is not better than once. The mark
keeps a repetition from being worth more than silence where credit moves the zero point. This module knows no corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corver.types import SentenceScore

__all__ = ["REPEATED", "guard_repetition"]

REPEATED = "repeats a pair of an earlier sentence"
"""The reason that a repeated verdict carries."""


def guard_repetition(scores: Sequence[SentenceScore]) -> list[SentenceScore]:
    """Verdicts after the guard. A pair is the same when its words are all among those of one earlier pair.

    So neither swapping subject and object nor dropping a name's part makes a claim new; a further detail does.
    """
    earlier: dict[str, list[frozenset[str]]] = {}
    guarded: list[SentenceScore] = []
    for score in scores:
        if score.has_claim and score.words:
            words = frozenset(score.words)
            # Among the pairs that share its rarest word, so that a long text costs linear time.
            candidates = min((earlier.get(word, []) for word in words), key=len)
            if not any(words <= seen for seen in candidates):
                for word in words:
                    earlier.setdefault(word, []).append(words)
            else:
                score = replace(score, reward=min(score.reward, 0.0), reason=REPEATED, repeated=True)
        guarded.append(score)
    return guarded
