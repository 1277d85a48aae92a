"""corver against infini-gram 2.6.0: the same tokens, the same queries, one run, one table.

    python benchmarks/against_infinigram.py --work DIR [--words 80000000 | --parquet FILE …] [--infini-gram-python PY]

Without --infini-gram-python a virtual environment with infini-gram==2.6.0 is made in DIR. Both engines count warm;
a query's time is the median of its passes. corver's short ones are measured inside one call (the query repeated), since
the Python around a call takes ten times longer than they do; the table shows the time of a single call as well.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np
from common import NumberShard, print_table, zipf_corpus
from numpy.typing import NDArray

from corver.corpus.document import ReadReport
from corver.index import Index, build_index
from corver.text.stopwords import FUNCTION_WORDS

WINDOW = 1000
REPEAT = 16
CLASSES = {"rare": (20, 200), "medium": (200, 5_000), "frequent": (20_000, 10**9)}
LEVELS = (1, 5, 20)


def infini_gram_python(work: Path) -> str:
    place = work / "infini-gram-venv"
    if not (place / "bin" / "python").exists():
        venv.create(place, with_pip=True)
        subprocess.run([place / "bin" / "python", "-m", "pip", "install", "-q", "infini-gram==2.6.0"], check=True)
    return str(place / "bin" / "python")


def wikipedia(paths: list[Path]) -> tuple[list, NDArray[np.int64], NDArray[np.int64], list[str]]:
    """(shards, word numbers, document starts, words) of parquet files."""
    from corver.corpus.opening import open_corpus
    from corver.index.tokenizer import Vocabulary

    shards = list(open_corpus([str(path) for path in paths]).shards())
    vocabulary = Vocabulary()
    pieces, lengths = [], []
    for shard in shards:
        for batch in shard.batches(ReadReport()):
            found, sizes = vocabulary.tokenize(batch)
            pieces.append(found.copy())
            lengths.append(sizes)
    starts = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    names = [vocabulary.word(number) for number in range(vocabulary.count)]
    return shards, np.concatenate(pieces).astype(np.int64), starts, names


def choose_queries(counts: NDArray[np.int64], names: list[str], each: int) -> list[tuple[str, int, list[int]]]:
    """(class, size, word numbers): `each` queries of 2, 3 and 4 words of every class, and mixed ones."""
    rng = np.random.default_rng(7)
    content = np.array([name not in FUNCTION_WORDS for name in names])
    pools = {name: np.flatnonzero((counts >= low) & (counts < high) & content) for name, (low, high) in CLASSES.items()}
    pools["mixed"] = np.concatenate([rng.choice(pool, min(400, pool.size), replace=False) for pool in pools.values()])
    return [
        (name, size, rng.choice(pool, size, replace=False).tolist())
        for name, pool in pools.items() for size in (2, 3, 4) for _ in range(each)
    ]  # fmt: skip


def build_infini_gram(python: str, folder: Path, ids: NDArray[np.int64], starts: NDArray[np.int64]) -> float:
    """Write word numbers below 65,535 in its own file format and build its suffix array; seconds."""
    folder.mkdir(parents=True)
    tokens = np.insert(ids.astype(np.uint16), starts[:-1], 0xFFFF)
    tokens.tofile(folder / "tokenized.0")
    (2 * (starts[:-1] + np.arange(starts.size - 1))).astype(np.uint64).tofile(folder / "offset.0")
    began = time.perf_counter()
    subprocess.run(
        [python, "-m", "infini_gram.indexing", "--data_dir", str(folder), "--save_dir", str(folder),
         "--token_dtype", "u16", "--cpus", "2", "--mem", "8", "--ulimit", "4096"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - began


def time_call(index: Index, query: list[str], repeat: int, cap: int | None, passes: int) -> float:
    """Median seconds a query of a call that asks it `repeat` times."""
    prepared = index.prepare([query] * repeat)
    index.count_prepared(prepared, window=WINDOW, cap=cap, threads=1)
    times = []
    for _ in range(passes):
        began = time.perf_counter()
        index.count_prepared(prepared, window=WINDOW, cap=cap, threads=1)
        times.append((time.perf_counter() - began) / repeat)
    return sorted(times)[passes // 2]


def time_corver(
    index: Index, queries: list[list[str]], cap: int | None, passes: int
) -> tuple[list[float], list[float]]:
    """Seconds of each query inside a call, and as a call of its own."""
    inside, alone = [], []
    for query in queries:
        alone.append(time_call(index, query, 1, cap, passes))
        short = alone[-1] < 100e-6  # then the Python around the count would be most of it
        inside.append(time_call(index, query, REPEAT, cap, passes) if short else alone[-1])
    return inside, alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--words", type=int, default=80_000_000)
    parser.add_argument("--parquet", type=Path, nargs="*")
    parser.add_argument("--infini-gram-python")
    parser.add_argument("--each", type=int, default=20, help="queries of each class and size")
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    python = options.infini_gram_python or infini_gram_python(options.work)
    if options.parquet:
        shards, ids, starts, names = wikipedia(options.parquet)
        label = "wikipedia"
    else:
        ids, starts = zipf_corpus(options.words, vocabulary=60_000)
        names = [f"w{n}" for n in range(60_000)]
        label = f"zipf-{options.words}"
        shards = [NumberShard(lambda: (ids, starts), ids.size, label)]
    counts = np.bincount(ids, minlength=len(names))
    chosen = choose_queries(counts, names, options.each)
    # infini-gram takes 16-bit numbers: words of the queries keep one each, all others share one.
    used = sorted({word for _, _, query in chosen for word in query})
    renumber = np.zeros(len(names), dtype=np.int64)
    renumber[used] = np.arange(1, len(used) + 1)
    theirs = options.work / f"infini-gram-{label}"
    built = build_infini_gram(python, theirs, renumber[ids], starts) if not theirs.exists() else None
    ours = options.work / f"corver-{label}"
    if not ours.exists():
        build_index(shards, ours, memory=4 << 30)
    task = {
        "index": str(theirs), "eos": 0, "window": WINDOW, "passes": options.passes,
        "queries": [renumber[query].tolist() for _, _, query in chosen],
    }  # fmt: skip
    worker = Path(__file__).with_name("infinigram_worker.py")
    answer = subprocess.run([python, worker], input=json.dumps(task), capture_output=True, text=True, check=True)
    rival = json.loads(answer.stdout)
    with Index.open(ours) as index:
        queries = [[names[word] for word in query] for _, _, query in chosen]
        exact = index.count_prepared(index.prepare(queries), window=WINDOW)
        inside, alone = time_corver(index, queries, None, options.passes)
        capped, _ = time_corver(index, queries, 20, options.passes)
    report(chosen, np.array(rival["seconds"]), np.array(inside), np.array(alone), np.array(capped))
    report_levels(chosen, np.array(rival["counts"]), exact)
    if built is not None:
        print(f"\ninfini-gram's suffix array alone took {built:.1f} s for {ids.size / 1e6:.1f} M tokens")


def report(chosen, rival, inside, alone, capped) -> None:
    """Ratios by class and size, and over all."""
    groups = [(f"{n} {s}", [i for i, (a, b, _) in enumerate(chosen) if (a, b) == (n, s)])
              for n in (*CLASSES, "mixed") for s in (2, 3, 4)]  # fmt: skip
    rows = []
    for name, members in [*groups, ("all", list(range(len(chosen))))]:
        times = [array[members] * 1e6 for array in (rival, inside, capped, alone)]
        ratio = [np.exp(np.log(times[0] / column).mean()) for column in times[1:]]
        at99 = np.quantile(times[0], 0.99) / np.quantile(times[1], 0.99)
        rows.append([name, *(f"{np.median(t):.1f}" for t in times), *(f"{r:.0f}x" for r in ratio), f"{at99:.0f}x"])
    head = ["class, words", "infini-gram µs", "corver exact µs", "cap 20 µs", "one Python call µs",
            "exact", "cap 20", "call", "at p99"]  # fmt: skip
    print_table("median time of a query, and how many times faster (geometric mean)", head, rows)


def report_levels(chosen, rival, exact) -> None:
    """How often infini-gram's chained window puts a query on another reward level than the exact count."""
    rows = []
    for size in (2, 3, 4):
        members = [i for i, (_, s, _) in enumerate(chosen) if s == size]
        ours, theirs = (np.digitize(column[members], LEVELS) for column in (exact, rival))
        rows.append(
            [size, len(members), f"{(exact[members] != rival[members]).mean():.1%}", f"{(ours != theirs).mean():.1%}",
             f"{(theirs > ours).mean():.1%}", f"{(theirs < ours).mean():.1%}"]
        )  # fmt: skip
    head = ["words", "queries", "other count", "other level", "higher level", "lower level"]
    print_table("infini-gram's counts against the exact ones", head, rows)


if __name__ == "__main__":
    sys.exit(main())
