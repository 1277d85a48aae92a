"""The files of a segment and how documents are grouped: what its writer and its reader share.

In: document lengths. Out: the names of the files and the boundaries of the groups. It knows no words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCKS", "GROUPS", "LENGTHS", "ORDER", "POSTINGS", "TERMS", "document_groups", "group_boundaries"]

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
