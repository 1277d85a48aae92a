"""What a batch of queries needs before counting: no clause twice, and the anchor of each.

In: clause numbers of queries. Out: the distinct ones and the anchors. It knows no lists.
"""

from __future__ import annotations

from typing import Any

from corver.index.kernels.jit import Array, jit

__all__ = ["plan_queries"]


@jit
def plan_queries(
    terms: Array, starts: Array, occurrences: Array, alphabetical: Array, distinct: Array, bounds: Array, anchors: Array
) -> Any:
    """Fill distinct and bounds (queries without repeated terms) and anchors (fewest occurrences, then alphabetical).

    terms, starts: the clauses of query q are terms[starts[q]:starts[q + 1]]. occurrences, alphabetical: by term.
    """
    written = 0
    for q in range(starts.size - 1):
        first = written
        best = terms[starts[q]]
        for i in range(starts[q], starts[q + 1]):
            term = terms[i]
            repeated = False
            for j in range(first, written):
                repeated = repeated or distinct[j] == term
            if repeated:
                continue
            distinct[written] = term
            written += 1
            fewer = occurrences[term] < occurrences[best]
            if fewer or (occurrences[term] == occurrences[best] and alphabetical[term] < alphabetical[best]):
                best = term
        anchors[q] = best
        bounds[q + 1] = written
