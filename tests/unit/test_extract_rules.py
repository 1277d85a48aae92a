"""The rule extractor over whole passages: further pairs, pronouns, questions, options."""

import time

import pytest

from corver.errors import UsageError
from corver.extract.rules import PronounRule, RulesExtractor
from corver.extract.subjects import question_subject
from corver.types import Extractor, Passage


def pairs(
    *sentences: str, question: str | None = None, lend: bool = True, pronouns: PronounRule = "last_subject"
) -> list[list[tuple[str, str, str]]]:
    extractor = RulesExtractor(resolve_pronouns=pronouns, question_subject=lend)
    (row,) = extractor.extract([Passage(sentences, question)])
    return [[(pair.head, pair.relation, pair.tail) for pair in extraction.pairs] for extraction in row]


def heads(*sentences: str, question: str | None = None) -> list[str]:
    return [row[0][0] for row in pairs(*sentences, question=question)]


def test_every_detail_becomes_a_pair() -> None:
    (row,) = pairs("Google was founded on 4 September 1998 by Larry Page and Sergey Brin in Menlo Park, California.")
    assert row == [
        ("Google", "was founded on", "4 September 1998"),
        ("Google", "was founded by", "Larry Page"),
        ("Google", "was founded by", "Sergey Brin"),
        ("Google", "was founded in", "Menlo Park"),
        ("Google", "was founded in", "California"),
    ]


def test_a_second_predicate_keeps_the_subject() -> None:
    (row,) = pairs("Marie Curie was born in Warsaw and moved to Paris in 1891.")
    assert [(head, tail) for head, _, tail in row] == [
        ("Marie Curie", "Warsaw"),
        ("Marie Curie", "Paris"),
        ("Marie Curie", "1891"),
    ]


def test_a_second_clause_brings_its_own_subject() -> None:
    (row,) = pairs("Marie Curie was born in Warsaw, and Pierre Curie was born in Paris.")
    assert [(head, tail) for head, _, tail in row] == [("Marie Curie", "Warsaw"), ("Pierre Curie", "Paris")]


def test_an_apposition_is_a_pair_after_the_main_one() -> None:
    (row,) = pairs("Marie Curie, a Polish physicist, discovered polonium.")
    assert row == [("Marie Curie", "discovered", "polonium"), ("Marie Curie", "is", "Polish physicist")]


def test_spans_are_offsets_into_the_sentence() -> None:
    sentence = '1. **Ada Lovelace** wrote "Notes" in 1843.'
    ((extraction,),) = RulesExtractor().extract([Passage((sentence,))])
    for pair in extraction.pairs:
        assert pair.head_span is not None
        assert pair.tail_span is not None
        assert pair.head_span.of(sentence) == pair.head
        assert pair.tail_span.of(sentence) == pair.tail


def test_a_pronoun_stands_for_the_last_subject() -> None:
    assert heads("Marie Curie was born in Warsaw.", "She discovered polonium.") == ["Marie Curie", "Marie Curie"]
    assert heads("Ada Lovelace met Charles Babbage.", "Her father was Lord Byron.") == ["Ada Lovelace"] * 2


def test_gender_and_number_must_not_contradict() -> None:
    assert heads("Marie Curie was born in Warsaw.", "He discovered polonium.") == ["Marie Curie", "He"]
    assert heads("Marie Curie was born in Warsaw.", "It lies on the Vistula.") == ["Marie Curie", "It"]
    assert heads("The University of Oslo is in Norway.", "She founded it in 1811.") == ["University of Oslo", "She"]
    assert heads("Paul Adams met Rita Moss.", "She was a dancer.") == ["Paul Adams", "She"]


def test_an_earlier_subject_serves_when_the_last_one_contradicts() -> None:
    text = ("Marie Curie was born in Warsaw.", "Pierre Curie was born in Paris.", "She discovered polonium.")
    assert heads(*text)[2] == "Marie Curie"
    assert heads(*text[:2], "He discovered polonium.")[2] == "Pierre Curie"


def test_what_a_pronoun_has_shown_is_remembered() -> None:
    text = ("Zorbek Quill was born in Riga.", "She painted ships.", "He painted boats.")
    assert heads(*text) == ["Zorbek Quill", "Zorbek Quill", "He"]


def test_pronouns_stay_when_the_option_is_off() -> None:
    rows = pairs("Marie Curie was born in Warsaw.", "She discovered polonium.", pronouns="off")
    assert rows[1] == [("She", "discovered", "polonium")]


def test_a_borrowed_head_has_no_span() -> None:
    (row,) = RulesExtractor().extract([Passage(("Marie Curie was born in Warsaw.", "She discovered polonium."))])
    assert row[1].pairs[0].head_span is None
    assert row[1].pairs[0].tail_span is not None


def test_nothing_is_carried_from_one_passage_to_the_next() -> None:
    passages = [Passage(("Marie Curie was born in Warsaw.",)), Passage(("She discovered polonium.",))]
    assert RulesExtractor().extract(passages)[1][0].pairs[0].head == "She"


@pytest.mark.parametrize(
    "answer", ["Warsaw.", "Warsaw", "In Warsaw", "The answer is Warsaw.", "Answer: Warsaw", "**Warsaw**"]
)
def test_a_bare_answer_borrows_the_subject_of_the_question(answer: str) -> None:
    ((pair,),) = pairs(answer, question="Where was Marie Curie born?")
    assert (pair[0], pair[2]) == ("Marie Curie", "Warsaw")
    assert pairs(answer, question="Where was Marie Curie born?", lend=False) == [[]]


def test_an_unresolved_pronoun_borrows_it_too() -> None:
    assert heads("She was born in Warsaw.", question="Where was Marie Curie born?") == ["Marie Curie"]


def test_repeating_the_subject_of_the_question_is_no_answer() -> None:
    assert pairs("Marie Curie", question="Where was Marie Curie born?") == [[]]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Where was Marie Curie born?", "Marie Curie"),
        ("where was marie curie born", "marie curie"),
        ("Who wrote Hamlet?", "Hamlet"),
        ('Who wrote "To Kill a Mockingbird"?', "To Kill a Mockingbird"),
        ("What is the capital of Australia?", "Australia"),
        ("what is the capital of australia", "australia"),
        ("Which country has Abuja as its capital?", "Abuja"),
        ("Who is the president of France?", "France"),
        ("In which city was Ludwig van Beethoven born?", "Ludwig van Beethoven"),
        ("What year did World War II end?", "World War II"),
        ("How?", None),
        ("", None),
    ],
)
def test_whom_a_question_asks_about(question: str, subject: str | None) -> None:
    assert question_subject(question) == subject


def test_options_are_checked_and_fingerprinted() -> None:
    with pytest.raises(UsageError, match="resolve_pronouns"):
        RulesExtractor(resolve_pronouns="sometimes")  # type: ignore[arg-type]
    extractors = [RulesExtractor(), RulesExtractor(resolve_pronouns="off"), RulesExtractor(question_subject=True)]
    assert len({extractor.fingerprint() for extractor in extractors}) == 3
    assert isinstance(extractors[0], Extractor)


@pytest.mark.parametrize(
    "unit", ["and he was it ", "the a ", "x, ", "Marie of ", "( ", "that is ", "who ", "1 ", '"A" ', "'s "]
)
def test_a_monstrous_sentence_costs_little(unit: str) -> None:
    extractor = RulesExtractor()
    extractor.extract([Passage(("Warm up.",))])
    started = time.process_time()
    extractor.extract([Passage((unit * 50_000,))])
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("question", "sentence", "head", "tail"),
    [
        ("Which city is home to the Pantheon?", "The city is Paris.", "Pantheon", "Paris"),
        ("Hokkaido is an island of which country?", "The island is Japan.", "Hokkaido", "Japan"),
        ("Claude Monet was a founder of which art movement?", "The art movement was Impressionism.",
         "Claude Monet", "Impressionism"),
        ("Which city hosted the 2012 Summer Olympics?", "The city was London.", "2012 Summer Olympics", "London"),
    ],
)  # fmt: skip
def test_a_head_that_repeats_the_kind_asked_for_borrows_the_questions_subject(
    question: str, sentence: str, head: str, tail: str
) -> None:
    found = RulesExtractor(question_subject=True).extract([Passage((sentence,), question)])[0][0].pairs
    assert (found[0].head, found[0].tail) == (head, tail)
    unasked = RulesExtractor(question_subject=True).extract([Passage((sentence,), "Who wrote Hamlet?")])[0][0].pairs
    assert unasked[0].head != "Hamlet"


def test_a_head_with_a_name_or_a_new_word_stays() -> None:
    extractor = RulesExtractor(question_subject=True)
    passage = Passage(
        ("Rome is home to the Pantheon.", "The bridge is in Rome."), "Which city is home to the Pantheon?"
    )
    first, second = extractor.extract([passage])[0]
    assert first.pairs[0].head == "Rome"
    assert second.pairs[0].head != "Pantheon"


def test_a_subject_without_an_object_is_remembered() -> None:
    rows = pairs("Marie Curie died.", "She was born in Warsaw.")
    assert rows[0] == []
    assert rows[1][0][0] == "Marie Curie"
