"""Random queries on many fuzzed corpora against counts made by looking at every position: how many differ.

python benchmarks/oracle.py [--queries 100000] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from common import print_table

from corver.index import Index, add_segment, build_index
from corver.text.words import words
from corver.types import AnyOf, Clause, Phrase

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracle"))

from index_oracle import MemoryShard, true_count

EACH = 400  # queries a corpus
WORDS = ["the", "of", "and", "éa", "3.5", "1,000", *(f"w{i}" for i in range(40))]


def fuzzed(rng: random.Random, chosen: list[str]) -> list[str]:
    """A corpus of 1 to 150 documents over some words; some documents are empty, one may be long."""
    weights = [rng.random() ** 3 + 0.001 for _ in chosen]
    sizes = [rng.choice([0, 1, 3, 10, 30, 80]) for _ in range(rng.choice([1, 5, 20, 50, 150]))]
    return [" ".join(rng.choices(chosen, weights, k=size)) for size in [*sizes, rng.choice([5, 500])]]


def random_clause(rng: random.Random, chosen: list[str]) -> Clause:
    kind = rng.random()
    if kind < 0.75:
        return rng.choice(chosen)
    if kind < 0.9:
        return Phrase(tuple(rng.choices(chosen, k=rng.randint(2, 3))))
    return AnyOf(tuple(rng.choices([*chosen, Phrase(tuple(rng.choices(chosen, k=2)))], k=rng.randint(1, 3))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    done = different = zero = corpora = 0
    while done < options.queries:
        corpora += 1
        chosen = rng.sample(WORDS, rng.randint(2, len(WORDS)))
        texts = fuzzed(rng, chosen)
        asked = [*chosen, rng.choice(WORDS)]
        documents = [words(text) for text in texts]
        with tempfile.TemporaryDirectory() as folder:
            cut = rng.randint(1, len(texts))
            build_index([MemoryShard(texts[:cut])], folder, store_text=rng.random() < 0.7)
            if cut < len(texts):
                add_segment([MemoryShard(texts[cut:])], folder)
            with Index.open(folder) as index:
                window, cap = rng.choice([0, 1, 2, 5, 20, 60, 1000]), rng.choice([None, 1, 20])
                queries = [[random_clause(rng, asked) for _ in range(rng.randint(1, 4))] for _ in range(EACH)]
                for query, count in zip(queries, index.count_many(queries, window=window, cap=cap), strict=True):
                    value, anchor = true_count(query, documents, window)
                    value = value if cap is None else min(value, cap)
                    different += (count.value, count.anchor) != (value, anchor)
                    zero += value == 0
        done += EACH
    head = ["corpora", "queries", "of them 0", "different"]
    print_table("counts and anchors against the oracle", head, [[corpora, done, zero, different]])
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
