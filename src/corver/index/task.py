"""Reading a run of shards into segments: the part of a build that one process does.

In: shards, a folder, a memory limit. Out: segments in that folder and the state that says so. Killed and started
again, it goes on after the last whole segment.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corver.corpus.document import DocumentBatch, ReadReport, Shard
from corver.index.plan import TaskState
from corver.index.writer import SegmentWriter
from corver.text.stopwords import FUNCTION_WORDS

__all__ = ["BuildOptions", "run_task"]

_STATE = "state.json"


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """memory: bytes that one task may take for its segment. level: of zstd."""

    memory: int
    store_text: bool
    level: int

    @property
    def function_words(self) -> frozenset[str]:
        """Positions of function words can only be left out where the text can stand in for them."""
        return FUNCTION_WORDS if self.store_text else frozenset()


def run_task(
    shards: Sequence[Shard], folder: Path, options: BuildOptions, tell: Callable[[int, int, int], None]
) -> TaskState:
    """Read all shards; the final state. tell: called with (source bytes, documents, words) done so far."""
    folder.mkdir(parents=True, exist_ok=True)
    state = TaskState.read(folder / _STATE)
    task = _Task(folder, options, state)
    task.drop_unfinished()
    if state.finished:
        tell(sum(shard.bytes for shard in shards), task.documents, task.words)
        return state
    bytes_before = sum(shard.bytes for shard in shards[: state.shard])
    for number in range(state.shard, len(shards)):
        shard = shards[number]
        report = ReadReport()
        skip = state.document if number == state.shard else 0
        place = 0
        for batch in shard.batches(report):
            fresh = _after(batch, skip - place)
            place += len(batch)
            if len(fresh):
                task.add(fresh, number, place)
            tell(bytes_before, task.documents, task.words)
        task.end_shard(report, number)
        bytes_before += shard.bytes
        tell(bytes_before, task.documents, task.words)
    task.end_segment(len(shards), 0, finished=True)
    return state


def _after(batch: DocumentBatch, skip: int) -> DocumentBatch:
    """A batch without its first `skip` documents."""
    if skip <= 0:
        return batch
    skip = min(skip, len(batch))
    first = int(batch.offsets[skip])
    return DocumentBatch(batch.text[first:], batch.offsets[skip:] - first, batch.titles[skip:], batch.urls[skip:])


class _Task:
    """The segment in the making and the reports of shards that are read to the end but not yet in a saved segment."""

    def __init__(self, folder: Path, options: BuildOptions, state: TaskState) -> None:
        self.folder = folder
        self.options = options
        self.state = state
        self.writer: SegmentWriter | None = None
        self.pending = ReadReport()
        self._documents = sum(segment.documents for segment in state.segments)
        self._words = sum(segment.words for segment in state.segments)

    @property
    def documents(self) -> int:
        return self._documents + (self.writer.documents if self.writer else 0)

    @property
    def words(self) -> int:
        return self._words + (self.writer.words if self.writer else 0)

    def drop_unfinished(self) -> None:
        whole = {segment.name for segment in self.state.segments}
        for path in self.folder.glob("segment-*"):
            if path.name not in whole:
                shutil.rmtree(path)

    def add(self, batch: DocumentBatch, shard: int, document: int) -> None:
        """Add documents, the last of which is number `document` - 1 of its shard."""
        if self.writer is None:
            place = self.folder / f"segment-{len(self.state.segments):04d}"
            place.mkdir()
            options = self.options
            self.writer = SegmentWriter(
                place, function_words=options.function_words, keep_text=options.store_text, level=options.level
            )
        self.writer.add(batch)
        if self.writer.bytes > self.options.memory:
            self.end_segment(shard, document)

    def end_shard(self, report: ReadReport, number: int) -> None:
        self.pending.add(report)
        if self.writer is None and self.state.shard == number:
            self._save(number + 1, 0)

    def end_segment(self, shard: int, document: int, *, finished: bool = False) -> None:
        if self.writer is not None:
            info = self.writer.finish(f"segment-{len(self.state.segments):04d}")
            self.writer = None
            self.state.segments.append(info)
            self._documents += info.documents
            self._words += info.words
        self._save(shard, document, finished=finished)

    def _save(self, shard: int, document: int, *, finished: bool = False) -> None:
        state = self.state
        state.report.add(self.pending)
        self.pending = ReadReport()
        state.shard, state.document, state.finished = shard, document, finished
        state.write(self.folder / _STATE)
