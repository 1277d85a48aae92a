"""The count engine: exact co-occurrence counts over a corpus of any size, from memory-mapped files.

In: shards of documents (build), queries (count). Out: an index folder, counts, evidence. Importing this room loads
neither numba nor a kernel; opening or building an index does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corver.index.build import BuildProgress, BuildReport, add_segment, build_index, merge_segments
    from corver.index.estimate import BuildEstimate, estimate_build
    from corver.index.evidence import Passage
    from corver.index.mentions import Mentions, Profile
    from corver.index.query import Index, IndexInfo
    from corver.index.verify import VerifyReport, verify_index

__all__ = [
    "BuildEstimate",
    "BuildProgress",
    "BuildReport",
    "Index",
    "IndexInfo",
    "Mentions",
    "Passage",
    "Profile",
    "VerifyReport",
    "add_segment",
    "build_index",
    "estimate_build",
    "merge_segments",
    "verify_index",
]

_HOMES = {
    "BuildEstimate": "corver.index.estimate",
    "BuildProgress": "corver.index.build",
    "BuildReport": "corver.index.build",
    "Index": "corver.index.query",
    "IndexInfo": "corver.index.query",
    "Mentions": "corver.index.mentions",
    "Passage": "corver.index.evidence",
    "Profile": "corver.index.mentions",
    "VerifyReport": "corver.index.verify",
    "add_segment": "corver.index.build",
    "build_index": "corver.index.build",
    "estimate_build": "corver.index.estimate",
    "merge_segments": "corver.index.build",
    "verify_index": "corver.index.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
