"""Building, extending and merging an index.

In: shards of documents, an index folder. Out: segments and a manifest, written last: a reader sees the old index or
the new one, never half of one. Memory stays within what the caller allows; a build that was killed goes on after its
last whole segment when it is started again. This module knows no file format of a corpus and no kernel.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corver.corpus.document import ReadReport, Shard, SourceInfo
from corver.errors import CorpusError, CorverError, UsageError
from corver.index.estimate import BuildEstimate, estimate_build
from corver.index.files import disk_errors, folder_lock, sync_folder, write_atomically
from corver.index.manifest import MANIFEST_NAME, Manifest, SegmentInfo
from corver.index.plan import TaskState, plan_digest, split_shards
from corver.index.reports import read_reports, report_shards
from corver.index.task import BuildOptions
from corver.index.workers import run_tasks

__all__ = [
    "BuildProgress",
    "BuildReport",
    "Check",
    "Stage",
    "add_segment",
    "build_index",
    "check_folder",
    "check_room",
    "merge_segments",
    "usual_workers",
]

_BUILD = "build"
_PLAN = "plan"
_REPORTS = "reports"
_OWN = re.compile(r"segment-\d+|lost\+found|\..*")
_OWN_BUILD = re.compile(r"plan(\.new)?|reports|(task|alone|merged)-\d+|\..*")
_FIXED_BYTES = 120 << 20  # what a task takes whatever its size: buffers of lists, batches, tables, compiled code
_LEAST_MEMORY = 192 << 20
_MOST_WORDS = 1 << 32  # in one segment

Stage = str
"""reading (done and total are source bytes) or merging (words)."""


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build has come. done, total: source bytes while reading, words while merging."""

    stage: Stage
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


Progress = Callable[[BuildProgress], None]

Check = Callable[[Sequence[ReadReport]], None]
"""Called with one report a shard, in their order, before anything is published; what it raises ends the build."""


def usual_workers(memory: int, cores: int) -> int:
    """One worker a core, as far as the memory goes round."""
    return max(1, min(cores, memory // _LEAST_MEMORY))


def check_folder(folder: Path) -> None:
    """Raise UsageError when a folder holds other things and neither an index nor an unfinished build.

    Segments among somebody's files would be hard to tell from them, and a folder `build` of theirs would be lost.
    """
    if not folder.is_dir() or (folder / MANIFEST_NAME).exists():
        return
    build = folder / _BUILD
    foreign = [path for path in _entries(folder) if not _OWN.fullmatch(path.name) and path != build]
    if _entries(build):
        strange = [path for path in _entries(build) if not _OWN_BUILD.fullmatch(path.name)]
        foreign = strange if strange or (build / _PLAN).is_file() else foreign
    elif build.is_file():
        foreign.append(build)
    if foreign:
        name = foreign[0].relative_to(folder)
        raise UsageError(f"{folder} holds other files ({name}) and no index; name a new or an empty folder")


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def check_room(folder: Path, estimate: BuildEstimate) -> None:
    """Raise CorverError when the disk of a folder, which need not exist yet, cannot hold a build there.

    Estimates are good to within a factor of two, so half of the room is enough to begin.
    """
    place = folder.absolute()
    while not place.is_dir():
        if place.exists():
            raise CorverError(f"{place} is a file, not a folder for an index")
        place = place.parent
    free = shutil.disk_usage(place).free + _size(folder / _BUILD)
    _demand_room(folder, free, estimate.disk_peak, least=estimate.disk_peak // 2)


def _size(folder: Path) -> int:
    """Bytes of an unfinished build, which is gone on with or thrown away: room either way."""
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except FileNotFoundError:
        return 0  # Another process is writing there; the lock will say so.


def _demand_room(folder: Path, free: int, wanted: int, *, least: int) -> None:
    if free < least:
        raise CorverError(
            f"{folder} has {free >> 20} MiB free, and the work will take about {wanted >> 20} MiB at its widest; "
            "choose another disk, or fewer sources"
        )


def build_index(
    shards: Iterable[Shard],
    output: str | Path,
    *,
    memory: int = 2 << 30,
    workers: int = 1,
    store_text: bool = True,
    level: int = 3,
    sources: Sequence[SourceInfo] = (),
    check: Check | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Build an index of all documents of some shards in the folder `output`.

    memory: bytes that the build may take, 192 MiB a worker or more. workers: processes that read side by side (with
    more than one, call it from a module that can be imported). store_text: keep the texts, zstd-compressed at `level`,
    for evidence; without them the positions of function words are kept instead, so that counts are exact either way.
    sources: recorded in the manifest. check: may refuse what was read (`Corpus.check`). progress: called after every
    batch. An index that `output` holds is replaced once the new one is whole. Raises CorpusError when there is no
    document, UsageError when the folder holds other files and no index, IndexLockedError when another build writes
    there, CorverError when the disk is too small or full.
    """
    work = _Work(Path(output), memory, workers, progress)
    options = BuildOptions(work.task_memory(), store_text, level)
    with disk_errors(work.output):
        check_folder(work.output)
    with disk_errors(work.output), folder_lock(work.output):
        manifest = work.read(list(shards), options, sources, check)
        work.publish(manifest, keep=())
    return work.report(manifest)


def add_segment(
    shards: Iterable[Shard],
    path: str | Path,
    *,
    memory: int = 2 << 30,
    workers: int = 1,
    level: int = 3,
    sources: Sequence[SourceInfo] = (),
    check: Check | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Add documents to an index as new segments. Handles that are open go on seeing the index as it was.

    Raises what `build_index` does, and IndexFormatError when there is no index to add to.
    """
    work = _Work(Path(path), memory, workers, progress)
    old = Manifest.read_from(work.output)
    options = BuildOptions(work.task_memory(), all(segment.has_text for segment in old.segments), level)
    with disk_errors(work.output), folder_lock(work.output):
        old = Manifest.read_from(work.output)
        fresh = work.read(list(shards), options, sources, check)
        if set(fresh.function_words) != set(old.function_words):
            raise UsageError(f"{path} keeps other words without positions than this corver does; rebuild it")
        read = ReadReport()
        read.add(old.read)
        read.add(fresh.read)
        manifest = replace(old, sources=(*old.sources, *fresh.sources), read=read)
        manifest = work.publish(manifest, keep=old.segments, fresh=fresh.segments)
    return work.report(manifest)


def merge_segments(path: str | Path, *, memory: int = 2 << 30, progress: Progress | None = None) -> BuildReport:
    """Make as few segments of an index as fit into 4 G words and `memory` each; counts stay the same.

    An unfinished build in the folder is thrown away. Raises CorverError when the disk has no room for the result.
    """
    work = _Work(Path(path), memory, 1, progress)
    with disk_errors(work.output), folder_lock(work.output):
        manifest = Manifest.read_from(work.output)
        if len(manifest.segments) > 1:
            shutil.rmtree(work.build, ignore_errors=True)
            size = sum(info.bytes for segment in manifest.segments for info in segment.files.values())
            _demand_room(work.output, shutil.disk_usage(work.output).free, size, least=size)
            work.build.mkdir()
            parts = [(work.output / segment.name, segment) for segment in manifest.segments]
            merged = work.merge(parts)
            kept = tuple(info for place, info in merged if place.parent == work.output)
            fresh = tuple(info for place, info in merged if place.parent != work.output)
            if fresh:
                manifest = work.publish(manifest, keep=kept, fresh=fresh)
    return work.report(manifest)


class _Work:
    """One run of a command that writes to an index folder."""

    def __init__(self, output: Path, memory: int, workers: int, progress: Progress | None) -> None:
        if workers < 1:
            raise UsageError(f"{workers} workers make no sense; it must be 1 or more")
        if memory < _LEAST_MEMORY * workers:
            raise UsageError(
                f"a build with {workers} workers needs at least {_LEAST_MEMORY * workers >> 20} MiB of memory, "
                f"{memory >> 20} MiB were allowed"
            )
        self.output = output
        self.build = output / _BUILD
        self.memory = memory
        self.workers = workers
        self._progress = progress
        self._began = time.monotonic()

    def task_memory(self) -> int:
        """What the segment in the making of one worker may take."""
        return self.memory // self.workers - _FIXED_BYTES

    def tell(self, stage: Stage, done: int, total: int, documents: int, words: int) -> None:
        if self._progress is not None:
            self._progress(BuildProgress(stage, done, total, documents, words, time.monotonic() - self._began))

    def read(
        self, shards: Sequence[Shard], options: BuildOptions, sources: Sequence[SourceInfo], check: Check | None
    ) -> Manifest:
        """Read all shards into merged segments in the build folder."""
        estimate = estimate_build(shards, memory=self.memory, workers=self.workers, store_text=options.store_text)
        check_room(self.output, estimate)
        tasks = min(self.workers, len(shards))
        self._begin(plan_digest(shards, sources, [options.memory, options.store_text, options.level, tasks, _REPORTS]))
        reported = report_shards(shards, self.build / _REPORTS)
        states = self._read_tasks(reported, options)
        parts = [
            (self.build / f"task-{number:04d}" / info.name, info)
            for number, state in enumerate(states)
            for info in state.segments
        ]
        report = self._accept(read_reports(reported), check, some=bool(parts))
        merged = self.merge(parts)
        for number, (place, info) in enumerate(merged):
            if place.parent != self.build:  # was alone: nothing to merge
                target = self.build / f"alone-{number:04d}"
                place.rename(target)
                merged[number] = (target, replace(info, name=target.name))
        return Manifest(
            tuple(info for _, info in merged), tuple(sources), tuple(sorted(options.function_words)), report
        )

    def _read_tasks(self, shards: Sequence[Shard], options: BuildOptions) -> list[TaskState]:
        total = sum(shard.bytes for shard in shards)
        return run_tasks(
            split_shards(shards, self.workers),
            self.build,
            options,
            lambda done, documents, words: self.tell("reading", done, total, documents, words),
        )

    def _accept(self, reports: Sequence[ReadReport], check: Check | None, *, some: bool) -> ReadReport:
        """The sum of the reports. Without documents, or when `check` says no, the build is thrown away."""
        report = ReadReport()
        for part in reports:
            report.add(part)
        try:
            if check is not None:
                check(reports)
            if not some:
                raise CorpusError(f"no document in {len(reports)} shards of the corpus; {_what_was_left_out(report)}")
        except CorverError:
            shutil.rmtree(self.build, ignore_errors=True)
            raise
        return report

    def _begin(self, digest: str) -> None:
        """Go on with an unfinished build of the same plan, or begin anew."""
        plan = self.build / _PLAN
        if not plan.is_file() or plan.read_text() != digest:
            shutil.rmtree(self.build, ignore_errors=True)
            self.build.mkdir(parents=True)
            write_atomically(plan, digest.encode())

    def merge(self, parts: Sequence[tuple[Path, SegmentInfo]]) -> list[tuple[Path, SegmentInfo]]:
        """Merge neighbouring segments as long as the result and the memory allow it."""
        if len(parts) == 1:
            return list(parts)
        from corver.index.merge import merge_memory, merge_segments_into
        from corver.index.segment import Segment

        groups: list[list[Segment]] = []
        for place, info in parts:
            segment = Segment(place, info)
            last = groups[-1] if groups else []
            words = info.words + sum(other.info.words for other in last)
            if last and words < _MOST_WORDS and merge_memory([*last, segment]) <= self.memory:
                last.append(segment)
            else:
                groups.append([segment])
        total = sum(info.words for _, info in parts)
        documents = sum(info.documents for _, info in parts)
        done = 0
        merged: list[tuple[Path, SegmentInfo]] = []
        for number, group in enumerate(groups):
            if len(group) == 1:
                merged.append((group[0].folder, group[0].info))
            else:
                name = f"merged-{number:04d}"
                folder = self.build / name
                shutil.rmtree(folder, ignore_errors=True)

                def tell(words: int, before: int = done) -> None:
                    self.tell("merging", before + words, total, documents, total)

                info = merge_segments_into(group, folder, name, progress=tell)
                merged.append((folder, info))
            done += sum(segment.info.words for segment in group)
        return merged

    def publish(
        self, manifest: Manifest, *, keep: Sequence[SegmentInfo], fresh: Sequence[SegmentInfo] | None = None
    ) -> Manifest:
        """Move fresh segments beside the manifest, under names no segment has, write it, drop what is not in it."""
        taken = {path.name for path in self.output.iterdir()}
        renamed: list[SegmentInfo] = []
        for info in manifest.segments if fresh is None else fresh:
            number = 0
            while f"segment-{number:04d}" in taken:
                number += 1
            name = f"segment-{number:04d}"
            taken.add(name)
            (self.build / info.name).rename(self.output / name)
            renamed.append(replace(info, name=name))
        sync_folder(self.output)
        manifest = manifest.with_segments((*keep, *renamed))
        manifest.write(self.output)
        used = {info.name for info in manifest.segments}
        for path in self.output.glob("segment-*"):
            if path.name not in used:
                shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(self.build, ignore_errors=True)
        return manifest

    def report(self, manifest: Manifest) -> BuildReport:
        return BuildReport(
            path=str(self.output),
            fingerprint=manifest.fingerprint(),
            documents=manifest.documents,
            words=manifest.words,
            vocabulary=sum(segment.vocabulary for segment in manifest.segments),
            segments=len(manifest.segments),
            bytes=sum(info.bytes for segment in manifest.segments for info in segment.files.values()),
            seconds=time.monotonic() - self._began,
            read=manifest.read,
        )


def _what_was_left_out(report: ReadReport) -> str:
    left = [f"{report.empty} empty"] if report.empty else []
    left += [f"{number} skipped ({reason})" for reason, number in report.skipped.items()]
    left += [f"{number} failed ({reason})" for reason, number in report.failed.items()]
    return ", ".join(left) or "the sources hold no record at all"
