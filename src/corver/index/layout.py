"""What the writer, the reader and the kernels of a segment share: names of files, numbers of the format, groups.

In: document lengths. Out: the boundaries of document groups, and constants. It knows no words and loads no kernel.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Kind = TypeVar("_Kind", bound=np.generic)

SMALL = 128  # lists of at most so many documents are one chunk
MAX_CHUNK = 4096  # no chunk has more documents
TERM_BLOCK = 16  # words that share a block of the vocabulary
NO_POSITIONS = 1  # bit of FLAGS
ABSENT = -1  # a word that the vocabulary lacks
CORRUPT = -2  # bytes that contradict themselves

# Columns of a table of resolved lists, int64 (lists, COLUMNS).
ADDRESS, BYTES, DOCUMENTS, OCCURRENCES, SHIFT, CHUNKS, FLAGS, BITMAP, RANKS, LAST = range(10)
COLUMNS = 10

POSTINGS = "postings.bin"
TERMS = "terms.bin"
BLOCKS = "terms.blocks"
LENGTHS = "documents.lengths"
ORDER = "documents.order"
GROUPS = "documents.groups"

_GROUP_DOCUMENTS = 8
_MOST_GROUPS = 1 << 16


def group_boundaries(lengths: NDArray[np.uint32]) -> NDArray[np.int64]:
    """First document of each group and the number of documents, int64 (groups + 1,).

    Groups hold about as many distinct words each, so that a list has about as many documents in one as in another:
    the distinct words of a text grow with its length to the power of 0.65.
    """
    documents = lengths.size
    groups = max(1, min(_MOST_GROUPS, documents // _GROUP_DOCUMENTS))
    weight = np.cumsum(np.maximum(lengths, 1).astype(np.float64) ** 0.65)
    targets = np.arange(groups + 1) * (weight[-1] / groups)
    starts: NDArray[np.int64] = np.searchsorted(weight, targets, side="right").astype(np.int64)
    starts[0], starts[-1] = 0, documents
    return starts


def document_groups(starts: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Group of every document, uint16 (D,)."""
    return np.repeat(np.arange(starts.size - 1, dtype=np.uint16), np.diff(starts))


def read_only(array: NDArray[_Kind]) -> NDArray[_Kind]:
    """A contiguous view that cannot be written: one compiled signature, whoever owns the buffer."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
