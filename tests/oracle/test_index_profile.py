"""Mentions, profiles and evidence against the plain reading of every document."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from index_oracle import MemoryShard, positions

from corver.errors import UsageError
from corver.index import Index, build_index
from corver.text.words import words
from corver.types import Clause, Phrase

WORDS = [*(f"w{i}" for i in range(50)), "the", "of"]
UNITS: list[Clause] = ["w3", "w17", Phrase(("w0", "w1")), "the", "absent", "w49"]


def texts(seed: int) -> list[str]:
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(WORDS))]
    return [" ".join(rng.choices(WORDS, weights, k=rng.choice([3, 30, 200, 900]))) for _ in range(150)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, list[list[str]]]:
    folder = tmp_path_factory.mktemp("profile")
    made = texts(2)
    build_index([MemoryShard(made)], folder)
    return Index.open(folder), [words(text) for text in made]


def true_mentions(subject: Sequence[str], documents: Sequence[Sequence[str]], surname: bool) -> set[tuple[int, int]]:
    places = set()
    for d, document in enumerate(documents):
        exact = positions(Phrase(tuple(subject)), document)
        places |= {(d, i) for i in exact}
        if exact and surname and len(subject) > 1:
            inside = {i + k for i in exact for k, word in enumerate(subject) if word == subject[-1]}
            places |= {(d, i) for i in positions(subject[-1], document) - inside}
    return places


def true_profile(
    mentions: set[tuple[int, int]], documents: Sequence[Sequence[str]], unit: Clause, scale: float, cut: int
) -> tuple[float, list[int]]:
    total, distances = 0.0, []
    for d, i in mentions:
        found = positions(unit, documents[d])
        if found:
            nearest = min(abs(i - j) for j in found)
            if nearest <= cut:
                total += math.exp(-nearest / scale)
                distances.append(nearest)
    return total, distances


@pytest.mark.parametrize("subject", ["w5 w9", "w2 w4", "w30", "w1 of w0", "w0 w0"])
@pytest.mark.parametrize("surname", [True, False])
def test_profile_equals_the_oracle(corpus: tuple[Index, list[list[str]]], subject: str, surname: bool) -> None:
    index, documents = corpus
    truth = true_mentions(subject.split(), documents, surname)
    mentions = index.mentions(subject, cap=10**6, surname=surname)
    assert (mentions.total, len(mentions), mentions.exact) == (len(truth), len(truth), True)
    edges = (0, 3, 10, 50, 120)
    profile = index.profile(mentions, UNITS, scale=40.0, cut=120, edges=edges)
    for u, unit in enumerate(UNITS):
        total, distances = true_profile(truth, documents, unit, 40.0, 120)
        assert profile.frequencies[u] == sum(len(positions(unit, document)) for document in documents)
        assert profile.sums[u] == pytest.approx(total)
        assert np.cumsum(profile.histogram[u]).tolist() == [sum(d <= edge for d in distances) for edge in edges]


def test_a_subject_that_never_stands_as_a_phrase_is_found_by_its_words(corpus: tuple[Index, list[list[str]]]) -> None:
    index, documents = corpus
    subject = next(
        f"{a} {b}" for a in WORDS[30:50] for b in WORDS[30:50]
        if a != b and not any(positions(f"{a} {b}", document) for document in documents)
        and any(min((abs(i - j) for i in positions(a, d) for j in positions(b, d)), default=99) < 9 for d in documents)
    )  # fmt: skip
    mentions = index.mentions(subject, cap=10**6, surname=False)
    assert not mentions.exact
    assert mentions.total == index.count(subject.split(), window=10).value > 0


def test_a_sample_is_even_and_within_the_cap(corpus: tuple[Index, list[list[str]]]) -> None:
    index, _ = corpus
    everything = index.mentions("w0", cap=10**6)
    sample = index.mentions("w0", cap=50)
    assert (sample.total, len(sample)) == (everything.total, 50)
    ranks = np.searchsorted(everything.places[0], sample.places[0])
    assert everything.places[0][ranks].tolist() == sample.places[0].tolist()
    gaps = np.diff(ranks)
    assert gaps.max() - gaps.min() <= 1


def test_a_subject_the_corpus_lacks_has_no_mention(corpus: tuple[Index, list[list[str]]]) -> None:
    index, _ = corpus
    mentions = index.mentions("nobody at all")
    assert (mentions.total, len(mentions)) == (0, 0)
    profile = index.profile(mentions, ["w1"])
    assert (profile.mentions, profile.sums[0], profile.histogram.sum()) == (0, 0.0, 0)
    assert profile.frequencies[0] > 0
    with pytest.raises(UsageError):
        index.mentions("...")


def test_evidence_shows_the_words_together(tmp_path: Path) -> None:
    build_index(
        [
            MemoryShard(
                [
                    "Nothing here.",
                    "Marie Curie — born Maria Skłodowska in Warsaw. " + "filler " * 80,
                    "Warsaw is far. " + "filler " * 300 + " Curie came later.",
                    "The Curie Institute of Warsaw.",
                ]
            )
        ],
        tmp_path,
    )
    with Index.open(tmp_path) as index:
        passages = index.evidence(["curie", "WARSAW"], n=2)
        assert [(passage.document, passage.distance) for passage in passages] == [(3, 3), (1, 5)]
        first = passages[0]
        assert [span.of(first.text) for span in first.spans] == ["Curie", "Warsaw"]
        assert index.document(1).text[passages[1].start : passages[1].end] == passages[1].text
        assert index.evidence(["curie", "absent"]) == []
        assert len(index.evidence(["curie"], n=10)) == 3
    build_index([MemoryShard(["a b"])], tmp_path / "bare", store_text=False)
    with Index.open(tmp_path / "bare") as index, pytest.raises(UsageError, match="without texts"):
        index.evidence(["a"])


def test_many_units_with_function_words_among_them(corpus: tuple[Index, list[list[str]]]) -> None:
    index, _ = corpus
    mentions = index.mentions("w5 w9")
    units = [f"w{i % 50}" for i in range(150)]
    alone = index.profile(mentions, ["the", *units[:3]])
    together = index.profile(mentions, ["the", *units])
    assert together.sums[:4].tolist() == alone.sums.tolist()
