"""σ(t) over completions as they are sampled, for each kind of tokenizer: every token that says something belongs to
exactly one sentence, the one that stands at its first character, and nothing drifts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_policy_tokens import DETOKENIZERS, MAKERS, TOKENIZERS, decoded

from corver.credit.align import sentence_of_tokens
from corver.text.rollout import parse_rollout, rollout_sentences

PIECES = (
    "Marie Curie was born in Warsaw.", "She left!", "Hi 🤣 Curie won.", "Łódź fell; Née à Łódź.",
    "e\u0301tude. Cafe\u0301 closed.", "東京は日本の首都です。次の文。", "👩\u200d👩\u200d👧 one. 👍🏽 two.",
    "Dr. Ada B. Smith was born in St. Louis.", "It is 3.5 % of 1,000.", 'He said "Stop." Then…',
    "\n\n1. First item.\n2. Second.", "x.y.z", "  ", "\u00a0.", "\ufeff", "नमस्ते। दूसरा।", "العربية. نعم.",
    "<think>", "</think>", "<answer>", "</answer>", "<thi", "</ans", "<", "a<think>b", "< Think >", "</THINK>",
)  # fmt: skip
"""Claims, emoji, combining marks, CJK, ZWJ, abbreviations, decimals, lists, bare marks, other scripts; tags whole, cut,
doubled, glued to words."""

CASES = {
    "well formed": "<think>Marie Curie was born in Warsaw. She left.</think> <answer>Warsaw</answer>",
    "think never closed": "<think>Marie Curie was born in Warsaw. She left. <answer>Warsaw</answer>",
    "think closed twice": "<think>One. Two.</think> Three.</think> <answer>Four</answer>",
    "closed without opening": "One. Two.</think> <answer>Three</answer>",
    "no tags": "One. Two. Three",
    "tags glued": "<think>Par</think><answer>is</answer>",
    "empty": "",
    "emoji": "<think>Hi 🤣 Curie won. 👩‍👩‍👧 left. é à Łódź.</think> <answer>東京。</answer>",
}


def assert_aligned(name: str, ids: list[int], *, cut: bool) -> None:
    tokenizer = TOKENIZERS[name]
    tokens = DETOKENIZERS[name](ids)
    text = tokens.text
    assert text == decoded(tokenizer, ids)
    spans = rollout_sentences(text, drop_cut_off=cut)
    owner = np.full(len(text), -1)
    for number, span in enumerate(spans):
        assert (owner[span.start : span.end] == -1).all()
        owner[span.start : span.end] = number
    tag = np.zeros(len(text), dtype=bool)
    for one in parse_rollout(text).tags:
        tag[one.span.start : one.span.end] = True
    assert not (tag & (owner >= 0)).any()
    left_out = rollout_sentences(text)[len(spans) :]
    assert len(left_out) <= int(cut)
    for place, character in enumerate(text):
        silent = character.isspace() or tag[place] or any(span.start <= place < span.end for span in left_out)
        assert silent or owner[place] >= 0
    sentence_T = sentence_of_tokens(tokens, spans)
    assert sentence_T.shape == (len(ids),)
    for number, start, end, found in zip(ids, tokens.start_T, tokens.end_T, sentence_T, strict=True):
        own = [int(value) for value in owner[start:end] if value >= 0]
        assert found == (own[0] if own else -1)
        if number in tokenizer.all_special_ids:
            assert found == -1
    # No drift: what the tokens of a sentence carry covers the sentence, and touches no earlier one.
    for number, span in enumerate(spans):
        carried = np.zeros(len(text), dtype=bool)
        for start, end, found in zip(tokens.start_T, tokens.end_T, sentence_T, strict=True):
            if found == number:
                carried[start:end] = True
        # A token over the border belongs to the sentence before, and may hold this one's beginning.
        missing = [place for place in range(span.start, span.end) if not carried[place]]
        assert all(sentence_T[_token_at(tokens, place)] < number for place in missing)


def _token_at(tokens: Any, place: int) -> int:
    return next(t for t in range(len(tokens)) if tokens.start_T[t] <= place < tokens.end_T[t])


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("case", CASES)
def test_cases(name: str, case: str) -> None:
    tokenizer = TOKENIZERS[name]
    ids = tokenizer(CASES[case], add_special_tokens=False)["input_ids"]
    assert_aligned(name, ids, cut=False)
    # Padding that is the end token, as it stands behind a completion.
    assert_aligned(name, [*ids, *[tokenizer.eos_token_id] * 3], cut=False)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("case", CASES)
def test_completions_cut_off_anywhere(name: str, case: str) -> None:
    ids = TOKENIZERS[name](CASES[case], add_special_tokens=False)["input_ids"]
    for length in range(len(ids)):
        assert_aligned(name, ids[:length], cut=True)


@pytest.mark.parametrize("name", MAKERS)
def test_any_completion(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    pieces = st.sampled_from(PIECES) | st.text(max_size=8)
    specials = st.sampled_from(tokenizer.all_special_ids)

    @settings(max_examples=80, deadline=None)
    @given(st.lists(pieces, max_size=8), st.lists(st.tuples(st.integers(0, 60), specials), max_size=3), st.booleans())
    def check(parts: list[str], inserted: list[tuple[int, int]], cut: bool) -> None:
        ids = tokenizer("".join(parts), add_special_tokens=False)["input_ids"]
        for place, number in inserted:
            ids.insert(min(place, len(ids)), number)
        assert_aligned(name, ids, cut=cut)

    check()


@pytest.mark.parametrize("name", MAKERS)
def test_any_ids(name: str) -> None:
    size = len(TOKENIZERS[name])

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(0, size - 1), max_size=30))
    def check(ids: list[int]) -> None:
        assert_aligned(name, ids, cut=False)

    check()


def test_a_sentence_that_ends_inside_a_token_gives_the_token_to_it() -> None:
    """A token of two sentences belongs to the one it ends; the rest of the second has tokens of its own."""
    tokenizer = TOKENIZERS["byte level"]
    text = "Warsaw.\nParis lies there."
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    tokens = DETOKENIZERS["byte level"](ids)
    spans = rollout_sentences(tokens.text)
    assert [span.of(tokens.text).strip() for span in spans] == ["Warsaw.", "Paris lies there."]
    sentence_T = sentence_of_tokens(tokens, spans)
    over = [t for t in range(len(ids)) if tokens.start_T[t] < spans[0].end < tokens.end_T[t]]
    assert all(sentence_T[t] == 0 for t in over)
    assert set(sentence_T) - {-1} == {0, 1}
