"""Counts of the engine against counts made by looking at every position of fuzzed corpora."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index_oracle import MemoryShard, true_count

from corver.index import Index, build_index
from corver.text.words import words
from corver.types import AnyOf, Clause, Phrase

VOCABULARY = ["the", "of", "and", *(f"w{i}" for i in range(60)), "éclair", "3.14", "1000"]
WINDOWS = (0, 1, 2, 7, 40, 300, 1000, 100_000)


def fuzzed_texts(seed: int, documents: int, longest: int) -> list[str]:
    """Texts of very unequal lengths over a skewed vocabulary; some are empty, one is long."""
    rng = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    sizes = [min(longest, int(rng.paretovariate(0.9) * 6) - 6) for _ in range(documents - 1)] + [longest]
    return [" ".join(rng.choices(VOCABULARY, weights, k=max(0, size))) for size in sizes]


def random_query(rng: random.Random) -> list[Clause]:
    """One to four clauses of every kind, with words that no document has among them."""

    def word() -> str:
        return "absent" if rng.random() < 0.02 else rng.choice(VOCABULARY)

    def clause() -> Clause:
        kind = rng.random()
        if kind < 0.75:
            return word()
        if kind < 0.9:
            return Phrase(tuple(word() for _ in range(rng.randint(2, 3))))
        return AnyOf(tuple(rng.choice([word(), Phrase((word(), word()))]) for _ in range(rng.randint(1, 3))))

    return [clause() for _ in range(rng.randint(1, 4))]


@pytest.mark.parametrize("store_text", [True, False])
def test_counts_equal_the_oracle(tmp_path: Path, store_text: bool) -> None:
    rng = random.Random(store_text)
    texts = fuzzed_texts(seed=3, documents=700, longest=2500)
    documents = [words(text) for text in texts]
    build_index([MemoryShard(texts)], tmp_path / "index", store_text=store_text)
    with Index.open(tmp_path / "index") as index:
        for window in WINDOWS:
            queries = [random_query(rng) for _ in range(12)]
            counts = index.count_many(queries, window=window)
            truth = [true_count(query, documents, window) for query in queries]
            assert [(count.value, count.anchor) for count in counts] == truth
            assert not any(count.capped for count in counts)
            for cap in (1, 20):
                capped = index.count_many(queries, window=window, cap=cap)
                assert [count.value for count in capped] == [min(cap, value) for value, _ in truth]
                assert [count.capped for count in capped] == [value >= cap for value, _ in truth]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["a", "the", "b", "c", "d", "É"]), max_size=12).map(" ".join), min_size=1, max_size=9
    ),
    query=st.lists(st.sampled_from(["a", "the", "b", "c", "d", "e", "zz"]), min_size=1, max_size=3),
    window=st.integers(0, 14),
)
def test_small_corpora(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: list[str], window: int
) -> None:
    folder = tmp_path_factory.mktemp("small")
    build_index([MemoryShard(texts)], folder)
    with Index.open(folder) as index:
        count = index.count(query, window=window)
    assert (count.value, count.anchor) == true_count(query, [words(text) for text in texts], window)


@settings(max_examples=20, deadline=None)
@given(st.permutations(["w1", "w5", "w9", "of"]), st.sampled_from(WINDOWS))
def test_order_and_repetition_do_not_matter(fuzzed: Index, query: list[str], window: int) -> None:
    first = fuzzed.count(sorted(query), window=window)
    assert fuzzed.count(query, window=window) == first
    assert fuzzed.count([*query, query[0]], window=window) == first


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("fuzzed")
    build_index([MemoryShard(fuzzed_texts(seed=5, documents=300, longest=900))], folder)
    return Index.open(folder)


def test_threads_agree(fuzzed: Index) -> None:
    rng = random.Random(8)
    queries = [[rng.choice(VOCABULARY) for _ in range(rng.randint(1, 3))] for _ in range(3000)]
    one = fuzzed.count_many(queries, window=30, cap=20, threads=1)
    assert fuzzed.count_many(queries, window=30, cap=20, threads=4) == one


def test_many_documents_use_every_part_of_a_bitmap(tmp_path: Path) -> None:
    rng = random.Random(12)
    texts = [" ".join(rng.sample(VOCABULARY[3:23], rng.choice([1, 2, 3, 6, 12]))) for _ in range(9000)]
    documents = [words(text) for text in texts]
    build_index([MemoryShard(texts, batch=3000)], tmp_path)
    with Index.open(tmp_path) as index:
        for window in (0, 1, 4, 100):
            queries = [rng.sample(VOCABULARY[3:23], rng.randint(2, 4)) for _ in range(5)]
            truth = [true_count(query, documents, window) for query in queries]
            assert [(count.value, count.anchor) for count in index.count_many(queries, window=window)] == truth
            capped = [count.value for count in index.count_many(queries, window=window, cap=20)]
            assert capped == [min(20, value) for value, _ in truth]
