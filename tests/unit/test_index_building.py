"""Building: memory limits, workers, kills, full disks, adding and merging give one right index or a clear error."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corver.corpus.document import Document, DocumentBatch, ReadReport, SourceInfo
from corver.errors import CorpusError, CorverError, UsageError
from corver.index import (
    BuildProgress,
    Index,
    add_segment,
    build_index,
    estimate_build,
    merge_segments,
    verify_index,
)
from corver.index import task as task_module
from corver.index.build import check_room, usual_workers

MEMORY = 512 << 20


class NumberedShard:
    """Documents number [first, last), the same every time; picklable, with a pause after each batch."""

    def __init__(self, first: int, last: int, pause: float = 0.0) -> None:
        self.first, self.last, self.pause = first, last, pause
        self.name = f"numbers {first}-{last}"
        self.bytes = (last - first) * 100

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        for start in range(self.first, self.last, 10):
            documents = []
            for number in range(start, min(start + 10, self.last)):
                rng = random.Random(number)
                size = rng.choice([0, 5, 50, 300])
                documents.append(Document(f"title {number}", " ".join(f"w{rng.randrange(80)}" for _ in range(size))))
            report.documents += len(documents)
            yield DocumentBatch.of(documents)
            time.sleep(self.pause)


def shards(count: int = 4, pause: float = 0.0) -> list[NumberedShard]:
    return [NumberedShard(100 * i, 100 * (i + 1), pause) for i in range(count)]


QUERIES = [[f"w{i}", f"w{(7 * i + 3) % 80}"] for i in range(60)] + [["w1 w2"], ["w9", "w9"]]


def counts(folder: Path) -> list[int]:
    assert verify_index(folder).problems == ()
    with Index.open(folder) as index:
        found = [count.value for window in (5, 100) for count in index.count_many(QUERIES, window=window)]
        titles = [index.document(number).title for number in range(index.documents)]
    assert titles == [f"title {number}" for number in range(len(titles))]
    return found


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    folder = tmp_path_factory.mktemp("truth")
    build_index(shards(), folder)
    return counts(folder)


def test_small_memory_makes_segments_that_are_merged(
    tmp_path: Path, truth: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_module.SegmentWriter, "bytes", property(lambda writer: writer.words * 200_000))
    stages: list[BuildProgress] = []
    report = build_index(shards(), tmp_path, memory=MEMORY, progress=stages.append)
    assert report.segments == 1
    assert {stage.stage for stage in stages} == {"reading", "merging"}
    assert all(0 <= stage.done <= stage.total for stage in stages)
    assert counts(tmp_path) == truth


def test_workers_make_the_same_index(tmp_path: Path, truth: list[int]) -> None:
    report = build_index(shards(), tmp_path, workers=2, memory=2 * MEMORY)
    assert (report.documents, report.read.documents) == (400, 400)
    assert counts(tmp_path) == truth


def test_an_error_in_a_worker_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="broken shard"):
        build_index([*shards(1), BrokenShard()], tmp_path, workers=2, memory=2 * MEMORY)


class BrokenShard(NumberedShard):
    def __init__(self) -> None:
        super().__init__(0, 100)

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        raise CorpusError("broken shard")
        yield


def test_added_documents_are_seen_by_a_new_handle_only(tmp_path: Path, truth: list[int]) -> None:
    build_index(shards(2), tmp_path)
    with Index.open(tmp_path) as old:
        before = old.count_many(QUERIES)
        add_segment([NumberedShard(200, 300), NumberedShard(300, 400)], tmp_path)
        assert old.count_many(QUERIES) == before
        assert old.reopen().documents == 400
    with Index.open(tmp_path) as new:
        assert new.info().segments == 2
        assert new.fingerprint() != old.fingerprint()
    assert counts(tmp_path) == truth
    assert merge_segments(tmp_path).segments == 1
    assert counts(tmp_path) == truth


def test_a_build_replaces_an_earlier_index(tmp_path: Path, truth: list[int]) -> None:
    build_index([NumberedShard(0, 50)], tmp_path)
    build_index(shards(), tmp_path)
    assert counts(tmp_path) == truth
    assert len(list(tmp_path.glob("segment-*"))) == 1


def test_the_manifest_knows_its_sources(tmp_path: Path) -> None:
    source = SourceInfo("numbers", "memory", 400, "0" * 64)
    build_index(shards(1), tmp_path, sources=[source])
    with Index.open(tmp_path) as index:
        assert index.info().sources == (source,)
        assert index.info().documents == 100


def test_a_corpus_without_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no document"):
        build_index([NumberedShard(0, 0)], tmp_path)
    with pytest.raises(CorpusError, match="no document"):
        build_index([], tmp_path)


def test_too_little_memory_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="MiB"):
        build_index(shards(), tmp_path, memory=1 << 20)


@pytest.mark.parametrize(("memory", "cores", "workers"), [(2 << 30, 2, 2), (2 << 30, 64, 10), (1, 4, 1)])
def test_the_usual_workers_fit_into_the_memory(memory: int, cores: int, workers: int) -> None:
    assert usual_workers(memory, cores) == workers


def test_documents_without_words(tmp_path: Path) -> None:
    build_index([EmptyShard()], tmp_path)
    with Index.open(tmp_path) as index:
        assert (index.documents, index.words) == (20, 0)
        assert index.count(["a", "b"]).value == 0


class EmptyShard(NumberedShard):
    def __init__(self) -> None:
        super().__init__(0, 20)

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        yield DocumentBatch.of([Document("", "...")] * 20)


_CHILD = """
import sys; sys.path[:0] = [{here!r}]
from pathlib import Path
import resource
from corver.index import build_index, task
from test_index_building import shards
task.SegmentWriter.bytes = property(lambda writer: writer.words * 100_000)
{before}
build_index(shards(pause={pause}), Path({folder!r}), memory=512 << 20)
"""


def _child(folder: Path, *, pause: float, before: str = "") -> subprocess.Popen[str]:
    code = _CHILD.format(here=str(Path(__file__).parent), folder=str(folder), pause=pause, before=before)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


def test_a_killed_build_goes_on_and_ends_right(tmp_path: Path, truth: list[int]) -> None:
    rng = random.Random(1)
    folder = tmp_path / "index"
    for _ in range(4):
        child = _child(folder, pause=0.02)
        time.sleep(1.2 + rng.random() * 1.2)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    child = _child(folder, pause=0.0)
    _, error = child.communicate()
    assert child.returncode == 0, error
    assert counts(folder) == truth
    assert not (folder / "build").exists()


def test_a_resumed_build_does_not_read_finished_shards_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_module.SegmentWriter, "bytes", property(lambda writer: writer.words * 100_000))
    with pytest.raises(KeyboardInterrupt):
        build_index([*shards(3), InterruptingShard(True)], tmp_path, memory=MEMORY)
    seen: list[int] = []
    original = NumberedShard.batches

    def counted(self: NumberedShard, report: ReadReport) -> Iterator[DocumentBatch]:
        seen.append(self.first)
        yield from original(self, report)

    monkeypatch.setattr(NumberedShard, "batches", counted)
    reports: list[ReadReport] = []
    report = build_index([*shards(3), InterruptingShard(False)], tmp_path, memory=MEMORY, check=reports.extend)
    assert report.documents == report.read.documents == 400
    assert [part.documents for part in reports] == [100] * 4
    assert 0 not in seen


class InterruptingShard(NumberedShard):
    def __init__(self, interrupt: bool) -> None:
        super().__init__(300, 400)
        self.interrupt = interrupt

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        if self.interrupt:
            raise KeyboardInterrupt
        yield from super().batches(report)


def test_a_full_disk_is_one_line_and_leaves_the_earlier_index(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build_index([NumberedShard(0, 50)], folder)
    before = counts_of_fifty(folder)
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))"
    child = _child(folder, pause=0.0, before=limit)
    _, error = child.communicate()
    assert child.returncode != 0
    last = error.strip().splitlines()[-1]
    assert last.startswith("corver.errors.CorverError: no space left")
    assert counts_of_fifty(folder) == before


def counts_of_fifty(folder: Path) -> list[int]:
    assert verify_index(folder).problems == ()
    with Index.open(folder) as index:
        return [count.value for count in index.count_many(QUERIES)]


def test_too_small_a_disk_is_refused_before_the_work(tmp_path: Path) -> None:
    huge = NumberedShard(0, 10)
    huge.bytes = 1 << 60
    with pytest.raises(CorverError, match="free"):
        build_index([huge], tmp_path)


def test_the_room_is_looked_at_before_the_folder_exists(tmp_path: Path) -> None:
    estimate = estimate_build(shards())
    check_room(tmp_path / "not" / "yet", estimate)
    with pytest.raises(CorverError, match="free"):
        check_room(tmp_path / "not" / "yet", replace(estimate, disk_peak=1 << 60))
    assert not (tmp_path / "not").exists()


def test_what_an_unfinished_build_takes_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("corver.index.build.shutil.disk_usage", lambda _: usage._replace(free=1000))
    estimate = replace(estimate_build(shards()), disk_peak=3000)
    with pytest.raises(CorverError, match="free"):
        check_room(tmp_path, estimate)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "part").write_bytes(bytes(600))
    check_room(tmp_path, estimate)


def test_merging_needs_room_for_the_result(tmp_path: Path, truth: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(shards()[:2], tmp_path)
    add_segment(shards()[2:], tmp_path)
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("corver.index.build.shutil.disk_usage", lambda _: usage._replace(free=1000))
        with pytest.raises(CorverError, match="free"):
            merge_segments(tmp_path)
    assert counts(tmp_path) == truth
    assert merge_segments(tmp_path).segments == 1
    assert counts(tmp_path) == truth


@pytest.mark.parametrize("workers", [1, 2])
def test_a_check_sees_one_report_a_shard(tmp_path: Path, workers: int) -> None:
    seen: list[ReadReport] = []
    build_index(shards(), tmp_path, memory=MEMORY, workers=workers, check=seen.extend)
    assert [report.documents for report in seen] == [100] * 4
    seen.clear()
    add_segment([NumberedShard(400, 430)], tmp_path, check=seen.extend)
    assert [report.documents for report in seen] == [30]


def refuse(reports: Sequence[ReadReport]) -> None:
    raise CorpusError(f"{len(reports)} shards are not wanted")


def test_what_a_check_refuses_leaves_the_earlier_index(tmp_path: Path) -> None:
    build_index([NumberedShard(0, 50)], tmp_path)
    before = counts_of_fifty(tmp_path)
    for work in (build_index, add_segment):
        with pytest.raises(CorpusError, match="4 shards are not wanted"):
            work(shards(), tmp_path, check=refuse)
        assert counts_of_fifty(tmp_path) == before
        assert not (tmp_path / "build").exists()


def test_an_estimate_grows_with_the_corpus() -> None:
    small, large = (estimate_build(shards(count)) for count in (1, 10))
    assert small.words < large.words
    assert small.disk_final < large.disk_final
    assert estimate_build(shards(1), store_text=False).disk_final < small.disk_final


def test_segments_that_are_merged_lie_beside_the_result() -> None:
    one, several, bounded = (
        estimate_build(shards(9), workers=1),
        estimate_build(shards(9), workers=2),
        estimate_build(shards(9), workers=1, memory=1000),
    )
    assert one.disk_peak == one.disk_final
    assert several.disk_peak == bounded.disk_peak == pytest.approx(2 * one.disk_final, abs=1)
    assert estimate_build(shards(1), workers=2).disk_peak == estimate_build(shards(1)).disk_final
