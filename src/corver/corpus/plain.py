"""Text files as shards: a file is a document.

In: files of UTF-8 text, with or without a byte-order mark, plain or packed. Out: batches; the title of a document is
the name of its file. This module knows no other format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corver.corpus.document import DocumentBatch, ReadReport
from corver.corpus.records import MAX_RECORD_BYTES, BatchBuilder, note_failed
from corver.corpus.streams import open_plain, packing_of, reading

__all__ = ["TextShard", "plan_text"]

_PACKED = (".gz", ".zst", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class TextShard:
    """A run of files: their paths, and the labels by which reports name them."""

    files: tuple[tuple[Path, str], ...]
    bytes: int
    max_file: int = MAX_RECORD_BYTES

    @property
    def name(self) -> str:
        """The first file and the number of the others."""
        more = len(self.files) - 1
        return self.files[0][1] + (f" and {more} more" if more else "")

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """Its documents; raises `CorpusError` when a file is gone or its packed data is damaged."""
        builder = BatchBuilder(report)
        for path, label in self.files:
            with reading(path), open_plain(path, packing_of(path)) as stream:
                raw = stream.read(self.max_file + 1)
            if len(raw) > self.max_file:
                note_failed(report, "file too long for one document", label)
                continue
            try:
                builder.add(_title(path), raw.decode("utf-8-sig"), "")
            except UnicodeDecodeError:
                note_failed(report, "not valid UTF-8", label)
            if builder.full:
                yield builder.take()
        if len(builder):
            yield builder.take()


def plan_text(files: Sequence[tuple[Path, str, int]], *, target_bytes: int) -> list[TextShard]:
    """Take files (path, label, bytes) together into shards of about `target_bytes`, in their order."""
    shards: list[TextShard] = []
    run: list[tuple[Path, str]] = []
    size = 0
    for path, label, length in files:
        if run and size + length > target_bytes:
            shards.append(TextShard(tuple(run), size))
            run, size = [], 0
        run.append((path, label))
        size += length
    if run:
        shards.append(TextShard(tuple(run), size))
    return shards


def _title(path: Path) -> str:
    name = path.name
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return Path(name).stem
