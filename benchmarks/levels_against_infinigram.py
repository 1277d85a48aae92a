"""How often infini-gram 2.6.0 puts a query on another reward level than the exact count does, and why.

    python benchmarks/levels_against_infinigram.py --work DIR --parquet FILE … --pairs FILE [--questions FILE …]

Both engines count the same tokens at window 1000. The queries are subject-object pairs and names of questions with
their answers, drawn by chance, as many of 2, 3 and 4 words. The counts form a ladder, each rung without one of
infini-gram's peculiarities; a difference between two rungs is what that one does:

    default          infini-gram with its own max_clause_freq of 50,000: frequent clauses are sampled
    unsampled        infini-gram with a limit that no clause reaches
    apart            its rule on documents that lie far apart: no neighbour is sought beyond the end of a document
    exact            corver: the window is measured from the rarest word, not from the nearest end of what was matched

"apart" is computed here from the positions. The same code on documents that lie as they do must give "unsampled" query
by query, and the definition on positions "exact"; the last lines say whether it does. Clauses are handed over in
alphabetical order, which is how corver decides which of two equally rare words is the anchor.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from against_infinigram import build_infini_gram, infini_gram_python, wikipedia
from common import pair_queries, print_table, question_queries
from numpy.typing import NDArray

from corver.index import Index, build_index
from corver.reward.levels import PAPER_LEVELS

WINDOW = 1000
SIZES = (2, 3, 4)
SAMPLED_ABOVE = 50_000
ABSENT = 65_000  # a token that stands nowhere
Positions = dict[int, NDArray[np.int64]]


def choose(paths: Sequence[Path], questions: Sequence[Path], each: int) -> list[list[str]]:
    """`each` distinct queries of every size, alphabetical inside."""
    found = [q for path in paths for q in pair_queries(path)] + [
        q for path in questions for q in question_queries(path)
    ]
    distinct = sorted({tuple(sorted(query)) for query in found})
    rng = random.Random(7)
    chosen = []
    for size in SIZES:
        pool = [list(query) for query in distinct if len(query) == size]
        chosen += rng.sample(pool, min(each, len(pool)))
    return chosen


def renumbered(
    chosen: Sequence[Sequence[str]], ids: NDArray[np.int64], names: Sequence[str]
) -> tuple[NDArray[np.int64], list[list[int]], list[str]]:
    """(tokens, queries, words) in 16 bits, which is what infini-gram takes: words of the queries keep a number each.

    All other words share 0.
    """
    number = {name: n for n, name in enumerate(names)}
    used = sorted({word for query in chosen for word in query if word in number})
    renumber = np.zeros(len(names), dtype=np.int64)
    renumber[[number[word] for word in used]] = np.arange(1, len(used) + 1)
    token = dict(zip(used, range(1, len(used) + 1), strict=True))
    return renumber[ids], [[token.get(word, ABSENT) for word in query] for query in chosen], used


def positions_of(tokens: NDArray[np.int64], starts: NDArray[np.int64], apart: int) -> Positions:
    """Ascending positions of every token above 0 in a stream with `apart` separators before each document."""
    where = np.flatnonzero(tokens)
    document = np.searchsorted(starts, where, side="right")
    order = np.argsort(tokens[where], kind="stable")
    numbers, first = np.unique(tokens[where][order], return_index=True)
    parts = np.split((where + apart * document)[order], first[1:])
    return dict(zip(numbers.tolist(), parts, strict=True))


def chained(query: Sequence[int], positions: Positions, bounds: NDArray[np.int64]) -> int:
    """infini-gram's count of a conjunction. bounds: first position of each document."""
    none = np.empty(0, dtype=np.int64)
    clauses = sorted((positions.get(word, none) for word in query), key=len)
    low = high = clauses[0]
    if not low.size:
        return 0
    for found in clauses[1:]:
        before = np.searchsorted(found, high, side="left") - 1
        after = np.searchsorted(found, low, side="left")
        left = np.minimum(low, found[np.maximum(before, 0)])
        right = np.maximum(high, found[np.minimum(after, found.size - 1)])
        near_left = (before >= 0) & (left + WINDOW >= low)
        near_right = (after < found.size) & (right <= high + WINDOW)
        kept = near_left | near_right
        low, high = np.where(near_left, left, low)[kept], np.where(near_right, right, high)[kept]
    inside = np.searchsorted(bounds, low, side="right") == np.searchsorted(bounds, high, side="right")
    return int(inside.sum())


def defined(query: Sequence[int], apart: Positions) -> int:
    """The count by its definition, on documents that lie far apart."""
    none = np.empty(0, dtype=np.int64)
    anchor, *others = sorted((apart.get(word, none) for word in query), key=len)
    for found in others if anchor.size else []:
        near = np.searchsorted(found, anchor - WINDOW, side="left") < np.searchsorted(
            found, anchor + WINDOW, side="right"
        )
        anchor = anchor[near]
    return int(anchor.size)


def infini_gram(python: str, folder: Path, queries: Sequence[Sequence[int]], limit: int) -> tuple[NDArray, NDArray]:
    """(counts, approx) by the engine itself."""
    task = {"index": str(folder), "eos": 0, "window": WINDOW, "passes": 0, "max_clause_freq": limit, "queries": queries}
    worker = Path(__file__).with_name("infinigram_worker.py")
    answer = subprocess.run([python, worker], input=json.dumps(task), capture_output=True, text=True, check=True)
    found = json.loads(answer.stdout)
    return np.array(found["counts"]), np.array(found["approx"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="both indexes are kept here")
    parser.add_argument("--parquet", type=Path, nargs="+", required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--questions", type=Path, nargs="*", default=[])
    parser.add_argument("--infini-gram-python")
    parser.add_argument("--each", type=int, default=2000, help="queries of each size")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    python = options.infini_gram_python or infini_gram_python(options.work)
    chosen = choose(options.pairs, options.questions, options.each)
    shards, ids, starts, names = wikipedia(options.parquet)
    tokens, queries, used = renumbered(chosen, ids, names)
    theirs = options.work / f"infini-gram-{hashlib.sha256(' '.join(used).encode()).hexdigest()[:12]}"
    if not theirs.exists():
        build_infini_gram(python, theirs, tokens, starts)
    ours = options.work / "corver-wikipedia"
    if not ours.exists():
        build_index(shards, ours, store_text=False)
    ladder = {}
    ladder["default"], approx = infini_gram(python, theirs, queries, SAMPLED_ABOVE)
    ladder["unsampled"], _ = infini_gram(python, theirs, queries, 1 << 40)
    lying = positions_of(tokens, starts[:-1], 1)
    apart = positions_of(tokens, starts[:-1], 10 * WINDOW)
    bounds = [starts[:-1] + gap * np.arange(1, starts.size) for gap in (1, 10 * WINDOW)]
    ladder["apart"] = np.array([chained(query, apart, bounds[1]) for query in queries])
    with Index.open(ours) as index:
        ladder["exact"] = index.count_prepared(index.prepare(chosen), window=WINDOW)
        above = int((ladder["exact"] > 0).sum())
        print(f"{len(queries):,} queries, {above:,} above 0, {index.words / 1e6:.1f} M words, window {WINDOW}")
    report(chosen, ladder)
    report_samples(queries, apart, approx, ladder)
    emulated = np.array([chained(query, lying, bounds[0]) for query in queries])
    by_definition = np.array([defined(query, apart) for query in queries])
    print(f"\nits rule on positions gives its unsampled count: {(emulated == ladder['unsampled']).sum():,} queries")
    print(f"the definition on positions gives corver's count: {(by_definition == ladder['exact']).sum():,} queries")


def report(chosen: Sequence[Sequence[str]], ladder: dict[str, NDArray]) -> None:
    """Shares of queries whose count, or level, two rungs of the ladder put differently."""
    steps = [
        ("all together", "default", "exact"),
        ("sampling", "default", "unsampled"),
        ("document boundary", "unsampled", "apart"),
        ("chained window", "apart", "exact"),
    ]
    sizes = np.array([len(query) for query in chosen])
    levels = {name: np.digitize(counts, PAPER_LEVELS.thresholds) for name, counts in ladder.items()}
    rows = []
    for size in (*SIZES, None):
        mine = np.ones(sizes.size, dtype=bool) if size is None else sizes == size
        for name, theirs, right in steps:
            change = levels[theirs][mine] - levels[right][mine]
            shares = [(ladder[theirs][mine] != ladder[right][mine]), change != 0, change > 0, change < 0]
            far = np.abs(change) > 1
            rows.append([size or "all", int(mine.sum()), name, *(f"{share.mean():.2%}" for share in [*shares, far])])
    head = ["words", "queries", "because of", "other count", "other level", "higher", "lower", "by two levels or three"]
    print_table("infini-gram's count against the exact one", head, rows)


def report_samples(
    queries: Sequence[Sequence[int]], positions: Positions, approx: NDArray, ladder: dict[str, NDArray]
) -> None:
    """How often a sampled count says so."""
    most = np.array([max(positions[word].size if word in positions else 0 for word in query) for query in queries])
    present = np.array([all(word in positions for word in query) for query in queries])
    sampled = (most > SAMPLED_ABOVE) & present
    other = ladder["default"] != ladder["unsampled"]
    rows = [
        [name, int(group.sum()), int((group & other).sum()), int((group & (ladder["default"] == 0) & other).sum())]
        for name, group in (("flagged approx", sampled & approx), ("not flagged", sampled & ~approx))
    ]
    head = ["queries with a sampled clause", "queries", "other count", "0 instead of more"]
    print_table(f"sampling above {SAMPLED_ABOVE:,} occurrences of a word", head, rows)


if __name__ == "__main__":
    sys.exit(main())
