"""Alignment on sampled ids: exact for any way of cutting bytes into tokens, without ever encoding text again."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from corver.credit.align import ByteDetokenizer, PrefixDetokenizer, sentence_of_tokens
from corver.errors import AlignmentError
from corver.types import Span

BYTES = ByteDetokenizer([bytes([value]) for value in range(256)] + [b"<eos>"], special={256})
EOS = 256
SAMPLES = [
    "Hi 🤣 Curie won. She left.",
    "né à Łódź.",
    "👩‍👩‍👧 one. e\u0301 two.",
    "東京は日本の首都です。次。",
    "",
    "plain",
]


def one_byte_tokens(text: str) -> list[int]:
    return list(text.encode("utf-8"))


@pytest.mark.parametrize("text", SAMPLES)
def test_every_byte_belongs_to_its_character(text):
    tokens = BYTES(one_byte_tokens(text))
    assert tokens.text == text
    owners = [number for number, character in enumerate(text) for _ in character.encode("utf-8")]
    assert tokens.start_T.tolist() == owners
    assert (tokens.end_T - tokens.start_T == 1).all()


@given(st.text(), st.data())
def test_tokens_of_any_bytes_cover_the_text_without_drift(text, data):
    raw = text.encode("utf-8")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=6)) | {0, len(raw)})
    pieces = [raw[a:b] for a, b in pairwise(cuts)]
    tokens = ByteDetokenizer(pieces)(range(len(pieces)))
    assert tokens.text == text
    covered = np.zeros(len(text), dtype=bool)
    for start, end, piece in zip(tokens.start_T, tokens.end_T, pieces, strict=True):
        assert text[start:end].encode("utf-8").find(piece) >= 0
        covered[start:end] = True
    assert covered.all()


@given(st.binary(max_size=40))
def test_bytes_that_are_not_utf8_decode_as_python_does(raw):
    tokens = BYTES(list(raw))
    assert tokens.text == raw.decode("utf-8", errors="replace")
    assert (tokens.end_T - tokens.start_T == 1).all() if raw else len(tokens) == 0
    assert (np.diff(tokens.start_T) >= 0).all()


def test_special_tokens_cover_nothing():
    tokens = BYTES([*one_byte_tokens("a."), EOS, EOS])
    assert tokens.text == "a."
    assert sentence_of_tokens(tokens, [Span(0, 2)]).tolist() == [0, 0, -1, -1]


def test_an_unknown_id_is_refused():
    with pytest.raises(AlignmentError, match="not in the vocabulary"):
        BYTES([999])


@given(st.text(alphabet="ab é🤣.\n", max_size=30), st.data())
def test_each_character_of_a_sentence_is_owned_by_that_sentence(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6), label="cuts") | {0})
    sentences = [Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
    owner = sentence_of_tokens(BYTES(one_byte_tokens(text)), sentences).tolist()
    expected = [
        next((n for n, span in enumerate(sentences) if span.start <= place < span.end), -1)
        for place, character in enumerate(text)
        for _ in character.encode("utf-8")
    ]
    assert owner == expected


def test_a_token_over_a_border_belongs_to_the_first_sentence_it_touches():
    pieces = [b"One", b". Two", b".", b"</think>"]
    tokens = ByteDetokenizer(pieces)(range(4))
    assert sentence_of_tokens(tokens, [Span(0, 4), Span(5, 9)]).tolist() == [0, 0, 1, -1]
    glued = ByteDetokenizer([b"<think>Par", b"is."])(range(2))
    assert sentence_of_tokens(glued, [Span(7, 13)]).tolist() == [0, 0]


@pytest.mark.parametrize("spans", [[Span(0, 3), Span(2, 4)], [Span(0, 99)]])
def test_spans_that_overlap_or_leave_the_text_are_refused(spans):
    with pytest.raises(AlignmentError):
        sentence_of_tokens(BYTES(one_byte_tokens("four")), spans)


def metaspace_tokenizer() -> Tokenizer:
    vocabulary = ["<unk>", "▁", "▁Hi", "▁the", "Cu", "rie", ".", *[f"<0x{byte:02X}>" for byte in range(256)]]
    tokenizer = Tokenizer(models.BPE({word: number for number, word in enumerate(vocabulary)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def test_prefix_decoding_handles_metaspace_and_byte_fallback():
    tokenizer = metaspace_tokenizer()
    emoji = [7 + byte for byte in "🤣".encode()]
    ids = [2, 1, *emoji, 3, 4, 5, 6]
    tokens = PrefixDetokenizer(lambda numbers: tokenizer.decode(numbers, skip_special_tokens=False))(ids)
    assert tokens.text == "Hi 🤣 theCurie."
    assert tokens.start_T.tolist() == [0, 2, 3, 3, 3, 3, 4, 8, 10, 13]
    assert tokens.end_T.tolist() == [2, 3, 4, 4, 4, 4, 8, 10, 13, 14]


@given(st.lists(st.integers(1, 6), max_size=300))
def test_prefix_decoding_adds_up_over_long_completions(ids):
    tokenizer = metaspace_tokenizer()

    def decode(numbers: list[int]) -> str:
        return tokenizer.decode(numbers, skip_special_tokens=False)

    tokens = PrefixDetokenizer(decode, context=16)(ids)
    whole = PrefixDetokenizer(decode, context=10**6)(ids)
    assert tokens.text == decode(ids)
    assert tokens.start_T.tolist() == whole.start_T.tolist()
    assert tokens.end_T.tolist() == whole.end_T.tolist()
