"""What a text is about, what its sentences say of it, and which of them deny something."""

import pytest

from corver.extract.negation import is_negated
from corver.extract.scan import scan
from corver.extract.topic import asked_words, find_topics, topic_of
from corver.extract.units import read_details


def details(sentence: str) -> list[tuple[str, str]]:
    return [(detail.kind, " ".join(detail.words)) for detail in read_details(scan(sentence))]


def topics(*sentences: str, question: str | None = None, pronouns: bool = True) -> list[str | None]:
    found = find_topics([scan(sentence) for sentence in sentences], question=question, pronouns=pronouns)
    return [None if topic is None else topic.name for topic in found]


def test_names_numbers_and_words_are_details_and_small_words_are_not() -> None:
    assert details("Lanny Flaherty is an American actor born on December 18, 1949, in Pensacola.") == [
        ("name", "lanny flaherty"),
        ("name", "american"),
        ("word", "actor"),
        ("word", "born"),
        ("number", "december 18"),
        ("number", "1949"),
        ("name", "pensacola"),
    ]


def test_a_day_and_its_month_are_one_detail_in_either_order() -> None:
    assert ("number", "18 december") in details("He died on 18 December 1949.")
    assert ("number", "18th december") in details("He died on 18th December 1949.")


def test_a_title_is_cut_at_its_small_words_and_spans_point_at_the_pieces() -> None:
    sentence = 'He played in "King of New York," and "The Abyss".'
    found = read_details(scan(sentence))
    assert [d.span.of(sentence) for d in found] == ["played", "King", "New York", "Abyss"]


@pytest.mark.parametrize(
    "sentence", ["Rome fell in 476.", 'He wrote "Émile" and "The Social Contract" in 1762.', "A-B C"]
)
def test_spans_lie_in_the_sentence_and_read_as_the_words(sentence: str) -> None:
    from corver.text.words import words

    for detail in read_details(scan(sentence)):
        assert tuple(word for word in words(detail.span.of(sentence))) == detail.words


def test_the_questions_subject_is_that_of_every_sentence() -> None:
    assert topics("It was written by Shakespeare.", "Rome is old.", question="Who wrote Hamlet?") == ["Hamlet"] * 2
    assert topics("He acts.", question="Question: Tell me a bio of Lanny Flaherty.") == ["Lanny Flaherty"]


def test_without_a_question_a_sentence_has_its_own_subject_and_pronouns_keep_it() -> None:
    assert topics("Marie Curie was born in Warsaw.", "She won a prize.", "Curie died in France.") == ["Marie Curie"] * 3
    assert topics("Marie Curie was born in Warsaw.", "Rome is a city.") == ["Marie Curie", "Rome"]
    assert topics("Marie Curie was born in Warsaw.", "She won a prize.", pronouns=False) == ["Marie Curie", None]


def test_there_is_no_subject_without_a_name() -> None:
    assert topics("The answer is unclear.", "He won.") == [None, None]


@pytest.mark.parametrize(
    ("name", "bare"), [("The Beatles", "Beatles"), ("Savages (2012 film)", "Savages"), ("Paris", "Paris")]
)
def test_articles_and_disambiguation_are_no_part_of_a_name(name: str, bare: str) -> None:
    topic = topic_of(name, "question")
    assert topic is not None
    assert topic.name == bare


def test_a_name_of_small_words_alone_is_none() -> None:
    assert topic_of("The This", "question") is None
    assert topic_of("...", "question") is None


def test_a_detail_that_only_names_the_subject_is_recognised() -> None:
    topic = topic_of("Marie Curie", "question")
    assert topic is not None
    named = [topic.names(detail) for detail in read_details(scan("Curie founded the Curie Institute."))]
    assert named == [True, False, False]


def test_words_of_the_question_are_known() -> None:
    assert {"capital", "france"} <= asked_words("What is the capital of France?")


@pytest.mark.parametrize(
    "sentence", ["He was not born in Rome.", "She never won.", "It isn’t blue.", "No film was made.", "He cannot swim."]
)
def test_denials_are_seen(sentence: str) -> None:
    assert is_negated(scan(sentence))


@pytest.mark.parametrize(
    "sentence", ["He was born in Rome.", "Not only Rome but Athens.", "Chanel No. 5 is a perfume.", "Nora wrote it."]
)
def test_what_denies_nothing_is_left_alone(sentence: str) -> None:
    assert not is_negated(scan(sentence))
