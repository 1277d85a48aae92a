"""Alignment: which sentence does each sampled token belong to?

In: the sampled token ids of one completion, a way to turn ids into bytes or text, and sentence spans. Out: the
completion's text and σ(t), the sentence of each token. Text is never encoded again: spans come from the sampled ids
alone, so an emoji or an accent split over several tokens shifts nothing. This module knows no tokenizer library; a
trainer passes a `Detokenizer`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corver.errors import AlignmentError
from corver.types import Span

__all__ = ["ByteDetokenizer", "Detokenizer", "PrefixDetokenizer", "TokenText", "sentence_of_tokens"]

NO_SENTENCE = -1


@dataclass(frozen=True, slots=True)
class TokenText:
    """A completion's text and the code points that each of its T tokens stands for.

    start_T, end_T: int64 offsets into text. A token that carries only part of a character covers that whole character,
    so several tokens may share one; a special token (EOS, pad) covers nothing.
    """

    text: str
    start_T: NDArray[np.int64]
    end_T: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.start_T.size)


class Detokenizer(Protocol):
    """Sampled ids to text with the extent of every token."""

    def __call__(self, ids: Sequence[int]) -> TokenText:
        """Raises AlignmentError when ids and text cannot be brought together."""
        ...


class ByteDetokenizer:
    """For byte-level vocabularies: every id stands for fixed bytes, the text is their UTF-8.

    token_bytes: bytes of id i at position i, None for an id the vocabulary lacks. special: ids that carry no text.
    Bytes that are not UTF-8 become U+FFFD exactly as Python's `errors="replace"` does it.
    """

    def __init__(self, token_bytes: Sequence[bytes | None], *, special: Collection[int] = ()) -> None:
        self._bytes = token_bytes
        self._special = frozenset(special)

    def __call__(self, ids: Sequence[int]) -> TokenText:
        pieces = [self._piece(number) for number in ids]
        text, first_N, last_N = _decode_with_extents(b"".join(pieces))
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        starts = ends - np.array([len(piece) for piece in pieces], dtype=np.int64)
        empty = starts == ends
        # Empty tokens sit between two bytes; clip so that one at the very end has a neighbour to take its place from.
        char_start = first_N[np.minimum(starts, max(first_N.size - 1, 0))] if first_N.size else starts
        char_end = last_N[np.maximum(ends - 1, 0)] if last_N.size else ends
        at_end = empty & (starts == first_N.size)
        char_start = np.where(at_end, len(text), char_start)
        return TokenText(text, char_start, np.where(empty, char_start, char_end))

    def _piece(self, number: int) -> bytes:
        if number in self._special:
            return b""
        piece = self._bytes[number] if 0 <= number < len(self._bytes) else None
        if piece is None:
            raise AlignmentError(f"token id {number} is not in the vocabulary of {len(self._bytes)} entries")
        return piece


class PrefixDetokenizer:
    """For any tokenizer: extents from decoding growing prefixes of the ids.

    decode: ids to text, special tokens kept out, no clean-up of spaces. Prefixes restart `context` tokens back, which
    keeps a long completion linear; a restart point must decode to the same text on its own, otherwise decoding goes
    back to the beginning. Raises AlignmentError if the pieces do not add up to the whole text.
    """

    def __init__(self, decode: Callable[[list[int]], str], *, special: Collection[int] = (), context: int = 64) -> None:
        self._decode = decode
        self._special = frozenset(special)
        self._context = context

    def __call__(self, ids: Sequence[int]) -> TokenText:
        numbers = list(ids)
        kept = [number for number in numbers if number not in self._special]
        text = self._decode(kept)
        ends_K = self._prefix_lengths(kept, text)
        start_T = np.zeros(len(numbers), dtype=np.int64)
        end_T = np.zeros(len(numbers), dtype=np.int64)
        position, seen = 0, 0
        for place, number in enumerate(numbers):
            start_T[place] = end_T[place] = position
            if number not in self._special:
                # A piece of a character adds nothing yet: it shares the character that a later token completes.
                end_T[place] = max(ends_K[seen], min(position + 1, len(text)))
                position = ends_K[seen]
                seen += 1
        if position != len(text):
            raise AlignmentError(f"{len(numbers)} token ids decode to {len(text)} characters, aligned {position}")
        return TokenText(text, start_T, end_T)

    def _prefix_lengths(self, ids: list[int], text: str) -> list[int]:
        lengths: list[int] = []
        anchor, anchor_length = 0, 0
        for count in range(1, len(ids) + 1):
            piece = self._decode(ids[anchor:count])
            length = anchor_length + _common_prefix(piece, text, anchor_length)
            if count == len(ids):
                length = len(text)
            lengths.append(max(length, lengths[-1] if lengths else 0))
            whole = anchor_length + len(piece) == lengths[-1]
            if whole and count - anchor >= self._context and self._restarts(ids, count, text, lengths[-1]):
                anchor, anchor_length = count, lengths[-1]
        return lengths

    def _restarts(self, ids: list[int], at: int, text: str, length: int) -> bool:
        """Whether decoding from `at` gives the text that stands there (SentencePiece drops a leading space)."""
        following = self._decode(ids[at : at + 8])
        return len(following) > 0 and text.startswith(following.rstrip("\ufffd"), length)


def sentence_of_tokens(tokens: TokenText, sentences: Sequence[Span]) -> NDArray[np.int64]:
    """σ(t): the sentence of each token, −1 on tags, on whitespace between sentences and on special tokens.

    A token that reaches over a border belongs to the first sentence that it carries a character of. sentences: in
    order, not overlapping, within the text. Raises AlignmentError otherwise.
    """
    owner_N = np.full(len(tokens.text) + 1, NO_SENTENCE, dtype=np.int64)
    reached = 0
    for number, span in enumerate(sentences):
        if span.start < reached or span.end > len(tokens.text):
            raise AlignmentError(f"sentence [{span.start}, {span.end}) overlaps another or leaves the text")
        owner_N[span.start : span.end] = number
        reached = span.end
    # next_N[i]: the first position >= i that some sentence owns.
    positions = np.where(owner_N >= 0, np.arange(owner_N.size), owner_N.size)
    next_N = np.minimum.accumulate(positions[::-1])[::-1]
    first_T = next_N[tokens.start_T]
    inside_T = first_T < tokens.end_T
    return np.where(inside_T, owner_N[np.minimum(first_T, owner_N.size - 1)], NO_SENTENCE)


def _decode_with_extents(raw: bytes) -> tuple[str, NDArray[np.int64], NDArray[np.int64]]:
    """UTF-8 with replacement, and for every byte the start and the end of the character it went into."""
    text = raw.decode("utf-8", errors="replace")
    first_N = np.zeros(len(raw), dtype=np.int64)
    if raw.isascii():
        first_N[:] = np.arange(len(raw))
        return text, first_N, first_N + 1
    position = 0
    for number, (start, end) in enumerate(_character_bytes(raw, text)):
        first_N[start:end] = number
        position = end
    if position != len(raw):
        raise AlignmentError(f"{len(raw)} bytes decode to {len(text)} characters that cover {position} bytes")
    return text, first_N, first_N + 1


def _character_bytes(raw: bytes, text: str) -> list[tuple[int, int]]:
    """Byte range of each character of `text`, the replacement decoding of `raw`."""
    ranges: list[tuple[int, int]] = []
    position = 0
    for character in text:
        encoded = character.encode("utf-8")
        whole = raw.startswith(encoded, position)
        end = position + len(encoded) if whole else _malformed_end(raw, position)
        ranges.append((position, end))
        position = end
    return ranges


def _malformed_end(raw: bytes, start: int) -> int:
    """End of the malformed bytes that Python replaces by one U+FFFD."""
    try:
        raw[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        return start + error.end
    raise AlignmentError(f"byte {start} was replaced although it decodes")


def _common_prefix(piece: str, text: str, offset: int) -> int:
    """Length of the longest prefix of `piece` that stands in `text` at `offset`."""
    if text.startswith(piece, offset):
        return len(piece)
    low, high = 0, len(piece)
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(piece[:middle], offset):
            low = middle
        else:
            high = middle - 1
    return low
