"""Building an index: shards of documents in, an index folder out.

In: shards. Out: segments and a manifest, written last. Memory stays below what the caller allows: when a segment would
outgrow it, it is written and the next one begun. This module knows no file format of a corpus and no kernel.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corver.corpus.document import ReadReport, Shard, SourceInfo
from corver.errors import CorpusError, UsageError
from corver.index.files import disk_errors, folder_lock, sync_folder
from corver.index.manifest import Manifest, SegmentInfo
from corver.index.writer import SegmentWriter
from corver.text.stopwords import FUNCTION_WORDS

__all__ = ["BuildProgress", "BuildReport", "build_index"]

_BUILD = "build"
_FIXED_BYTES = 96 << 20  # what a build takes whatever its size: buffers of lists, batches, tables
_LEAST_MEMORY = 192 << 20


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build has come. done, total: bytes of the sources. stage: what is being done."""

    stage: str
    done: int
    total: int
    documents: int
    words: int
    seconds: float


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did. read: what became of the records. bytes: of the finished index on disk."""

    path: str
    fingerprint: str
    documents: int
    words: int
    vocabulary: int
    segments: int
    bytes: int
    seconds: float
    read: ReadReport


class _Build:
    """One run of `build_index`: segments done so far and the one in the making."""

    def __init__(self, output: Path, *, memory: int, store_text: bool, level: int) -> None:
        self.folder = output / _BUILD
        self.memory = memory
        self.store_text = store_text
        self.level = level
        self.segments: list[SegmentInfo] = []
        self.writer: SegmentWriter | None = None
        self.documents = self.words = 0

    @property
    def function_words(self) -> frozenset[str]:
        """Positions of function words can only be left out where the text can stand in for them."""
        return FUNCTION_WORDS if self.store_text else frozenset()

    def _name(self) -> str:
        return f"segment-{len(self.segments):04d}"

    def open_writer(self) -> SegmentWriter:
        if self.writer is None:
            folder = self.folder / self._name()
            folder.mkdir(parents=True)
            self.writer = SegmentWriter(
                folder, function_words=self.function_words, keep_text=self.store_text, level=self.level
            )
        return self.writer

    def finish_segment(self) -> None:
        if self.writer is not None and self.writer.documents:
            self.segments.append(self.writer.finish(self._name()))
        self.writer = None

    def read(self, shard: Shard, report: ReadReport, tell: Callable[[int], None]) -> None:
        handed_on = 0
        for batch in shard.batches(report):
            if not len(batch):
                continue
            writer = self.open_writer()
            before = writer.words
            writer.add(batch)
            handed_on += len(batch)
            self.documents += len(batch)
            self.words += writer.words - before
            if writer.bytes > self.memory:
                self.finish_segment()
            tell(handed_on)


def build_index(
    shards: Iterable[Shard],
    output: str | Path,
    *,
    memory: int = 2 << 30,
    workers: int = 1,
    store_text: bool = True,
    level: int = 3,
    sources: Sequence[SourceInfo] = (),
    progress: Callable[[BuildProgress], None] | None = None,
) -> BuildReport:
    """Build an index of all documents of some shards in the folder `output`.

    memory: bytes that the build may take, 192 MiB or more. store_text: keep the texts, zstd-compressed at `level`, for
    evidence; without them the positions of function words are kept instead, so that counts are exact either way.
    sources: recorded in the manifest. progress: called after every batch. Raises CorpusError when there is no document,
    IndexLockedError when another build writes there, UsageError when `output` holds something else.
    """
    if memory < _LEAST_MEMORY:
        raise UsageError(f"a build needs at least {_LEAST_MEMORY >> 20} MiB of memory, {memory >> 20} MiB were allowed")
    if workers < 1:
        raise UsageError(f"{workers} workers make no sense; it must be 1 or more")
    began = time.monotonic()
    output = Path(output)
    todo = list(shards)
    total = sum(shard.bytes for shard in todo)
    report = ReadReport()
    with disk_errors(output), folder_lock(output):
        build = _Build(output, memory=memory - _FIXED_BYTES, store_text=store_text, level=level)
        shutil.rmtree(build.folder, ignore_errors=True)
        done = 0
        for shard in todo:

            def tell(_: int, done: int = done) -> None:
                if progress is not None:
                    seconds = time.monotonic() - began
                    progress(BuildProgress("reading", done, total, build.documents, build.words, seconds))

            build.read(shard, report, tell)
            done += shard.bytes
        build.finish_segment()
        if not build.segments:
            raise CorpusError(f"no document in {len(todo)} shards of the corpus; {_what_was_left_out(report)}")
        manifest = Manifest(tuple(build.segments), tuple(sources), tuple(sorted(build.function_words)), report)
        _publish(output, build.folder, manifest)
    return BuildReport(
        path=str(output),
        fingerprint=manifest.fingerprint(),
        documents=manifest.documents,
        words=manifest.words,
        vocabulary=sum(segment.vocabulary for segment in manifest.segments),
        segments=len(manifest.segments),
        bytes=sum(info.bytes for segment in manifest.segments for info in segment.files.values()),
        seconds=time.monotonic() - began,
        read=report,
    )


def _publish(output: Path, built: Path, manifest: Manifest) -> None:
    """Move finished segments beside the manifest, under names no earlier index has, then write the manifest."""
    taken = {path.name for path in output.iterdir()}
    renamed = []
    for info in manifest.segments:
        number = len(renamed)
        while f"segment-{number:04d}" in taken:
            number += 1
        name = f"segment-{number:04d}"
        taken.add(name)
        (built / info.name).rename(output / name)
        renamed.append(SegmentInfo(name, info.documents, info.words, info.vocabulary, info.has_text, info.files))
    sync_folder(output)
    manifest.with_segments(tuple(renamed)).write(output)
    used = {info.name for info in renamed}
    for path in output.glob("segment-*"):
        if path.name not in used:
            shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(built, ignore_errors=True)


def _what_was_left_out(report: ReadReport) -> str:
    left = [f"{report.empty} empty"] if report.empty else []
    left += [f"{number} skipped ({reason})" for reason, number in report.skipped.items()]
    left += [f"{number} failed ({reason})" for reason, number in report.failed.items()]
    return ", ".join(left) or "the sources hold no record at all"
