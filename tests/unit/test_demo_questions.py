"""The question set of the demo: its schema, its split and what a whole-word judge needs of its answers.

In: `corver/demo_data/questions.jsonl` as packaged. Out: assertions on the data alone. This module does not know the
judge or the trainer; it folds words by itself, so that the data is right whichever of them reads it.

`fact` is the unit of the split: rephrasings of one fact share it, and so do questions that ask for one pair from
either side ("capital of France" and "Paris is the capital of which country").
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from typing import Any

import pytest

KEYS = {"id", "question", "answers", "subject", "topic", "fact", "split"}
TRAIN_SHARE = 0.65

Row = dict[str, Any]


def words(text: str) -> tuple[str, ...]:
    """Words of `text`, folded for case and accents; thousands separators dropped."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return tuple(re.findall(r"[^\W_]+", re.sub(r"(?<=\d),(?=\d)", "", bare)))


# Words that any fluent reply may hold: as an answer, a whole-word judge would find them by accident.
COMMON_WORDS = frozenset(
    words(
        """
        a am an and are as at be been but by can d do for from had has have he her him his i if in is it its
        ll m me my no not of on or our re s she so t than that the their them then there they this to up us
        was we were what which who will with would yes you your
        """
    )
)


def stands_in(needle: tuple[str, ...], haystack: tuple[str, ...]) -> bool:
    """True when `needle` occurs in `haystack` as consecutive whole words."""
    width = len(needle)
    return any(haystack[start : start + width] == needle for start in range(len(haystack) - width + 1))


def split_of(fact: str) -> str:
    """The split of a fact: its hash, read as a number in [0, 1), against the train share."""
    digest = hashlib.sha256(fact.encode()).digest()[:8]
    return "train" if int.from_bytes(digest, "big") / 2**64 < TRAIN_SHARE else "heldout"


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    text = files("corver").joinpath("demo_data", "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_schema(rows: list[Row]) -> None:
    for row in rows:
        assert set(row) == KEYS, row
        strings = [row[key] for key in sorted(KEYS - {"answers"})] + row["answers"]
        assert all(isinstance(value, str) and value and value == value.strip() for value in strings), row
        assert isinstance(row["answers"], list), row
        assert row["answers"], row
        assert re.fullmatch(r"[a-z0-9]+(-[^\W_]+)+", row["id"]), row
        assert re.fullmatch(r"[a-z-]+:\S+", row["fact"]), row
        assert row["id"].startswith(row["topic"] + "-"), row
        assert row["split"] in ("train", "heldout"), row


def test_ids_and_questions_are_unique(rows: list[Row]) -> None:
    assert not [key for key, n in Counter(row["id"] for row in rows).items() if n > 1]
    assert not [key for key, n in Counter(words(row["question"]) for row in rows).items() if n > 1]


def test_questions_are_short_and_open(rows: list[Row]) -> None:
    for row in rows:
        asked = words(row["question"])
        assert row["question"].endswith("?"), row
        assert 3 <= len(asked) <= 22, row
        assert asked[0] not in {"is", "are", "was", "were", "do", "does", "did", "can", "has", "have"}, row


def test_answers_suit_a_whole_word_judge(rows: list[Row]) -> None:
    for row in rows:
        forms = [words(answer) for answer in row["answers"]]
        assert all(forms), row
        assert len(set(forms)) == len(forms), row
        assert len(row["answers"][0].split()) <= 3, row
        assert words(row["subject"]) not in forms, row
        assert not [form for form in forms if len(form) == 1 and form[0] in COMMON_WORDS], row


def test_no_answer_stands_in_its_question(rows: list[Row]) -> None:
    given_away = [
        (row["id"], answer)
        for row in rows
        for answer in row["answers"]
        if stands_in(words(answer), words(row["question"]))
    ]
    assert given_away == []


def test_split_follows_the_hash_of_the_fact(rows: list[Row]) -> None:
    assert [row["id"] for row in rows if row["split"] != split_of(row["fact"])] == []
    share = sum(row["split"] == "train" for row in rows) / len(rows)
    assert abs(share - TRAIN_SHARE) < 0.03


def test_a_pair_asked_from_either_side_is_one_fact(rows: list[Row]) -> None:
    facts_of_pair: dict[frozenset[tuple[str, ...]], set[str]] = defaultdict(set)
    for row in rows:
        for answer in row["answers"]:
            facts_of_pair[frozenset((words(row["subject"]), words(answer)))].add(row["fact"])
    assert {pair: facts for pair, facts in facts_of_pair.items() if len(facts) > 1} == {}


def test_counts(rows: list[Row]) -> None:
    topics = Counter(row["topic"] for row in rows)
    assert len(rows) >= 900
    assert len(topics) >= 25
    assert max(topics.values()) <= 0.15 * len(rows)
    assert len(rows) - len({row["fact"] for row in rows}) <= 0.15 * len(rows)
    for split in ("train", "heldout"):
        assert {row["topic"] for row in rows if row["split"] == split} == set(topics)
