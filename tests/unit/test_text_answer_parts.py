"""The parts of the lenient judge, each by itself."""

from __future__ import annotations

from fractions import Fraction

import pytest

from corver.text.answers.asking import read_question
from corver.text.answers.choices import same_choice
from corver.text.answers.cleaning import cleaned
from corver.text.answers.places import REGION_LEVELS, STATE_CODES, apart, country_of, names_of_countries, place_of
from corver.text.answers.quantities import total_of
from corver.text.answers.reading import gold_variants, read_answer
from corver.text.answers.refusals import is_doubt
from corver.text.answers.shortforms import is_short_for
from corver.text.words import words


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("1914-18", "1914-1918"),
        ("1999/00", "1999-2000"),
        ("2018-10", "2018-10"),
        ("2018-10-19", "2018-10-19"),
        ("2003/2004", "2003-2004"),
        ("6'2\"", "6 feet 2 inches"),
        ("6 ft 2 in tall", "6 feet 2 inches tall"),
        ("at 7:00 a.m.", "at 7 am"),
        ("7.45pm EST", "7:45 pm"),
        ("3½ miles", "3 1/2 miles"),
        ("two and a half years", "2.5 years"),
        ("a mile and a half", "1.5 miles"),
        ("half", "half"),
        ("Wow! Great", "Wow! Great"),
        ("A$AP", "AsAP"),
        ("$3m", "3 million dollars"),
    ],
)
def test_cleaned(text: str, clean: str) -> None:
    assert " ".join(cleaned(text).split()) == clean


@pytest.mark.parametrize(
    ("phrase", "country"),
    [
        ("the Kingdom of Denmark", "denmark"),
        ("Danes", "denmark"),
        ("Italian Republic", "italy"),
        ("Socialist Republic of Vietnam", "vietnam"),
        ("U.S.A.", "united states"),
        ("People's Republic of China", "china"),
        ("Republic of China", "taiwan"),
        ("Republic of Korea", "south korea"),
        ("Kingdom of Korea", None),
        ("Roman Republic", None),
        ("Republic of Letters", None),
        ("Danish Navy", None),
        ("republic", None),
    ],
)
def test_country_of(phrase: str, country: str | None) -> None:
    assert country_of(read_answer(phrase).words) == country


def test_every_name_of_a_country_is_its_country_and_a_region() -> None:
    names = names_of_countries()
    assert len(names) > 200
    for name in names:
        assert country_of(tuple(words(name))) is not None
        assert REGION_LEVELS[name] in (1, 2)


def test_cities_with_two_names() -> None:
    assert place_of(("bombay",)) == place_of(("mumbai",)) == "mumbai"
    assert place_of(("ho", "chi", "minh", "city")) == place_of(("saigon",))
    assert place_of(("london",)) is None


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("texas", "texas", False),
        ("tx", "texas", False),
        ("texas", "usa", False),
        ("texas", "ohio", True),
        ("texas", "canada", True),
        ("england", "uk", False),
        ("england", "scotland", True),
        ("usa", "united states", False),
        ("", "ohio", False),
    ],
)
def test_regions_apart(one: str, other: str, differ: bool) -> None:
    assert apart(one, other) == apart(other, one) == differ


def test_codes_that_are_common_words_are_no_states_in_a_text() -> None:
    assert STATE_CODES["tx"] == "texas"
    assert not {"in", "or", "me"} & set(STATE_CODES)


@pytest.mark.parametrize(
    ("one", "other", "short"),
    [
        ("NASA", "National Aeronautics and Space Administration", True),
        ("SD", "South Dakota", True),
        ("Sd", "South Dakota", False),
        ("UK Parliament", "Parliament of the United Kingdom", True),
        ("UK Parliament", "US Parliament", False),
        ("E. coli", "Escherichia coli", True),
        ("DNA", "deoxyribonucleic acid", True),
        ("RNA", "deoxyribonucleic acid", False),
        ("BBC", "British Broadcasting Service", False),
    ],
)
def test_short_forms(one: str, other: str, short: bool) -> None:
    assert is_short_for(read_answer(one), read_answer(other)) == short
    assert is_short_for(read_answer(other), read_answer(one)) == short


@pytest.mark.parametrize(
    ("question", "gold", "said", "same"),
    [
        ("who is older, Tim Roe or Max Poe", "Max Poe", "Max", True),
        ("who is older, Tim Roe or Max Poe", "Max Poe", "Tim", False),
        ("which sank, the ferry or the tug", "the tug boat", "tug", True),
        ("which sank, the ferry or the tug", "the tug boat", "boat", False),
        ("which sank", "the tug boat", "tug", False),
        ("which sank, the ferry or the tug", "the ferry and the tug", "ferry", False),
        ("how many, 3 or 4", "4", "4", False),
    ],
)
def test_choices(question: str, gold: str, said: str, same: bool) -> None:
    assert same_choice(read_answer(said), read_answer(gold), question) == same


def test_a_question_without_a_question_gives_no_choice() -> None:
    assert not same_choice(read_answer("tug"), read_answer("the tug boat"), None)


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("5 feet 9 inches", ("length", Fraction("1.7526"), 2)),
        ("about 1 hour 30 minutes", ("time", Fraction(5400), 2)),
        ("90 minutes", ("time", Fraction(5400), 1)),
        ("5 feet 9 pounds", None),
        ("5 feet wide 9 inches", None),
        ("37 C", None),
        ("minutes", None),
        ("", None),
    ],
)
def test_total_of(text: str, total: tuple[str, Fraction, int] | None) -> None:
    assert total_of(read_answer(text).content) == total


@pytest.mark.parametrize(
    ("gold", "shorter"),
    [
        ("Act 5 in 1902", "Act 5"),
        ("Ann Lee as Joan", "Ann Lee"),
        ("Harold II of England", "Harold II"),
        ("Tim, a sailor", "Tim"),
        ("World Food Programme (WFP)", "WFP"),
        ('Max "Ace" Poe', "Ace"),
        ("City Hall in Oslo", "City Hall"),
    ],
)
def test_golds_without_their_additions(gold: str, shorter: str) -> None:
    (found,) = [variant.text for variant in gold_variants(gold) if variant.short]
    assert found == shorter


@pytest.mark.parametrize(
    "gold",
    ["born in 1902", "Bank of England", "President of Peru", "Joan of Arc", "Death in Venice", "fought in Spain"],
)
def test_golds_that_are_whole(gold: str) -> None:
    assert not [variant for variant in gold_variants(gold) if variant.short]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("which emperor built it", "who"),
        ("what is the name of the young actor", "who"),
        ("which team won", "who"),
        ("what is the average salary of a nurse", "quantity"),
        ("what is the name of the river", "other"),
        ("what kind of salary is it", "other"),
    ],
)
def test_what_is_asked(question: str, asked: str) -> None:
    assert read_question(question).asked == asked


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("I don't know if it is Oslo", True),
        ("not sure whether it was Oslo", True),
        ("I cannot say if Oslo is right", True),
        ("I don't know if it is Oslo, but I think it is Bergen", False),
        ("I don't know", False),
        ("Oslo, if I am right", False),
        ("If", False),
    ],
)
def test_doubts(text: str, doubt: bool) -> None:
    assert is_doubt(text) == doubt
