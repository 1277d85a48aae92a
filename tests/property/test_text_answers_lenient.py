"""What must hold of the lenient judge for every text."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from corver.text.answers import grade, matches
from corver.text.answers.dates import read_dates
from corver.text.answers.places import country_of, names_of_countries
from corver.text.answers.reading import read_answer
from corver.text.answers.wordforms import related, same_name, same_word
from corver.text.words import words

PIECES = st.sampled_from(
    [
        "Paris", "London", "not", "or", "and", ",", "/", "(", ")", "the", "of", "12", "1969", "July", "½", "III", "$5",
        "million", "km", "mile", "second", "twenty", "-", "Dr.", "J.", "y", "é", "no", "yes", "\n", "\\u00e9", "Â", "%",
        "I don't know", "Maria", "a", "1/2", "0", "BC", "century", "1980s", "'s", "°C", ";", "?", "ß", "東京", "🙂",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join))
CITIES = ["Paris", "London", "Rome", "Berlin", "Madrid", "Lisbon", "Vienna", "Prague", "Oslo", "Bern", "Athens"]


@given(prediction=TEXTS, golds=st.lists(TEXTS, max_size=3), question=st.none() | TEXTS)
def test_nothing_breaks_it(prediction: str, golds: list[str], question: str | None) -> None:
    assert grade(prediction, golds, rule="lenient", question=question) in ("correct", "wrong", "not_attempted")


@given(gold=TEXTS, others=st.lists(TEXTS, max_size=2), question=st.none() | TEXTS)
def test_a_gold_answer_is_right(gold: str, others: list[str], question: str | None) -> None:
    if gold.strip():
        assert grade(gold, [*others, gold], rule="lenient", question=question) == "correct"


@given(prediction=TEXTS, golds=st.lists(TEXTS, max_size=2), more=TEXTS)
def test_a_further_gold_takes_nothing_away(prediction: str, golds: list[str], more: str) -> None:
    if grade(prediction, golds, rule="lenient") == "correct" and "," not in prediction:
        assert grade(prediction, [*golds, more], rule="lenient") == "correct"


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_is_itself_alone(one: int, other: int) -> None:
    assert matches(str(one), [f"{other:,}"], rule="lenient") == (one == other)


@given(st.integers(0, 999_999))
def test_number_words_are_numbers(number: int) -> None:
    (term,) = read_answer(spelled(number)).terms
    assert term.number == Fraction(number)


@given(st.dates())
def test_every_form_of_a_date_is_that_date(date: object) -> None:
    day = date  # datetime.date; strategies are typed loosely
    if day.year < 1000 or day.year > 2100:  # type: ignore[attr-defined]
        return
    found = {
        read_dates(read_answer(format(day, form)).terms)[0]  # type: ignore[str-format]
        for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%b %d %Y", "%m/%d/%Y", "%B %dth, %Y")
    }
    assert len(found) == 1
    (((only,),),) = [tuple(found)]
    assert (only.year, only.month, only.day) == (day.year, day.month, day.day)  # type: ignore[attr-defined]


@given(
    st.lists(st.sampled_from(CITIES), min_size=2, max_size=6, unique=True),
    st.sampled_from([", ", " or ", " and ", "; ", " / ", "\n"]),
)
def test_a_list_of_guesses_is_never_right(cities: list[str], joint: str) -> None:
    for gold in cities:
        assert grade(joint.join(cities), [gold], rule="lenient", question="Where was she born?") == "wrong"


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=12), st.text("abcdefghijklmnopqrstuvwxyz", max_size=12))
def test_words_are_alike_both_ways(one: str, other: str) -> None:
    for alike in (same_word, same_name, related):
        assert alike(one, other) == alike(other, one)
        assert alike(one, one)


ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
""".split()  # noqa: SIM905 - a list of words reads as one
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f" and {spelled(number % 100)}" if number % 100 else ""
        return f"{ONES[number // 100]} hundred{rest}"
    rest = f" {spelled(number % 1000)}" if number % 1000 else ""
    return f"{spelled(number // 1000)} thousand{rest}"


FRAMES = [
    "born in {}", "died near {}", "the road to {}", "fought at {} under fire", "a letter from {}", "walked through {}",
    "exiled to {} for life", "one mile from {}", "with a view of {}", "the second battle of {}", "{} and nowhere else",
    "on the way between {} and the sea", "a man called {}", "the south of {}",
]  # fmt: skip


@given(frame=st.sampled_from(FRAMES), cities=st.lists(st.sampled_from(CITIES), min_size=2, max_size=2, unique=True))
def test_another_place_in_the_same_phrase_is_another_answer(frame: str, cities: list[str]) -> None:
    one, other = (frame.format(city) for city in cities)
    for question in (None, "Where was it?", "What happened?", "Who was it?"):
        assert grade(one, [other], rule="lenient", question=question) == "wrong"


@given(frame=st.sampled_from(FRAMES), years=st.lists(st.integers(1001, 2020), min_size=2, max_size=2, unique=True))
def test_another_year_in_the_same_phrase_is_another_answer(frame: str, years: list[int]) -> None:
    one, other = (frame.format(year) for year in years)
    assert grade(one, [other], rule="lenient") == "wrong"


@given(first=st.integers(1801, 2098), length=st.integers(1, 60), joint=st.sampled_from(["-", "–", "/"]))
def test_a_range_of_years_may_leave_out_its_second_century(first: int, length: int, joint: str) -> None:
    last = first + length
    whole, short = f"{first}–{last}", f"{first}{joint}{last % 100:02d}"
    if first // 100 == last // 100:
        assert grade(short, [whole], rule="lenient", question="when was it") == "correct"
    assert grade(f"{first}–{last + 1}", [whole], rule="lenient", question="when was it") == "wrong"


@given(feet=st.integers(3, 8), inches=st.integers(1, 11))
def test_a_height_is_the_same_in_every_writing(feet: int, inches: int) -> None:
    gold = f"{feet} feet {inches} inches"
    for said in (
        f"{feet}'{inches}\"",
        f"{feet} ft {inches} in",
        f"{feet}-foot {inches}",
        f"{12 * feet + inches} inches",
    ):
        assert grade(said, [gold], rule="lenient", question="how tall is she") == "correct"
    assert grade(f"{feet}'{inches + 1}\"", [gold], rule="lenient", question="how tall is she") == "wrong"


@given(st.sampled_from(names_of_countries()), st.sampled_from(names_of_countries()))
def test_two_names_are_one_country_or_two(one: str, other: str) -> None:
    same = country_of(tuple(words(one))) == country_of(tuple(words(other)))
    assert (grade(one, [other], rule="lenient", question="In what country is it?") == "correct") == same


@given(
    doubt=st.sampled_from(["I don't know if it is {}", "I'm not sure whether it was {}", "I can't say if {} is right"]),
    city=st.sampled_from(CITIES),
)
def test_to_doubt_an_answer_is_not_to_give_it(doubt: str, city: str) -> None:
    assert grade(doubt.format(city), [city], rule="lenient", question="Where was she born?") == "not_attempted"
