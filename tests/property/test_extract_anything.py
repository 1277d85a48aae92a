"""Whatever the sentence, the rule extractor answers with pairs that stand in it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from corver.extract.rules import RulesExtractor
from corver.reward.select import claims_of
from corver.types import Passage

VOCABULARY = """
    Marie Curie Warsaw France The the a an of in on by to that who which is was were has born discovered wrote plays
    play stars and or , , . ; : ( ) ' 's " “ ” He she It its her there not never 1903 July 20, 1969 3.5 $5 actor city
    capital Polish St. Dr. J. R. R. I we think known as for with de van such first only If When In born. ? ! ... – / &
    Łódź né 東京 ** # 1. - called located between
"""
WORDS = st.sampled_from(VOCABULARY.split())
SENTENCES = st.lists(WORDS, max_size=25).map(" ".join) | st.text(
    alphabet=st.characters(exclude_categories=[]), max_size=60
)


@settings(max_examples=2000, deadline=None)
@given(st.lists(SENTENCES, max_size=4), st.none() | SENTENCES, st.booleans(), st.booleans())
def test_pairs_stand_in_their_sentence(sentences: list[str], question: str | None, lend: bool, off: bool) -> None:
    extractor = RulesExtractor(resolve_pronouns="off" if off else "last_subject", question_subject=lend)
    (row,) = extractor.extract([Passage(tuple(sentences), question)])
    assert len(row) == len(sentences)
    for sentence, extraction in zip(sentences, row, strict=True):
        assert extraction.failure is None
        assert len(extraction.pairs) <= 9
        for pair in extraction.pairs:
            assert pair.head
            assert pair.tail
            assert pair.tail_span is not None
            assert pair.tail_span.of(sentence) == pair.tail
            assert pair.head_span is None or pair.head_span.of(sentence) == pair.head
        for claim in claims_of(extraction.pairs, "min"):
            assert len(claim.words) >= 2
            assert list(claim.words) == sorted(set(claim.words))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(SENTENCES, max_size=3), max_size=4))
def test_a_batch_is_the_sum_of_its_passages(batch: list[list[str]]) -> None:
    extractor = RulesExtractor()
    passages = [Passage(tuple(sentences)) for sentences in batch]
    assert extractor.extract(passages) == [extractor.extract([passage])[0] for passage in passages]
