"""Grading of short answers: what counts as right, and what only looks right."""

import pytest

from corver.text.answers import answer_words, grade, is_refusal, matches, normalize_answer


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Spice Girls", "spice girls"),
        ("THE BEATLES", "beatles"),
        ("The Lord of the Rings", "lord of rings"),
        ("Vitamin A deficiency", "vitamin a deficiency"),
        ("a dog", "dog"),
        ("An apple.", "apple"),
        ("A minor", "a minor"),
        ("The The", "the the"),
        ("the", "the"),
        ("A", "a"),
        ("Montréal", "montreal"),
        ("J. R. R. Tolkien", "jrr tolkien"),
        ("J.R.R. Tolkien", "jrr tolkien"),
        ("1,000", "1000"),
        ("six geese", "6 geese"),
        ("**Warsaw**", "warsaw"),
        ("July 20, 1969", "20 july 1969"),
        ("20th July 1969", "20 july 1969"),
        ("31st of May", "31st of may"),
        ("May 1990", "may 1990"),
        ("", ""),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


@pytest.mark.parametrize(
    ("prediction", "golds"),
    [
        ("Montreal", ["Montréal"]),
        ("Montréal", ["Montreal"]),
        ("Warsaw", ["Paris", "Warsaw"]),
        ("She was born in Warsaw, Poland, in 1867.", ["Warsaw"]),
        ("THE BEATLES", ["Beatles"]),
        ("Mary Wollstonecraft Shelley", ["Mary Shelley"]),
        ("Johann Sebastian Bach", ["Johann Bach"]),
        ("Beatles", ["The Beatles"]),
        ("Washington, D.C.", ["Washington DC"]),
        ("J.R.R. Tolkien", ["J. R. R. Tolkien"]),
        ("1,000", ["1000"]),
        ("The answer is *four*.", ["4"]),
        ("It landed on July 20th, 1969.", ["20 July 1969"]),
        ("I don't know", ["I Don't Know"]),
        ("Unknown Pleasures", ["Unknown Pleasures"]),
    ],
)
def test_right(prediction: str, golds: list[str]) -> None:
    assert matches(prediction, golds)
    assert grade(prediction, golds) == "correct"


@pytest.mark.parametrize(
    ("prediction", "golds"),
    [
        ("1", ["1912"]),
        ("1912", ["1"]),
        ("Ma", ["Mary Shelley"]),
        ("Mary", ["Mary Shelley"]),
        ("Mary or Shelley", ["Mary Shelley"]),
        ("Mary Anne Percy Shelley", ["Mary Shelley"]),
        ("Mary Wollstonecraft", ["Mary Shelley"]),
        ("20 big 1969", ["20 1969"]),
        ("Parisian", ["Paris"]),
        ("D minor", ["A minor"]),
        ("Shelley Mary", ["Mary Shelley"]),
        ("1901 or so", ["190"]),
        ("Paris", []),
        ("Paris", ["", "?"]),
    ],
)
def test_wrong(prediction: str, golds: list[str]) -> None:
    assert not matches(prediction, golds)
    assert grade(prediction, golds) == "wrong"


@pytest.mark.parametrize("prediction", ["", " ", "...", "**", "I don't know.", "N/A", "unknown"])
def test_not_attempted(prediction: str) -> None:
    assert grade(prediction, ["Warsaw"]) == "not_attempted"
    assert grade(prediction, ["Warsaw"], rule="paper") == "not_attempted"


def test_rambling_does_not_pay() -> None:
    guesses = "Paris, London, Rome, Berlin, Madrid, Lisbon, Vienna, Prague, Oslo, Bern, Athens, Kyiv, Riga, Warsaw"
    assert grade(guesses, ["Warsaw"]) == "wrong"
    assert matches(guesses, ["Warsaw"], extra_words=100)


def test_an_answer_followed_by_invented_questions_does_not_pay() -> None:
    prediction = "Lima\n\nQ: What is the capital of Poland?\nA: Warsaw\n\nQ: What is the capital of Peru?\nA: Lima"
    assert grade(prediction, ["Warsaw"]) == "wrong"


def test_the_published_rule_matches_substrings_either_way() -> None:
    assert matches("1", ["1912"], rule="paper")
    assert matches("The year 1912!", ["1912"], rule="paper")
    assert not matches("", ["1912"], rule="paper")
    assert not matches("1912", [""], rule="paper")
    assert not matches("the", ["1912"], rule="paper")


@pytest.mark.parametrize(
    "prediction",
    [
        "I don't know",
        "I do not know the answer to that.",
        "I'm sorry, but I cannot answer this question.",
        "Sorry, I don't recall who that was.",
        "I am not sure.",
        "I'm not entirely certain about this.",
        "We have no idea.",
        "Unsure",
        "Unfortunately, I cannot provide that information.",
        "I really don't know.",
        "The answer is unknown.",
        "Unknown",
        "This information is not available.",
        "There is no information available",
        "It cannot be determined",
        "n/a",
        "N.A.",
        "No answer",
        "**I don't know**",
        "I don't know where Marie Curie was born",
    ],
)
def test_refusals(prediction: str) -> None:
    assert is_refusal(prediction)


@pytest.mark.parametrize(
    "prediction",
    [
        "",
        "Warsaw",
        "I don't know, but maybe Paris",
        "I'm not sure, I think it was Paris",
        "Unknown Soldier",
        "The Unknown Citizen",
        "No",
        "None",
        "No Country for Old Men",
        "It is not known as Paris but as Warsaw",
        "Knowing",
        "He does not know her",
        "Sorry",
    ],
)
def test_attempts(prediction: str) -> None:
    assert not is_refusal(prediction)


def test_words_are_never_emptied_by_articles() -> None:
    for text in ("a", "an", "the", "the a", "a an the", "A A"):
        assert answer_words(text)
