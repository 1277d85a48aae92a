"""Damaged, foreign and unfinished indexes: an error that says what to do, never a crash, never a silent wrong open."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from pathlib import Path

import pytest

from corver.corpus.document import Document, DocumentBatch, ReadReport
from corver.errors import CorverError, IndexFormatError, IndexLockedError, UsageError
from corver.index import Index, build_index, verify_index
from corver.index.files import folder_lock
from corver.index.manifest import FORMAT_VERSION, MANIFEST_NAME
from corver.types import Phrase


class Shard:
    name = "memory"
    bytes = 1 << 16

    def batches(self, report: ReadReport):  # type: ignore[no-untyped-def]
        rng = random.Random(4)
        words = [f"w{i}" for i in range(300)] + ["the", "of"]
        weights = [1 / (i + 1) for i in range(len(words))]
        for _ in range(4):
            texts = [" ".join(rng.choices(words, weights, k=rng.choice([0, 3, 40, 400]))) for _ in range(90)]
            report.documents += len(texts)
            yield DocumentBatch.of(Document(f"t{i}", text) for i, text in enumerate(texts))


QUERIES = [["w0", "w1"], ["w2", "w5", "w9"], ["the", "w3"], ["w250", "w1"], [Phrase(("w0", "of"))], ["w77"], ["zz"]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage") / "index"
    build_index([Shard()], folder)
    return folder


def _use_everything(folder: Path) -> None:
    """Whatever an index may be asked; only errors of corver may come out."""
    with Index.open(folder) as index:
        for window in (0, 20, 1000):
            index.count_many(QUERIES, window=window)
        index.profile(index.mentions("w4 w1"), ["w0", "w7", "the"])
        index.evidence(["w0", "w1"], n=2)
        index.document(index.documents - 1)


def _refusal(folder: Path) -> str:
    """The message with which an index is refused, "" when it is not; anything but an error of corver is a failure."""
    try:
        _use_everything(folder)
    except CorverError as error:
        return str(error)
    return ""


def _damaged(folder: Path, target: Path, rng: random.Random, *, truncate: bool) -> Path:
    shutil.copytree(folder, target)
    files = [path for path in sorted((target / "segment-0000").iterdir()) if path.stat().st_size > 64]
    path = rng.choice(files)
    data = bytearray(path.read_bytes())
    place = rng.randrange(len(data))
    if truncate:
        path.write_bytes(data[:place])
    else:
        data[place] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("seed", range(150))
def test_a_flipped_bit_is_found_by_verify_and_crashes_nothing(built: Path, tmp_path: Path, seed: int) -> None:
    path = _damaged(built, tmp_path / "index", random.Random(seed), truncate=False)
    problems = verify_index(tmp_path / "index").problems
    assert len(problems) == 1
    assert path.name in problems[0]
    assert "\n" not in _refusal(tmp_path / "index")


@pytest.mark.parametrize("seed", range(50))
def test_a_truncated_file_is_refused(built: Path, tmp_path: Path, seed: int) -> None:
    path = _damaged(built, tmp_path / "index", random.Random(seed), truncate=True)
    assert any(path.name in problem for problem in verify_index(tmp_path / "index").problems)
    with pytest.raises(IndexFormatError, match=r"truncated|rebuild"):
        _use_everything(tmp_path / "index")


def test_whole_files_of_noise_crash_nothing(built: Path, tmp_path: Path) -> None:
    rng = random.Random(5)
    for number in range(60):
        target = tmp_path / str(number)
        shutil.copytree(built, target)
        path = rng.choice(sorted((target / "segment-0000").iterdir()))
        data = bytearray(path.read_bytes())
        start = rng.randrange(len(data))
        for place in range(start, min(len(data), start + rng.choice([4, 64, 4096]))):
            data[place] = rng.randrange(256)
        path.write_bytes(data)
        assert "\n" not in _refusal(target)


@pytest.mark.parametrize("step", [-1, 1])
def test_another_format_version_names_both_and_the_cure(built: Path, tmp_path: Path, step: int) -> None:
    shutil.copytree(built, tmp_path / "index")
    path = tmp_path / "index" / MANIFEST_NAME
    content = json.loads(path.read_text())
    content["format_version"] += step
    path.write_text(json.dumps(content))
    with pytest.raises(IndexFormatError) as caught:
        Index.open(tmp_path / "index")
    message = str(caught.value)
    assert str(FORMAT_VERSION + step) in message
    assert str(FORMAT_VERSION) in message
    assert "corver index build" in message


def test_an_edited_manifest_is_refused(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "index")
    path = tmp_path / "index" / MANIFEST_NAME
    path.write_text(path.read_text().replace('"documents": 360', '"documents": 361'))
    with pytest.raises(IndexFormatError, match="checksum"):
        Index.open(tmp_path / "index")


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", '{"kind": "corver-index"}', "\xff\xfe", "{" * 9000])
def test_a_nonsense_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST_NAME).write_text(content, encoding="latin-1")
    with pytest.raises(IndexFormatError):
        Index.open(tmp_path)


def test_a_manifest_cannot_lead_out_of_its_folder(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "index")
    path = tmp_path / "index" / MANIFEST_NAME
    content = json.loads(path.read_text())
    content.pop("checksum")
    content["segments"][0]["name"] = "../../etc"
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    content["checksum"] = hashlib.sha256(canonical).hexdigest()
    path.write_text(json.dumps(content))
    with pytest.raises(IndexFormatError):
        Index.open(tmp_path / "index")


def test_a_missing_folder_an_empty_one_and_an_unfinished_build_say_so(tmp_path: Path) -> None:
    with pytest.raises(IndexFormatError, match="does not exist"):
        Index.open(tmp_path / "nowhere")
    with pytest.raises(IndexFormatError, match=rf"not a corver index .*SOURCE --output {tmp_path}$"):
        Index.open(tmp_path)
    (tmp_path / "build").mkdir()
    with pytest.raises(IndexFormatError, match="unfinished"):
        Index.open(tmp_path)


def test_a_folder_of_other_files_is_not_named_as_the_place_to_build(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(IndexFormatError, match=r"build one in another folder: .* --output FOLDER$"):
        Index.open(tmp_path)
    with pytest.raises(UsageError, match="holds other files"):  # which is why
        build_index([Shard()], tmp_path)


def test_two_builds_exclude_each_other(tmp_path: Path) -> None:
    with folder_lock(tmp_path / "index"), pytest.raises(IndexLockedError, match="another process"):
        build_index([Shard()], tmp_path / "index")
    build_index([Shard()], tmp_path / "index")


def test_queries_that_make_no_sense_are_wrong_use(built: Path) -> None:
    with Index.open(built) as index:
        for query in ([], ["!!!"], [""], ["a", "🤣"]):
            with pytest.raises(UsageError):
                index.count(query)
        with pytest.raises(UsageError):
            index.count_many(["marie curie"])  # type: ignore[list-item]
        for options in ({"window": -1}, {"cap": 0}, {"threads": 0}):
            with pytest.raises(UsageError):
                index.count_many([["w1"]], **options)


def test_text_of_a_query_is_never_an_operator(tmp_path: Path) -> None:
    class Titles:
        name = "titles"
        bytes = 100

        def batches(self, report: ReadReport):  # type: ignore[no-untyped-def]
            texts = ["Mission: Impossible with Guns N' Roses", 'a 36" vanity from Portland, OR', "1,000 iPhones"]
            yield DocumentBatch.of(Document("", text) for text in texts)

    build_index([Titles()], tmp_path / "index")
    with Index.open(tmp_path / "index") as index:
        for text in (
            "Mission: Impossible",
            "Guns N' Roses",
            '36" vanity',
            "Portland, OR",
            "1000",
            "IPHONES",
            "(iPhones",
        ):
            assert index.count([text]).value == 1, text
        assert index.count(["Mission: Impossible", "Guns N’ Roses"]).value == 1
