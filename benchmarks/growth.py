"""How the time of a level query grows with the corpus: the same text 1, 4, 16 and 64 times as large.

    python benchmarks/growth.py --work DIR [--words 4000000] [--steps 4]

Synthetic text (benchmarks/common.py: Zipf, topics, unequal documents) whose every size has the same statistics. The
queries are pairs and triples of words drawn by their frequency band, all of which even the smallest corpus holds; a
third are words of one topic, the others meet by chance or never, which is the hard case: the cap does not help there.
All queries are counted in one call, in mixed order, as `count_many` does; the cycle counter is read around each. So no
query finds caches and branch predictors warm from itself, as it would when repeated.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table, zipf_shards
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from corver.index import Index, build_index
from corver.index.gather import scratch_size
from corver.index.kernels.count import count_queries
from corver.index.kernels.jit import jit

VOCABULARY = 400_000
WINDOW, CAP, PASSES = 1000, 20, 9


@intrinsic
def cycles(typingctx: Any) -> Any:
    """The processor's time-stamp counter."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), [])

    return types.int64(), codegen


@jit
def count_timed(
    lists, rows, starts, anchors, groups, group_starts, lengths, window, cap, limits, out, scratch, ticks
) -> Any:
    """`count_queries` one by one, in order; ticks: int64 (Q,), cycles that each took."""
    for q in range(starts.size - 1):
        began = cycles()
        count_queries(
            lists, rows, starts[q : q + 2], anchors[q : q + 1], groups, group_starts, lengths, window, cap, limits,
            out[q : q + 1], scratch,
        )  # fmt: skip
        ticks[q] = cycles() - began


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


def seconds_each(index: Index, asked: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    """(median seconds of each query inside a call with all of them, an empty query's time taken off; counts)."""
    prepared = index.prepare([*asked, *[["absent"]] * 50])
    table = prepared.table.lists[0]
    segment, column = table.segment, prepared.table.rows[0]
    assert len(prepared.table.lists) == 1, "one segment"
    count = len(prepared)
    limits = np.array([0, segment.documents], dtype=np.int64)
    scratch = np.empty((5, scratch_size(segment)), dtype=np.int64)
    ticks, times = np.zeros(count, dtype=np.int64), np.empty((PASSES, count))
    for one in range(-1, PASSES):
        out = np.zeros(count, dtype=np.int64)
        began = time.perf_counter()
        count_timed(
            table.table, column[prepared.terms], prepared.starts, column[prepared.anchors], segment.groups,
            segment.group_starts, segment.lengths, WINDOW, CAP, limits, out, scratch, ticks,
        )  # fmt: skip
        if one >= 0:  # the first pass compiles and warms
            times[one] = ticks * ((time.perf_counter() - began) / ticks.sum())
    found = np.median(times, axis=0)
    return found[:-50] - np.median(found[-50:]), np.minimum(out[:-50], CAP)


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
            if first is None:
                known = dict.fromkeys(word for query in asked for word in query)
                held = dict(zip(known, index.count_many([[word] for word in known]), strict=True))
                asked = [query for query in asked if all(held[word].value for word in query)]
            times, counts = seconds_each(index, asked)
        middle, late = (float(np.quantile(times, q)) * 1e6 for q in (0.5, 0.99))
        first = first or (middle, late)
        figures = [f"{middle:.2f}", f"{late:.1f}", f"{times.mean() * 1e6:.2f}"]
        ratios = [f"{middle / first[0]:.1f}x", f"{late / first[1]:.1f}x"]
        rows.append([f"{size / 1e6:.0f} M", f"{(counts == CAP).mean():.0%}", *figures, *ratios])
    head = ["words", "reach the cap", "median µs", "p99 µs", "mean µs", "median", "p99"]
    print_table(f"a level query (window {WINDOW}, cap {CAP}), {len(asked)} different ones in one call", head, rows)


if __name__ == "__main__":
    main()
