"""How many sentences a second one core splits, extracts and scores.

    python benchmarks/scoring.py [TEXTS] [--index DIR]

TEXTS: one text a line; the example sentences of the tests when it is left out. Without an index the counts cost
nothing, so that "score" shows what scoring itself costs. With one, `profile` support is timed too: "cold" is its first
round, in which every subject and every detail is looked up for the first time. Times are CPU time, the best of five
rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from corver.extract.rules import RulesExtractor
from corver.reward.scorer import Scorer
from corver.text.sentences import split_sentences
from corver.types import Count, Counter, Passage, Query

EXAMPLES = Path(__file__).parents[1] / "tests" / "golden" / "pairs.txt"


class FreeIndex:
    """Counts 1 for every query at no cost."""

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        return [Count(1, False, "") for _ in queries]

    def fingerprint(self) -> str:
        return "free"


def seconds(work: Callable[[], object]) -> float:
    """CPU time of the fastest of five rounds; the first round warms up."""
    work()
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def read_texts(path: Path | None) -> list[str]:
    if path is not None:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return [line.split("|")[0].strip() for line in lines if line and not line.startswith("##")] * 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="?", type=Path)
    parser.add_argument("--index", type=Path)
    arguments = parser.parse_args()
    texts = read_texts(arguments.texts)
    passages = [Passage(tuple(span.of(text) for span in split_sentences(text))) for text in texts]
    sentences = sum(len(passage.sentences) for passage in passages)
    extractor = RulesExtractor()
    index: Counter = FreeIndex()
    if arguments.index is not None:
        from corver.index import Index

        index = Index.open(arguments.index)
    scorer = Scorer(index=index, extractor=extractor)
    characters = sum(len(sentence) for passage in passages for sentence in passage.sentences)
    print(f"{len(texts)} texts, {sentences} sentences, {characters / max(1, sentences):.0f} characters a sentence")
    rows: list[tuple[str, Callable[[], object]]] = [
        ("split", lambda: [split_sentences(text) for text in texts]),
        ("extract", lambda: extractor.extract(passages)),
        ("score", lambda: scorer.score_texts(texts)),
    ]
    if arguments.index is not None:
        profile = Scorer(index=index, support="profile")
        profile.score("Marie Curie was born in Warsaw.")  # loads the compiled kernels
        started = time.process_time()
        profile.score_texts(texts)
        print(f"{'profile, cold':14} {sentences / (time.process_time() - started):10,.0f} sentences/s")
        rows.append(("profile", lambda: profile.score_texts(texts)))
    for name, work in rows:
        print(f"{name:14} {sentences / seconds(work):10,.0f} sentences/s")


if __name__ == "__main__":
    main()
