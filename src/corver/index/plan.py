"""What a build is to do, and how far it has come: enough to go on after it was killed.

In: shards and options. Out: tasks (runs of shards that one process reads), their states on disk. A task ends a segment
whenever its memory is full; after each segment its state says how many documents of which shard are in it. Shards give
the same documents in the same order every time, so that those can be skipped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corver.corpus.document import ReadReport, Shard, SourceInfo
from corver.index.files import write_atomically
from corver.index.manifest import FORMAT_VERSION, FileInfo, SegmentInfo
from corver.text.words import UNICODE_VERSION, WORD_RULES_VERSION

__all__ = ["TaskState", "plan_digest", "split_shards"]


def plan_digest(shards: Sequence[Shard], sources: Sequence[SourceInfo], options: Sequence[object]) -> str:
    """A hash of everything that decides what a build makes; an unfinished build of another plan is thrown away."""
    basis = {
        "format": FORMAT_VERSION,
        "words": [WORD_RULES_VERSION, UNICODE_VERSION],
        "shards": [[shard.name, shard.bytes] for shard in shards],
        "sources": [[source.name, source.bytes, source.sha256] for source in sources],
        "options": list(options),
    }
    return hashlib.sha256(json.dumps(basis, sort_keys=True).encode()).hexdigest()


def split_shards(shards: Sequence[Shard], parts: int) -> list[list[Shard]]:
    """At most `parts` runs of shards of about equal size, in order, none empty."""
    total = sum(max(1, shard.bytes) for shard in shards)
    runs: list[list[Shard]] = [[] for _ in range(max(1, min(parts, len(shards))))]
    before = 0
    for shard in shards:
        middle = before + max(1, shard.bytes) / 2
        runs[min(len(runs) - 1, int(middle * len(runs) / total))].append(shard)
        before += max(1, shard.bytes)
    return [run for run in runs if run]


@dataclass(slots=True)
class TaskState:
    """How far a task has come.

    shard, document: where the next segment starts. report: of the shards that were read to the end.
    """

    segments: list[SegmentInfo] = field(default_factory=list)
    shard: int = 0
    document: int = 0
    finished: bool = False
    report: ReadReport = field(default_factory=ReadReport)

    def write(self, path: Path) -> None:
        """Save it, whole or not at all."""
        write_atomically(path, json.dumps(asdict(self)).encode())

    @classmethod
    def read(cls, path: Path) -> TaskState:
        """The saved state, or the beginning when there is none or it cannot be read."""
        try:
            content: dict[str, Any] = json.loads(path.read_bytes())
            segments = [
                SegmentInfo(**{**row, "files": {n: FileInfo(**f) for n, f in row["files"].items()}})
                for row in content.pop("segments")
            ]
            return cls(segments=segments, report=ReadReport(**content.pop("report")), **content)
        except (OSError, ValueError, KeyError, TypeError):
            return cls()
