"""Whether a sentence denies something.

In: a `Scan`. Out: yes or no. Counts of words cannot tell "was born" from "was not born", so that whoever trusts them
must know which sentences say no. Only plain cues are read; irony and "failed to" are not.
"""

from __future__ import annotations

from corver.extract.scan import Scan

__all__ = ["is_negated"]

_CUES = frozenset({"not", "never", "neither", "nor", "none", "cannot", "nobody", "nothing", "nowhere", "no", "untrue"})


def is_negated(found: Scan) -> bool:
    """Whether a cue of negation stands in the sentence; "not only" and "No. 1" are none."""
    for i, word in enumerate(found.lowers[: len(found)]):
        if word.endswith(("n't", "n’t")):
            return True
        if word not in _CUES:
            continue
        if word == "not" and found.lower(i + 1) in ("only", "just", "merely"):
            continue
        if word == "no" and found.tag(i + 1) == "D":
            continue
        return True
    return False
