"""How the time of a level query grows with the corpus: the same text 1, 4, 16 and 64 times as large.

    python benchmarks/growth.py --work DIR [--words 4000000] [--steps 4]

Synthetic text (benchmarks/common.py: Zipf, topics, unequal documents) whose every size has the same statistics. The
queries are pairs and triples of words drawn by their frequency band; a third are words of one topic, the others meet by
chance or never, which is the hard case: the cap does not help there. Times are those of one query inside a call.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from common import print_table, zipf_shards

from corver.index import Index, build_index

VOCABULARY = 400_000
WINDOW, CAP, REPEAT, PASSES = 1000, 20, 8, 3


def queries(count: int) -> list[list[str]]:
    """Two or three words each, of ranks 100 to 100,000."""
    rng = np.random.default_rng(3)
    made = []
    for number in range(count):
        size = int(rng.integers(2, 4))
        if number % 3 == 0:
            start = int(10 ** rng.uniform(2, 5))
            chosen = start + rng.choice(150, size, replace=False)
        else:
            chosen = (10 ** rng.uniform(2, 5, size)).astype(int)
        made.append([f"w{rank}" for rank in chosen])
    return made


def seconds_each(index: Index, asked: list[list[str]]) -> np.ndarray:
    """Median seconds of each query."""
    times = np.empty((PASSES, len(asked)))
    prepared = [index.prepare([query] * REPEAT) for query in asked]
    for one in range(PASSES):
        for q, ready in enumerate(prepared):
            began = time.perf_counter()
            index.count_prepared(ready, window=WINDOW, cap=CAP, threads=1)
            times[one, q] = (time.perf_counter() - began) / REPEAT
    return np.median(times, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--words", type=int, default=4_000_000)
    parser.add_argument("--steps", type=int, default=4, help="sizes, each four times the one before")
    parser.add_argument("--queries", type=int, default=3000)
    options = parser.parse_args()
    asked = queries(options.queries)
    rows, first = [], None
    for step in range(options.steps):
        size = options.words * 4**step
        folder = options.work / f"growth-{size}"
        if not folder.exists():
            build_index(zipf_shards(size, vocabulary=VOCABULARY), folder, memory=6 << 30, store_text=False)
        with Index.open(folder) as index:
            floor = seconds_each(index, [["absent"]] * 50)
            times = seconds_each(index, asked) - np.median(floor)
        middle, late = (float(np.quantile(times, q)) * 1e6 for q in (0.5, 0.99))
        first = first or (middle, late)
        rows.append([f"{size / 1e6:.0f} M", f"{middle:.2f}", f"{late:.1f}", f"{times.mean() * 1e6:.2f}",
                     f"{middle / first[0]:.1f}x", f"{late / first[1]:.1f}x"])  # fmt: skip
    head = ["words", "median µs", "p99 µs", "mean µs", "median", "p99"]
    print_table(f"a level query (window {WINDOW}, cap {CAP}), the call itself taken off", head, rows)


if __name__ == "__main__":
    main()
