"""How the time of a level query grows with the corpus: the same text 1, 4, 16 and 64 times as large.

    python benchmarks/growth.py --work DIR [--words 4000000] [--steps 4]

Synthetic text (benchmarks/common.py: Zipf, topics, unequal documents) whose every size has the same statistics. The
queries are pairs and triples of words drawn by their frequency band, all of which even the smallest corpus holds; a
third are words of one topic, the others meet by chance or never, which is the hard case: the cap does not help there.
Each query is timed by itself with the cycle counter, in two ways: warm, as the median of five runs one after another,
and mixed, as the median over nine passes of one call with all of them, in which no query finds caches and branch
predictors warm from itself.
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
WINDOW, CAP, PASSES, REPEATS = 1000, 20, 9, 5


@intrinsic
def cycles(typingctx: Any) -> Any:
    """The processor's time-stamp counter."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), [])

    return types.int64(), codegen


@jit
def count_timed(
    lists, rows, starts, anchors, groups, group_starts, lengths, window, cap, limits, repeats, out, scratch, ticks
) -> Any:
    """`count_queries` one by one, each `repeats` times; ticks: int64 (Q, repeats), cycles that each took."""
    for q in range(starts.size - 1):
        for one in range(repeats):
            out[q] = 0
            began = cycles()
            count_queries(
                lists, rows, starts[q : q + 2], anchors[q : q + 1], groups, group_starts, lengths, window, cap, limits,
                out[q : q + 1], scratch,
            )  # fmt: skip
            ticks[q, one] = cycles() - began


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


def seconds_each(index: Index, asked: list[list[str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(seconds of each query warm, seconds of each in mixed order, counts)."""
    prepared = index.prepare(asked)
    assert len(prepared.table.lists) == 1, "one segment"
    segment, column = prepared.table.lists[0].segment, prepared.table.rows[0]
    limits = np.array([0, segment.documents], dtype=np.int64)
    scratch = np.empty((5, scratch_size(segment)), dtype=np.int64)
    out = np.zeros(len(prepared), dtype=np.int64)

    def measure(repeats: int) -> np.ndarray:
        """Seconds (Q, repeats)."""
        ticks = np.zeros((len(prepared), repeats), dtype=np.int64)
        began = time.perf_counter()
        count_timed(
            prepared.table.lists[0].table, column[prepared.terms], prepared.starts, column[prepared.anchors],
            segment.groups, segment.group_starts, segment.lengths, WINDOW, CAP, limits, repeats, out, scratch, ticks,
        )  # fmt: skip
        return ticks * ((time.perf_counter() - began) / ticks.sum())

    measure(1)  # compiles, and brings the pages in
    mixed = np.hstack([measure(1) for _ in range(PASSES)])
    warm = measure(REPEATS)
    return np.median(warm, axis=1), np.median(mixed, axis=1), np.minimum(out, CAP)


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
            warm, mixed, counts = seconds_each(index, asked)
        found = [float(np.quantile(times, q)) * 1e6 for times in (warm, mixed) for q in (0.5, 0.99)]
        first = first or found
        shown = [f"{value:.2f} ({value / least:.1f}x)" for value, least in zip(found, first, strict=True)]
        rows.append([f"{size / 1e6:.0f} M", f"{(counts == CAP).mean():.0%}", *shown])
    head = ["words", "reach the cap", "warm: median µs", "p99 µs", "mixed: median µs", "p99 µs"]
    print_table(f"a level query (window {WINDOW}, cap {CAP}), {len(asked)} different ones", head, rows)


if __name__ == "__main__":
    main()
