"""Whatever the text, the splitter returns: spans in order that hold every non-whitespace code point once."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corver.text.rollout import parse_rollout, rollout_sentences
from corver.text.sentences import is_complete, split_sentences

# Everything that a string can hold, lone surrogates included, and an alphabet that makes boundaries likely.
ANYTHING = st.text(alphabet=st.characters(exclude_categories=[]), max_size=60)
LIKELY = st.text(
    alphabet=st.sampled_from(
        "aAbZx1 .!?…\"'”“’()[]{}\n\r\t\u00a0\u2003\u3000\u2028\u0085\x00\x01\x02\x1c"
        "。！？।،؛é京🤣\u0301\u200d\ud800,;:-–*#<>/"
    ),
    max_size=60,
)
TAGGED = st.lists(
    st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "</ans", "<", " ", "\n", "A b. ", "né. C", "。"]),
    max_size=14,
).map("".join)


def check_spans(text: str, covered: list[tuple[int, int]]) -> None:
    position = 0
    for start, end in covered:
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        position = end
    assert not text[position:].strip()


@settings(max_examples=1500, deadline=None)
@given(ANYTHING | LIKELY)
@example("A\u00a0.")
@example("A\u2003.")
@example("\u0301.")
@example("\ud800. A")
def test_spans_tile_the_text(text: str) -> None:
    check_spans(text, [(span.start, span.end) for span in split_sentences(text)])


@settings(max_examples=500, deadline=None)
@given(LIKELY)
@example("1-\u20281:")
@example("a\n1.")
def test_trailing_whitespace_changes_nothing(text: str) -> None:
    assert split_sentences(text + "  ") == split_sentences(text.rstrip())


@settings(max_examples=500, deadline=None)
@given(LIKELY)
def test_completeness_never_raises(text: str) -> None:
    assert is_complete(text + ".") is True
    assert is_complete(text + "a") is False


@settings(max_examples=1500, deadline=None)
@given(TAGGED)
def test_tags_and_sentences_tile_a_completion(completion: str) -> None:
    parsed = parse_rollout(completion)
    sentences = rollout_sentences(completion)
    both = sorted([(tag.span.start, tag.span.end) for tag in parsed.tags] + [(s.start, s.end) for s in sentences])
    position = 0
    for start, end in both:
        assert position <= start < end
        assert not completion[position:start].strip()
        position = end
    assert not completion[position:].strip()
    for block in (parsed.think, parsed.answer):
        assert block is None or not any(
            block.start < tag.span.end and tag.span.start < block.end for tag in parsed.tags
        )


@settings(max_examples=500, deadline=None)
@given(TAGGED)
def test_dropping_the_cut_off_sentence_drops_at_most_the_last(completion: str) -> None:
    whole = rollout_sentences(completion)
    kept = rollout_sentences(completion, drop_cut_off=True)
    assert kept in (whole, whole[:-1])


@pytest.mark.parametrize(
    "unit",
    [
        "a ",
        "(",
        '" ',
        ". ",
        "a\n",
        "a",
        "1. ",
        "... ",
        "(A. b) ",
        "A. ",
        "U.S. ",
        "。",
        "<think>",
        "<think>a",
        "\n",
        "é",
    ],
)
def test_a_long_text_costs_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        started = time.process_time()
        rollout_sentences(text)
        parse_rollout(text)
        return time.process_time() - started

    seconds(1000)
    # The best of three: another process on the core makes any single measurement long.
    long, short = (min(seconds(length) for _ in range(3)) for length in (200_000, 25_000))
    assert long < 5 * 8 * max(short, 0.002)
