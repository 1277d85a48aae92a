"""Read a completion in the rollout format: `<think> … </think> <answer> … </answer>`.

In: the text of a completion, complete or cut off. Out: the spans of its tags and blocks, what is wrong with its
format, and its sentences. This module knows nothing of tokens, rewards or the right answer.

Nothing is ever refused: a completion without tags is one stretch of text outside any block, an unclosed block reaches
to the end of the text or to the next block, of doubled blocks the last one counts, and of nested tags the innermost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corver.text.sentences import split_sentences
from corver.types import Span

__all__ = ["FormatFault", "ParsedRollout", "Tag", "TagName", "cut_off_sentence", "parse_rollout", "rollout_sentences"]

TagName: TypeAlias = Literal["think", "answer"]
FormatFault: TypeAlias = Literal[
    "think_missing",
    "think_unclosed",
    "think_empty",
    "think_repeated",
    "answer_missing",
    "answer_unclosed",
    "answer_empty",
    "answer_repeated",
    "out_of_order",
    "text_outside",
]

_TAG = re.compile(r"<\s*(/?)\s*(think|answer)\s*>", re.IGNORECASE)
# A tag that the length limit cut in two, at the very end of the text. "<" alone is as good as text.
_CUT_TAG = re.compile(r"<(?:/|/?(?:t|th|thi|thin|think|a|an|ans|answ|answe|answer))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag as it stands in the text. `cut`: only its beginning is there, at the end of the completion."""

    name: TagName | None
    closing: bool
    span: Span
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ParsedRollout:
    """The parts of a completion.

    think, answer: what stands in the block, without surrounding whitespace; None when its tag never opens (or holds
    nothing but whitespace: then the span is empty). stretches: all text that is not a tag, in order. outside: the
    stretches that lie in neither block. faults: what keeps the completion from being well formed, each named once.
    """

    tags: tuple[Tag, ...]
    think: Span | None
    answer: Span | None
    stretches: tuple[Span, ...]
    outside: tuple[Span, ...]
    faults: tuple[FormatFault, ...]

    @property
    def well_formed(self) -> bool:
        """Think and answer each present, closed, not empty, once, in this order. Text around them is forgiven."""
        return not any(fault != "text_outside" for fault in self.faults)


@dataclass(frozen=True, slots=True)
class _Block:
    """An opened block: its content and whether its own closing tag ends it."""

    name: TagName
    content: Span
    closed: bool


def parse_rollout(completion: str, *, think_opened: bool = False) -> ParsedRollout:
    """Take a completion apart.

    think_opened: the prompt already ends in `<think>`, as some chat templates do; the completion then begins inside
    that block.
    """
    tags = _find_tags(completion)
    stretches = _between(tags, len(completion))
    blocks = _find_blocks(tags, len(completion), think_opened=think_opened)
    found: dict[TagName, list[_Block]] = {"think": [], "answer": []}
    for block in blocks:
        found[block.name].append(block)
    # A block reaches from one tag to the next, so its content is a stretch.
    inside = {block.content for block in blocks}
    outside = tuple(
        trimmed for stretch in stretches if stretch not in inside and (trimmed := _trim(completion, stretch))
    )
    faults = _faults(completion, tags, found, think_opened=think_opened)
    if outside:
        faults.append("text_outside")
    return ParsedRollout(
        tags=tags,
        think=_content(completion, found["think"]),
        answer=_content(completion, found["answer"]),
        stretches=stretches,
        outside=outside,
        faults=tuple(faults),
    )


def rollout_sentences(completion: str, *, drop_cut_off: bool = False) -> list[Span]:
    """Spans of the sentences of a completion, in order; none of them touches a tag.

    Text outside the blocks has sentences like any other, so that every non-whitespace code point is in exactly one
    tag or sentence. drop_cut_off: the caller knows that the length limit ended this completion; its last sentence is
    left out (see `cut_off_sentence`).
    """
    spans: list[Span] = []
    for stretch in _between(_find_tags(completion), len(completion)):
        spans.extend(span.shift(stretch.start) for span in split_sentences(stretch.of(completion)))
    if drop_cut_off and spans and _is_last(completion, spans[-1]):
        spans.pop()
    return spans


def cut_off_sentence(completion: str) -> Span | None:
    """The sentence that a length limit cut, given that it cut this completion; None when a tag stands after the text.

    A stop at the very end is no proof of a whole sentence ("worth 3." may have become "worth 3.5 million"), so it
    does not count.
    """
    spans = rollout_sentences(completion)
    return spans[-1] if spans and _is_last(completion, spans[-1]) else None


def _is_last(completion: str, span: Span) -> bool:
    return not completion[span.end :].strip()


def _find_tags(completion: str) -> tuple[Tag, ...]:
    if "<" not in completion:
        return ()
    tags = [
        Tag("think" if match[2].lower() == "think" else "answer", bool(match[1]), Span(*match.span()))
        for match in _TAG.finditer(completion)
    ]
    cut = _CUT_TAG.search(completion, max(0, len(completion) - len("</answer")))
    if cut:
        tags.append(Tag(None, completion.startswith("</", cut.start()), Span(*cut.span()), cut=True))
    return tuple(tags)


def _between(tags: tuple[Tag, ...], end: int) -> tuple[Span, ...]:
    """The stretches of text between tags, empty ones left out."""
    stretches = []
    start = 0
    for tag in tags:
        if start < tag.span.start:
            stretches.append(Span(start, tag.span.start))
        start = tag.span.end
    if start < end:
        stretches.append(Span(start, end))
    return tuple(stretches)


def _find_blocks(tags: tuple[Tag, ...], end: int, *, think_opened: bool) -> list[_Block]:
    """Every opening tag begins a block that ends at the next tag, whatever that is."""
    blocks: list[_Block] = []
    opened: tuple[TagName, int] | None = ("think", 0) if think_opened else None
    for tag in tags:
        if opened:
            closed = tag.closing and tag.name == opened[0]
            blocks.append(_Block(opened[0], Span(opened[1], tag.span.start), closed))
        opened = (tag.name, tag.span.end) if tag.name and not tag.closing else None
    if opened:
        blocks.append(_Block(opened[0], Span(opened[1], end), closed=False))
    return blocks


def _trim(text: str, span: Span) -> Span:
    """The span without surrounding whitespace; empty when it holds nothing else."""
    piece = span.of(text)
    left = span.start + len(piece) - len(piece.lstrip())
    return Span(left, max(left, span.start + len(piece.rstrip())))


def _content(completion: str, blocks: list[_Block]) -> Span | None:
    """The content of the last closed block, else of the last block."""
    closed = [block for block in blocks if block.closed]
    chosen = closed or blocks
    return _trim(completion, chosen[-1].content) if chosen else None


def _faults(
    completion: str, tags: tuple[Tag, ...], found: dict[TagName, list[_Block]], *, think_opened: bool
) -> list[FormatFault]:
    faults: list[FormatFault] = []
    for name, missing, unclosed, empty, repeated in _FAULT_NAMES:
        blocks = found[name]
        opening = sum(1 for tag in tags if tag.name == name and not tag.closing)
        closing = sum(1 for tag in tags if tag.name == name and tag.closing)
        if not blocks:
            faults.append(missing)
            continue
        if not any(block.closed for block in blocks):
            faults.append(unclosed)
        if all(not block.content.of(completion).strip() for block in blocks):
            faults.append(empty)
        if opening + (think_opened and name == "think") > 1 or closing > 1:
            faults.append(repeated)
    expected = ["think", "/think", "answer", "/answer"][1 if think_opened else 0 :]
    order = [("/" if tag.closing else "") + tag.name for tag in tags if tag.name]
    if not faults and order != expected:
        faults.append("out_of_order")
    return faults


_FAULT_NAMES: tuple[tuple[TagName, FormatFault, FormatFault, FormatFault, FormatFault], ...] = (
    ("think", "think_missing", "think_unclosed", "think_empty", "think_repeated"),
    ("answer", "answer_missing", "answer_unclosed", "answer_empty", "answer_repeated"),
)
