"""Detokenizers of tokenizers trained here: their text is the tokenizer's own, their spans tile it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from corver.credit.align import ByteDetokenizer, PrefixDetokenizer, TokenText
from corver.policy.tokens import detokenizer_of
from tiny import DOCUMENTS, make_tokenizer

TEXTS = [text for _, text in DOCUMENTS] + ["Née à Łódź, 3.5 % of it isn't 東京 🤣.", "don't, won't; it's 1,000 (one)."]


def byte_level() -> PreTrainedTokenizerFast:
    return make_tokenizer()


def byte_level_with_added_tokens() -> PreTrainedTokenizerFast:
    tokenizer = make_tokenizer()
    tokenizer.add_tokens(["<think>", "</think>", "東京", AddedToken("two words")])
    return tokenizer


def metaspace() -> PreTrainedTokenizerFast:
    """SentencePiece's manner: ▁ for spaces, bytes for unknown characters, a leading space that decoding drops."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))],
        limit_alphabet=60,
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", bos_token="<s>", pad_token="</s>")


def word_piece() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]", "[PAD]", "[SEP]"], show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", eos_token="[SEP]", pad_token="[PAD]")


MAKERS: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "byte level": byte_level,
    "added tokens": byte_level_with_added_tokens,
    "metaspace": metaspace,
    "word piece": word_piece,
}
TOKENIZERS = {name: make() for name, make in MAKERS.items()}
DETOKENIZERS = {name: detokenizer_of(tokenizer) for name, tokenizer in TOKENIZERS.items()}


def decoded(tokenizer: Any, ids: list[int]) -> str:
    special = set(tokenizer.all_special_ids)
    kept = [number for number in ids if number not in special]
    return tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)


def assert_tiles(tokenizer: Any, ids: list[int], tokens: TokenText) -> None:
    """Every character belongs to some token, in order; special ids have none."""
    start, end, length = tokens.start_T, tokens.end_T, len(tokens.text)
    assert start.shape == end.shape == (len(ids),)
    assert (start <= end).all()
    assert (end <= length).all()
    assert (np.diff(start) >= 0).all()
    assert (np.diff(end[end > start]) >= 0).all()  # a special id may stand inside a character of several ids
    owned = np.zeros(length, dtype=bool)
    for number, first, last in zip(ids, start, end, strict=True):
        owned[first:last] = True
        if number in tokenizer.all_special_ids:
            assert first == last
    assert owned.all()


@st.composite
def sampled_ids(draw: st.DrawFn, name: str) -> list[int]:
    """Ids as a policy may sample them: a text's own, anything at all, or a mixture."""
    tokenizer = TOKENIZERS[name]
    anything = st.lists(st.integers(0, len(tokenizer) - 1), max_size=12)
    ids: list[int] = []
    for _ in range(draw(st.integers(0, 3))):
        text = draw(st.sampled_from(TEXTS) | st.text(max_size=12))
        ids += tokenizer(text, add_special_tokens=False)["input_ids"]
        ids += draw(anything)
    return ids + draw(st.lists(st.sampled_from(tokenizer.all_special_ids), max_size=2))


@pytest.mark.parametrize("name", MAKERS)
def test_text_is_the_tokenizers_own_and_spans_tile_it(name: str) -> None:
    tokenizer, detokenize = TOKENIZERS[name], DETOKENIZERS[name]

    @settings(max_examples=300, deadline=None)
    @given(sampled_ids(name))
    def check(ids: list[int]) -> None:
        tokens = detokenize(ids)
        assert tokens.text == decoded(tokenizer, ids)
        assert_tiles(tokenizer, ids, tokens)

    check()


@pytest.mark.parametrize("name", MAKERS)
def test_long_completions_are_restarted_without_a_trace(name: str) -> None:
    tokenizer, detokenize = TOKENIZERS[name], DETOKENIZERS[name]
    ids = tokenizer(" ".join(TEXTS * 6), add_special_tokens=False)["input_ids"]
    assert len(ids) > 300
    tokens = detokenize(ids)
    assert tokens.text == decoded(tokenizer, ids)
    assert_tiles(tokenizer, ids, tokens)
    whole = PrefixDetokenizer(
        lambda some: tokenizer.decode(some, clean_up_tokenization_spaces=False),
        special=tokenizer.all_special_ids,
        context=10**9,
    )(ids)
    np.testing.assert_array_equal(tokens.end_T, whole.end_T)


@pytest.mark.parametrize("name", MAKERS)
def test_tokens_carry_the_words_that_stand_there(name: str) -> None:
    tokenizer, detokenize = TOKENIZERS[name], DETOKENIZERS[name]
    text = "Marie Curie was born in Warsaw."
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    tokens = detokenize(ids)
    place = tokens.text.index("Warsaw")
    own = [
        tokenizer.convert_ids_to_tokens(number)
        for number, start, end in zip(ids, tokens.start_T, tokens.end_T, strict=True)
        if start < place + 6 and place < end
    ]
    joined = "".join(own).replace("Ġ", "").replace("▁", "").replace("##", "")
    assert joined.startswith("Warsaw")


def test_kinds_of_detokenizer() -> None:
    kinds = {name: type(detokenizer) for name, detokenizer in DETOKENIZERS.items()}
    assert kinds == {
        "byte level": ByteDetokenizer,
        "added tokens": ByteDetokenizer,
        "metaspace": PrefixDetokenizer,
        "word piece": PrefixDetokenizer,
    }


def test_emoji_over_several_tokens_shift_nothing() -> None:
    tokenizer = TOKENIZERS["byte level"]
    text = "Hi 🤣 Curie won. Łódź fell."
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    tokens = DETOKENIZERS["byte level"](ids)
    assert tokens.text == text
    inside = [number for number, end in enumerate(tokens.end_T) if tokens.start_T[number] <= 3 < end]
    assert len(inside) >= 2
    last = [text[start:end] for start, end in zip(tokens.start_T, tokens.end_T, strict=True)][-1]
    assert text.endswith(last)


def test_ids_beyond_the_tokenizer_are_empty_only_where_the_model_has_them() -> None:
    tokenizer = TOKENIZERS["byte level"]
    known = len(tokenizer)
    ids = [*tokenizer("Warsaw", add_special_tokens=False)["input_ids"], known + 3]
    tokens = detokenizer_of(tokenizer, ids=known + 4)(ids)
    assert tokens.text == "Warsaw" == decoded(tokenizer, ids)
    assert (tokens.start_T[-1], tokens.end_T[-1]) == (6, 6)
    with pytest.raises(Exception, match="not in the vocabulary"):
        detokenizer_of(tokenizer)(ids)
