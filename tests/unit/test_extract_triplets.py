"""Answers of language models, as they come: valid, repaired, broken off, and beyond repair."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corver.errors import ExtractionError
from corver.extract.triplets import Triplet, Triplets, read_triplets

CURIE = ("Marie Curie", "born in", "Warsaw")


def found(answer: str, *, cut: bool = False) -> list[tuple[str, str, str]]:
    return [tuple(triplet) for triplet in read_triplets(answer, cut=cut).found]


@pytest.mark.parametrize(
    "answer",
    [
        '[["Marie Curie", "born in", "Warsaw"]]',
        ' [["Marie Curie","born in","Warsaw"]]\n',
        "[['Marie Curie', 'born in', 'Warsaw']]",
        "[('Marie Curie', 'born in', 'Warsaw')]",
        "[[“Marie Curie”, “born in”, “Warsaw”]]",
        "[[Marie Curie, born in, Warsaw]]",
        '["Marie Curie", "born in", "Warsaw"]',
        '[["Marie Curie", "born in", "Warsaw"],]',
        '[["Marie Curie", "born in", "Warsaw"]',
        '[["Marie Curie", "born in", ""Warsaw""]]',
        '[["Marie Curie", "born in", ["Warsaw"]]]',
        '[{"head": "Marie Curie", "relation": "born in", "tail": "Warsaw"}]',
        'Sure! Here is [1] list:\n```json\n[["Marie Curie", "born in", "Warsaw"]]\n```\nAnything else?',
        '<think>[["Pierre", "is", "no"]]</think>\n[["Marie Curie", "born in", "Warsaw"]]',
        '[["Marie Curie", "born in", "Warsaw"]]\n\nSentence:Next.\nentities:\n[["A", "b", "C"]]',
    ],
)
def test_one_triplet_however_it_is_written(answer: str) -> None:
    assert read_triplets(answer) == Triplets((Triplet(*CURIE),))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[]", []),
        ("[ ]", []),
        ("There is nothing to extract: []", []),
        ('[["Guns N\' Roses", "released", "Appetite, for [Destruction]"]]',
         [("Guns N' Roses", "released", "Appetite, for [Destruction]")]),
        ("[['Guns N' Roses', 'released', 'Lies'], ['The Boys' Club', 'is in', 'New York, NY']]",
         [("Guns N' Roses", "released", "Lies"), ("The Boys' Club", "is in", "New York, NY")]),
        ('[["Bob", "said \\"hi\\" to", "O\'Neal"]]', [("Bob", 'said "hi" to', "O'Neal")]),
        ("[['Bob', 'wrote', 'Bob\\'s \"Songs\"']]", [("Bob", "wrote", "Bob's \"Songs\"")]),
        ('[["The song "Polly"", "is by", "Nirvana"]]', [('The song "Polly"', "is by", "Nirvana")]),
        ('[["a", "r", ["b", "c"]]]', [("a", "r", "b"), ("a", "r", "c")]),
        ('[["Apollo 11", "landed in", 1969], ["x", "is", 3.5]]',
         [("Apollo 11", "landed in", "1969"), ("x", "is", "3.5")]),
        ("[['\\u0141\\u00f3d\\u017a', 'is \\ud83e\\udd23', '\\ud83e']]", [("Łódź", "is 🤣", "\ufffd")]),
        ('["a", "r", "b"]\n["c", "s", "d"]', [("a", "r", "b"), ("c", "s", "d")]),
        ('[["\\u0141\\u00f3d\\u017a", "liegt in", "Polen"]]', [("Łódź", "liegt in", "Polen")]),
        ('[["", "r", "b"]]', [("", "r", "b")]),
    ],
)  # fmt: skip
def test_quotes_brackets_commas_and_numbers(answer: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(answer) == expected
    assert not read_triplets(answer).cut


@pytest.mark.parametrize(
    "rest",
    ['["d', '["d", "e", "f', '["d", "e", "f"', '["d", "e", ["f"', "[", '["d", "e', '["d"]'[:-1], "'d", '"d'],
)
def test_an_answer_that_breaks_off_keeps_what_was_whole(rest: str) -> None:
    assert read_triplets(f'[["a", "b", "c"], {rest}', cut=True) == Triplets((Triplet("a", "b", "c"),), cut=True)


def test_a_break_shows_without_being_told() -> None:
    assert read_triplets('[["a", "b", "c"], ["d", "e').cut
    assert read_triplets('[["a", "b", "c"], ["d", ["e"]').cut


def test_only_a_missing_bracket_is_no_break() -> None:
    assert not read_triplets('[["a", "b", "c"]').cut
    assert read_triplets('[["a", "b", "c"]', cut=True).cut


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "no list"),
        ("none", "no list"),
        ("Marie Curie was born in Warsaw.", "no list"),
        ('[["a", "b"]]', "2 parts"),
        ('[["a", "b", "c", "d"]]', "4 parts"),
        ('[["a", "b"], ["c", "r", "d"]]', "2 parts"),
        ('[["c", "r", "d"], ["a"]]', "1 parts"),
        ('[["a", "b", null]]', "no text"),
        ('[["a", "b", true]]', "no text"),
        ('[["a", "b", {"c": "d"}]]', "no text"),
        ('["a", "b"]', "2 parts"),
        ('["a", "r", "b"], ["c"]', "^the model's answer holds a triplet of 1 parts"),
        ('[["a", "b", "c"], "d"]', "no triplet"),
        ("[[", "breaks off"),
        ('[["a", "b', "breaks off"),
        ('[["a", "b", "c"', "breaks off"),
        ("[" * 5000, "breaks off"),
        ("[" * 5000 + "]" * 5000, "parts|no triplet"),
        ('{"head": "a"}', "no list"),
    ],
)
def test_what_cannot_be_read_is_an_error_in_one_line(answer: str, fault: str) -> None:
    for cut in (False, True):
        with pytest.raises(ExtractionError, match=fault) as caught:
            read_triplets(answer, cut=cut)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


def test_nothing_is_evaluated() -> None:
    with pytest.raises(ExtractionError):
        read_triplets("[__import__('os').getcwd()]")


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"“”‘’'), max_size=12).map(str.strip)
TRIPLETS = st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5)


@given(TRIPLETS, st.sampled_from(["", "Here you are:\n", "```json\n"]), st.sampled_from(["", "\n```", "\nSentence:x"]))
def test_json_comes_back_whole_in_any_prose(triplets: list[tuple[str, str, str]], before: str, after: str) -> None:
    for ascii_only in (True, False):
        answer = before + json.dumps(triplets, ensure_ascii=ascii_only) + after
        assert found(answer) == [tuple(_bare(part) for part in triplet) for triplet in triplets]


def _bare(part: str) -> str:
    return part[1:-1].strip() if len(part) > 1 and part[0] == part[-1] == "'" else part


@given(TRIPLETS.filter(bool), st.data())
def test_a_cut_answer_never_invents_a_triplet(triplets: list[tuple[str, str, str]], data: st.DataObject) -> None:
    answer = json.dumps(triplets)
    place = data.draw(st.integers(0, len(answer) - 1))
    try:
        read = read_triplets(answer[:place], cut=True)
    except ExtractionError:
        return
    whole = [tuple(_bare(part) for part in triplet) for triplet in triplets]
    assert [tuple(triplet) for triplet in read.found] == whole[: len(read.found)]
    assert read.found
    assert read.cut


PIECES = st.sampled_from(
    ["[", "]", '"', "'", ",", ", ", "\\", "{", "}", "“", "”", "a", "b c", "1", "null", "\n", "(", ")", ":"]
)


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=40), st.booleans())
@example("[(])", False)
@example('["\\', True)
def test_any_answer_is_read_or_refused(answer: str, cut: bool) -> None:
    try:
        read = read_triplets(answer, cut=cut)
    except ExtractionError:
        return
    assert all(isinstance(part, str) for triplet in read.found for part in triplet)


@pytest.mark.parametrize("piece", ["[", '["', "[]", '["a","b","c"],', "['a' 'b',", "[1] ", '"', "\\", "(["])
def test_monstrous_answers_cost_little(piece: str) -> None:
    started = time.process_time()
    try:
        read_triplets(piece * 20_000, cut=True)
        read_triplets("[[" + piece * 20_000, cut=True)
    except ExtractionError:
        pass
    assert time.process_time() - started < 2.0
