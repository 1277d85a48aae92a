"""What a batch of queries needs before counting: no clause twice, and the anchor of each.

In: clause numbers of queries. Out: the distinct ones and the anchors. It knows no lists.
"""

from __future__ import annotations

from typing import Any

from corver.index.kernels.jit import Array, jit

__all__ = ["plan_queries"]


@jit
def plan_queries(
    terms: Array, starts: Array, occurrences: Array, distinct: Array, bounds: Array, anchors: Array, tied: Array
) -> Any:
    """Fill distinct and bounds (queries without repeated terms), anchors (fewest occurrences), tied (not alone).

    terms, starts: the clauses of query q are terms[starts[q]:starts[q + 1]]. occurrences: by term.
    """
    written = 0
    for q in range(starts.size - 1):
        first = written
        best = terms[starts[q]]
        equal = False
        for i in range(starts[q], starts[q + 1]):
            term = terms[i]
            repeated = False
            for j in range(first, written):
                repeated = repeated or distinct[j] == term
            if repeated:
                continue
            distinct[written] = term
            written += 1
            if term != best and occurrences[term] <= occurrences[best]:
                equal = occurrences[term] == occurrences[best]
                best = term
        anchors[q] = best
        tied[q] = equal
        bounds[q + 1] = written
