"""Occurrences of phrases, of alternatives and of words without positions, as lists made at query time.

In: the list table of a segment. Out: rows of new lists. Words whose positions the index does not keep are looked for
in the stored texts of the documents that can matter; that is exact, and slow where there are many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import DocumentBatch
from corver.errors import LookupFailedError
from corver.index.kernels.gather import common_documents, gather_phrase, scan_words
from corver.index.layout import DOCUMENTS, FLAGS, MAX_CHUNK, NO_POSITIONS, OCCURRENCES, SMALL
from corver.index.lists import ListTable
from corver.index.segment import Segment
from corver.index.tokenizer import Vocabulary

__all__ = [
    "documents_with",
    "gather_alternatives",
    "gather_phrase_of",
    "occurrences_of",
    "scan_texts",
    "scratch_size",
    "segment_tables",
]

_TEXT_BATCH = 4 << 20  # bytes of text that are tokenized at once


def scratch_size(segment: Segment) -> int:
    """Entries of a scratch array for the kernels: a chunk of documents, or the positions of the longest one."""
    return max(MAX_CHUNK + SMALL, int(segment.lengths[-1]) + 64 if segment.documents else 0)


def segment_tables(segment: Segment) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.uint32]]:
    return segment.groups, segment.group_starts, segment.lengths


def _sound(number: int, segment: Segment) -> int:
    if number < 0:
        raise LookupFailedError(f"{segment.folder} is damaged; run corver index verify, then rebuild the index")
    return number


def documents_with(table: ListTable, rows: Sequence[int]) -> NDArray[np.int64]:
    """Documents of a segment that hold all lists, int64, ascending."""
    lists, segment = table.table, table.segment
    distinct = sorted(set(rows), key=lambda row: int(lists[row, DOCUMENTS]))
    if lists[distinct[0], DOCUMENTS] == 0:
        return np.zeros(0, dtype=np.int64)
    scratch = tuple(np.empty(scratch_size(segment), dtype=np.int64) for _ in range(3))
    out = np.empty(int(lists[distinct[0], DOCUMENTS]), dtype=np.int64)
    found = common_documents(lists, np.array(distinct, dtype=np.int64), segment_tables(segment), out, scratch)
    return out[: _sound(found, segment)]


def scan_texts(segment: Segment, documents: NDArray[np.int64], key: Sequence[str]) -> NDArray[np.uint64]:
    """Occurrences of consecutive words in the stored texts of some documents, found by tokenizing them again."""
    vocabulary = Vocabulary()
    wanted = np.array([vocabulary.add(word) for word in key], dtype=np.int64)
    pieces: list[NDArray[np.uint64]] = []
    start = 0
    while start < documents.size:
        texts: list[bytes] = []
        size = 0
        while start + len(texts) < documents.size and size < _TEXT_BATCH:
            texts.append(segment.text(int(documents[start + len(texts)])))
            size += len(texts[-1])
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        batch = DocumentBatch(
            np.frombuffer(b"".join(texts), dtype=np.uint8), offsets, [""] * len(texts), [""] * len(texts)
        )
        ids, lengths = vocabulary.tokenize(batch)
        out = np.empty(ids.size, dtype=np.uint64)
        found = scan_words(ids, lengths, documents[start : start + len(texts)], wanted, out)
        pieces.append(out[:found])
        start += len(texts)
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint64)


def occurrences_of(
    table: ListTable, rows: Sequence[int], key: Sequence[str], *, within: NDArray[np.int64] | None = None
) -> NDArray[np.uint64]:
    """Occurrences of one list or of consecutive words, document << 32 | position, ascending.

    rows: the list of each word, or the one list of a phrase that was made before. key: the words, for the texts.
    within: only these documents.
    """
    lists, segment = table.table, table.segment
    documents = documents_with(table, rows)
    if within is not None:
        documents = np.intersect1d(documents, within, assume_unique=True)
    if documents.size == 0:
        return np.zeros(0, dtype=np.uint64)
    bare = [bool(lists[row, FLAGS] & NO_POSITIONS) for row in rows]
    kept = [int(lists[row, OCCURRENCES]) for row, is_bare in zip(rows, bare, strict=True) if not is_bare]
    if not kept:
        return scan_texts(segment, documents, key)
    out = np.empty(min(kept), dtype=np.uint64)
    mine, theirs = (np.empty(scratch_size(segment), dtype=np.int64) for _ in range(2))
    found = gather_phrase(lists, np.array(rows, dtype=np.int64), documents, segment_tables(segment), out, mine, theirs)
    out = out[: _sound(found, segment)]
    if not any(bare):
        return out
    candidates = np.unique(out >> np.uint64(32)).astype(np.int64)
    return scan_texts(segment, candidates, key)


def gather_phrase_of(table: ListTable, rows: Sequence[int], key: Sequence[str]) -> int:
    """Row of a new list with the occurrences of a phrase, 0 when there is none."""
    return table.make(occurrences_of(table, rows, key)) if all(rows) else 0


def gather_alternatives(table: ListTable, members: Sequence[tuple[int, str | tuple[str, ...]]]) -> int:
    """Row of a new list with every position of any of the lists, 0 when there is none.

    A list that was made for a phrase has positions; only plain words may lack them.
    """
    pieces = [occurrences_of(table, [row], [key] if isinstance(key, str) else key) for row, key in members if row]
    return table.make(np.unique(np.concatenate(pieces))) if pieces else 0
