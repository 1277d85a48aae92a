"""The blocks of a bzip2 file, read from any place in it.

In: a bzip2 file of one stream or many (MediaWiki's multistream dumps), and a range of its bytes. Out: the plain bytes
of the blocks that start in the range, and of those after it for as long as the reader goes on. No index file is
needed: every block starts with the same 48 bits, at any bit of a byte, and is a whole of its own; put between a header
and a trailer it is a small bzip2 file. This module knows nothing of what is inside.
"""

from __future__ import annotations

import bz2
import mmap
from collections.abc import Iterator
from pathlib import Path

from corver.errors import CorpusError

__all__ = ["check_end", "read_blocks"]

_BLOCK = 0x314159265359
_END = 0x177245385090
_MARK_BITS = 48
_CHECKSUM_BITS = 32
_WINDOW = 1 << 20
_TAIL = 1 << 10
"""Where the mark that ends a stream is looked for: this many bytes before the next stream, or before the file's end."""
_FALSE_MARKS = 2
"""How many marks inside a block may turn out to be chance before the file is called damaged."""


def read_blocks(path: Path, start: int, end: int) -> Iterator[tuple[bytes, bool]]:
    """Plain bytes of the blocks whose marks start at a byte in [start, end), then of all that follow.

    Each with True when it belongs to the range. Raises `CorpusError` when a block is damaged (its checksum says so) and
    EOFError when the file ends inside a stream.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        marks = list(_take(_marks(data, start), 1))
        if not marks or marks[0] >= 8 * end:
            return
        later = _marks(data, marks[0] // 8 + 1) if marks[0] % 8 == 0 else _marks_after(data, marks[0])
        mark: int | None = marks[0]
        ahead: list[int] = []
        while mark is not None:
            plain = None
            for tried in range(_FALSE_MARKS + 1):
                while len(ahead) <= tried and (upcoming := next(later, None)) is not None:
                    ahead.append(upcoming)
                following = ahead[tried] if tried < len(ahead) else None
                plain = _block(data, mark, following)
                if plain is not None or following is None:
                    break
            if plain is None:
                raise CorpusError(f"{path}: damaged bzip2 data near byte {mark // 8}; fetch the file again")
            yield plain, mark < 8 * end
            mark = following
            del ahead[: tried + 1]


def check_end(path: Path) -> None:
    """Raise `CorpusError` when a bzip2 file does not end as one should: a download that broke off, most likely."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL))
        tail = file.read()
    if not any(True for _ in _find(tail, _END)):
        raise CorpusError(f"{path}: the file ends early (a broken download?); fetch it again")


def _take(marks: Iterator[int], number: int) -> Iterator[int]:
    for _, mark in zip(range(number), marks, strict=False):
        yield mark


def _marks_after(data: mmap.mmap, mark: int) -> Iterator[int]:
    return (other for other in _marks(data, mark // 8) if other > mark)


def _marks(data: mmap.mmap, start: int) -> Iterator[int]:
    """Bit positions of block marks from byte `start` on, in order."""
    for base in range(start, len(data), _WINDOW):
        window = data[base : base + _WINDOW + _MARK_BITS // 8]
        found = [8 * base + bit for bit in _find(window, _BLOCK) if bit < 8 * _WINDOW]
        yield from sorted(found)


def _find(window: bytes, mark: int) -> Iterator[int]:
    """Bit positions of a mark in some bytes, in no order.

    At each of the eight places in a byte the middle of the mark is five whole bytes, which a plain search finds.
    """
    for shift in range(8):
        middle = (mark >> shift & (1 << 40) - 1).to_bytes(5, "big")
        at = window.find(middle)
        while at >= 0:
            bit = 8 * at - (8 - shift)
            if bit >= 0 and _bits(window, bit, _MARK_BITS) == mark:
                yield bit
            at = window.find(middle, at + 1)


def _bits(data: bytes | mmap.mmap, start: int, length: int) -> int:
    """Bits [start, start + length) as a number; bits past the end are 0."""
    first, last = start // 8, (start + length + 7) // 8
    raw = data[first:last].ljust(last - first, b"\0")
    return int.from_bytes(raw, "big") >> (8 * last - start - length) & (1 << length) - 1


def _block(data: mmap.mmap, mark: int, following: int | None) -> bytes | None:
    """The plain bytes of the block at `mark`, which ends before the mark that follows; None when they make no block."""
    end = _end_of_block(data, mark, following)
    checksum = _bits(data, mark + _MARK_BITS, _CHECKSUM_BITS)
    # A stream of a single block carries the block's own checksum as that of the whole.
    body = _bits(data, mark, end - mark) << (_MARK_BITS + _CHECKSUM_BITS) | _END << _CHECKSUM_BITS | checksum
    length = end - mark + _MARK_BITS + _CHECKSUM_BITS
    packed = (body << -length % 8).to_bytes((length + 7) // 8, "big")
    try:
        return bz2.decompress(b"BZh9" + packed)
    except (OSError, ValueError, EOFError):
        return None


def _end_of_block(data: mmap.mmap, mark: int, following: int | None) -> int:
    """Where a block ends: at the next block, or at the end of its stream if that comes first."""
    limit = len(data) if following is None else following // 8
    if following is not None and (following % 8 or data[limit - 4 : limit - 1] != b"BZh"):
        return following
    base = max(mark // 8, limit - _TAIL)
    ends = [8 * base + bit for bit in _find(data[base:limit], _END)]
    ends = [end for end in ends if end > mark]
    if ends:
        return min(ends)
    if following is None:
        raise EOFError
    return following
