"""What became of the records of each shard of a build, kept on disk so that a build that goes on still knows it.

In: shards. Out: the same shards, each of which leaves its `ReadReport` in a file once it was read to the end; later the
reports in the order of the shards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corver.corpus.document import DocumentBatch, ReadReport, Shard
from corver.index.files import write_atomically

__all__ = ["ReportedShard", "read_reports", "report_shards"]


@dataclass(frozen=True, slots=True)
class ReportedShard:
    """A shard that writes its report to `path` at its end."""

    shard: Shard
    path: Path

    @property
    def name(self) -> str:
        return self.shard.name

    @property
    def bytes(self) -> int:
        return self.shard.bytes

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """The documents of the shard. report: must be a fresh one."""
        yield from self.shard.batches(report)
        write_atomically(self.path, json.dumps(asdict(report)).encode())


def report_shards(shards: Sequence[Shard], folder: Path) -> list[ReportedShard]:
    """The shards, with a place for a report each in a folder, which is made."""
    folder.mkdir(exist_ok=True)
    return [ReportedShard(shard, folder / f"shard-{number:06d}.json") for number, shard in enumerate(shards)]


def read_reports(shards: Sequence[ReportedShard]) -> list[ReadReport]:
    """One report a shard. All of them must have been read to their end."""
    return [ReadReport(**json.loads(shard.path.read_bytes())) for shard in shards]
