"""What the benchmarks share: corpora, query mixes, timing, tables. Every script prints one table and its settings."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import DocumentBatch, ReadReport
from corver.text.stopwords import STOPWORDS
from corver.text.words import words


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table in Markdown."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(head), *cells]) for i in range(len(head))]
    print(f"\n{title}\n")
    for row in [list(head), ["-" * width for width in widths], *cells]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")


def best_of(
    passes: int, action: Callable[[], object], *, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds of each pass, ascending."""
    times = []
    for _ in range(passes):
        began = clock()
        action()
        times.append(clock() - began)
    return sorted(times)


def content_words(*texts: str) -> list[str]:
    """Distinct words of some texts that are no stop words."""
    return list(dict.fromkeys(w for text in texts for w in words(text) if w not in STOPWORDS))


def pair_queries(path: Path) -> list[list[str]]:
    """Subject and object of every line of a JSONL file with those keys, as content words, at least two."""
    queries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = content_words(row["subject"], row["object"])
        if len(found) > 1:
            queries.append(found)
    return queries


def question_queries(path: Path) -> list[list[str]]:
    """Capitalised runs of every question and its first answer, as content words, at least two."""
    queries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = row.get("answers") or row.get("answer") or [""]
        names = " ".join(word for word in row["question"].split()[1:] if word[:1].isupper())
        found = content_words(names, answers[0])
        if len(found) > 1:
            queries.append(found)
    return queries


class NumberShard:
    """Documents of synthetic words: word numbers cut at document starts, word n spelled w<n>.

    make: gives (numbers, starts); called when the shard is read, so that a corpus is never in memory whole.
    """

    def __init__(self, make: Callable[[], tuple[NDArray[np.int64], NDArray[np.int64]]], words: int, name: str) -> None:
        self._make, self.name = make, name
        self.bytes = 6 * words

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        ids, starts = self._make()
        spelled = np.array([f"w{n} ".encode() for n in range(int(ids.max()) + 1)])
        lengths = np.char.str_len(spelled)
        step = 2000
        for first in range(0, starts.size - 1, step):
            bounds = starts[first : first + step + 1]
            chunk = ids[bounds[0] : bounds[-1]]
            text = np.frombuffer(b"".join(spelled[chunk].tolist()), dtype=np.uint8)
            ends = np.concatenate(([0], np.cumsum(lengths[chunk])))
            count = bounds.size - 1
            report.documents += count
            yield DocumentBatch(text, ends[bounds - bounds[0]].astype(np.int64), [""] * count, [""] * count)


def zipf_shards(size: int, *, vocabulary: int, piece: int = 4_000_000) -> list[NumberShard]:
    """A synthetic corpus of `size` words in shards of `piece` words, each made when it is read."""
    sizes = [min(piece, size - start) for start in range(0, size, piece)]
    return [
        NumberShard(lambda n=n, seed=seed: zipf_corpus(n, vocabulary=vocabulary, seed=seed), n, f"synthetic {seed}")
        for seed, n in enumerate(sizes)
    ]


def zipf_corpus(size: int, *, vocabulary: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(word numbers, document starts): Zipf's law with exponent 1, log-normal document lengths of mean 400.

    A quarter of the words of a document come from a topic, a band of 200 neighbouring words, so that words co-occur.
    """
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, vocabulary + 1)
    cumulative = np.cumsum(weights / weights.sum())
    ids = np.searchsorted(cumulative, rng.random(size)).astype(np.int64)
    lengths = np.maximum(5, rng.lognormal(5.5, 1.0, size // 250).astype(np.int64))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    starts = np.append(starts[starts < size], size)
    topics = rng.integers(0, vocabulary - 200, starts.size - 1)
    topical = rng.random(size) < 0.25
    band = np.repeat(topics, np.diff(starts)) + rng.integers(0, 200, size)
    return np.where(topical, band, ids), starts
