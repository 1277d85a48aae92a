"""Level queries a second: subject-object pairs and question entities against an index, in one call.

"two threads" is how much faster they are by the clock, which needs two idle cores; "CPU time of two" is what both spend
on the same queries, against what one spends: 1.00x where threads do not hinder each other.

python benchmarks/queries.py --index DIR --pairs trex-pairs.jsonl [--questions FILE …]
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np
from common import best_of, pair_queries, print_table, question_queries

from corver.index import Index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--questions", type=Path, nargs="*", default=[])
    parser.add_argument("--passes", type=int, default=9)
    options = parser.parse_args()
    queries = pair_queries(options.pairs) + [q for path in options.questions for q in question_queries(path)]
    with Index.open(options.index) as index:
        prepared = index.prepare(queries)
        rarest = prepared.table.occurrences[prepared.anchors]
        rows = []
        for window in (1000, 100):
            for cap in (20, None):
                one, two = (
                    best_of(options.passes, lambda t=threads, w=window, c=cap: index.count_prepared(
                        prepared, window=w, cap=c, threads=t))
                    for threads in (1, 2)
                )  # fmt: skip
                cpu, both = (
                    best_of(options.passes, lambda t=threads, w=window, c=cap: index.count_prepared(
                        prepared, window=w, cap=c, threads=t), clock=time.process_time)
                    for threads in (1, 2)
                )  # fmt: skip
                middle = options.passes // 2
                rate = [f"{len(queries) / seconds:,.0f}" for seconds in (one[middle], one[0], cpu[middle], cpu[0])]
                gain = [f"{one[middle] / two[middle]:.2f}x", f"{both[middle] / cpu[middle]:.2f}x"]
                rows.append([window, cap or "exact", *rate, *gain])
        whole = best_of(3, lambda: index.count_many(queries, cap=20))[0]
    head = ["window", "cap", "median", "best", "median, CPU time", "best, CPU time", "two threads", "CPU time of two"]
    print_table(f"{len(queries):,} queries a second on one core, {index.words / 1e6:.1f} M words", head, rows)
    print(f"\nrarest word: median {np.median(rarest):.0f}, mean {rarest.mean():.0f} occurrences")
    print(f"count_many, strings in and Count objects out, all cores: {len(queries) / whole:,.0f} a second")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
