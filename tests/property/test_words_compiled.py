"""The compiled tokenizer returns exactly what the plain-Python reference does, and the rules are stable."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from corver.corpus.document import Document, DocumentBatch
from corver.index.tokenizer import Vocabulary
from corver.text.words import char_rule, fold, tokenize, words

# Characters that the rules treat specially are as likely here as plain letters.
SPECIAL = "abcsS's  .,'’`0123456789éßøŁ\u0301\u00ad\u200d\u200b東か\u3099ไท์½㎏㍿②㉑ﷺ한\u00a0ŉİ-°Σς\u0e33ʼ"
TEXT = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters(codec="utf-8")), max_size=30)


def compiled(texts: list[str]) -> list[list[str]]:
    vocabulary = Vocabulary()
    numbers, lengths = vocabulary.tokenize(DocumentBatch.of(Document("", text) for text in texts))
    found = iter(numbers.tolist())
    return [[vocabulary.word(next(found)) for _ in range(length)] for length in lengths.tolist()]


@settings(max_examples=400, deadline=None)
@given(st.lists(TEXT, max_size=5))
@example(["J.R.R. 1,000.5 12.05.1990 A. B. C Curie's 'tis x'", "U.S.'s", "1,000,00 A.B.c"])
def test_compiled_equals_reference(texts: list[str]) -> None:
    assert compiled(texts) == [words(text) for text in texts]


def test_compiled_equals_reference_on_every_code_point() -> None:
    texts = []
    for start in range(0, 0x34000, 64):
        chars = [chr(code) for code in range(start, start + 64) if not 0xD800 <= code < 0xE000]
        texts.append(" ".join(chars) + " a" + "b".join(chars) + "'s 1." + "2".join(chars))
    assert compiled(texts) == [words(text) for text in texts]


def test_compiled_equals_reference_on_long_random_runs() -> None:
    rng = random.Random(7)
    texts = ["".join(rng.choices(SPECIAL, k=rng.randint(1, 400))) for _ in range(600)]
    assert compiled(texts) == [words(text) for text in texts]


@settings(max_examples=300)
@given(TEXT)
def test_folding_is_stable_and_words_are_words(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    for token in tokenize(text):
        assert words(token.text) == [token.text]
        assert 0 <= token.start < token.end <= len(text)


@settings(max_examples=200)
@given(TEXT)
def test_tokens_do_not_overlap(text: str) -> None:
    tokens = tokenize(text)
    for before, after in pairwise(tokens):
        assert before.end <= after.start or before == type(before)(before.text, after.start, after.end)


def test_every_letter_folds_to_something_stable() -> None:
    for code in range(0x34000):
        char = chr(code)
        kind, expansion = char_rule(char)
        if expansion and kind != 10:  # APART: several words
            assert char_rule(expansion[0])[1] == expansion[0], hex(code)
