"""hf:// sources against a hub made of a folder: addresses, revisions, globs, and what is said when nothing fits."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corver.corpus import ReadReport, open_corpus
from corver.corpus.hub import HubFile, HubListing, HuggingFaceHub
from corver.errors import CorpusError, DependencyError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class FolderHub:
    """A data set whose files lie in a folder."""

    root: Path
    asked: list[str | None] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)

    def listing(self, dataset: str, revision: str | None) -> HubListing:
        self.asked.append(revision)
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return HubListing(COMMIT, tuple(HubFile(str(path.relative_to(self.root)), "a" * 64) for path in files))

    def download(self, dataset: str, commit: str, path: str) -> Path:
        assert (dataset, commit) == ("wikimedia/wikipedia", COMMIT)
        self.downloads.append(path)
        return self.root / path


@pytest.fixture
def hub(tmp_path: Path) -> FolderHub:
    for name in ("20231101.ab/train-0.parquet", "20231101.en/train-1.parquet", "20231101.en/train-0.parquet"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": ["1"], "url": [""], "title": [name], "text": [f"text of {name}"]}), path)
    (tmp_path / "README.md").write_text("about")
    return FolderHub(tmp_path)


@pytest.mark.parametrize("path", ["20231101.en", "20231101.en/", "20231101.en/*.parquet", "*.en/train-[01].parquet"])
def test_a_path_chooses_files_and_only_those_are_fetched(hub: FolderHub, path: str) -> None:
    corpus = open_corpus([f"hf://datasets/wikimedia/wikipedia/{path}"], hub=hub)
    titles = [title for batch in corpus.batches(ReadReport()) for title in batch.titles]
    assert titles == ["20231101.en/train-0.parquet", "20231101.en/train-1.parquet"]
    assert hub.downloads == titles


def test_sources_carry_the_commit_and_the_hash_that_the_hub_knows(hub: FolderHub) -> None:
    corpus = open_corpus(["hf://datasets/wikimedia/wikipedia/20231101.ab"], hub=hub)
    (info,) = corpus.sources()
    assert info.name == f"hf://datasets/wikimedia/wikipedia@{COMMIT}/20231101.ab/train-0.parquet"
    assert info.sha256 == "a" * 64


def test_the_revision_of_the_address_comes_before_the_option(hub: FolderHub) -> None:
    open_corpus(["hf://datasets/wikimedia/wikipedia/20231101.ab"], hub=hub, revision="v1")
    open_corpus(["hf://datasets/wikimedia/wikipedia@refs%2Fpr%2F1/20231101.ab"], hub=hub, revision="v1")
    open_corpus(["hf://datasets/wikimedia/wikipedia/20231101.ab"], hub=hub)
    assert hub.asked == ["v1", "refs/pr/1", None]


def test_several_folders_without_a_path_are_a_question_to_the_user(hub: FolderHub) -> None:
    with pytest.raises(CorpusError, match=r"several folders; add one of: 20231101\.ab, 20231101\.en"):
        open_corpus(["hf://datasets/wikimedia/wikipedia"], hub=hub)
    assert hub.downloads == []


def test_a_path_that_matches_nothing_names_the_folders_there_are(hub: FolderHub) -> None:
    with pytest.raises(CorpusError, match=r"folders with data: 20231101\.ab, 20231101\.en"):
        open_corpus(["hf://datasets/wikimedia/wikipedia/20231101.xx"], hub=hub)


@pytest.mark.parametrize("source", ["hf://datasets/only", "hf://models/a/b", "hf://a/b", "hf://datasets//b"])
def test_other_addresses_are_refused(hub: FolderHub, source: str) -> None:
    with pytest.raises(CorpusError, match="write hf://datasets/OWNER/NAME"):
        open_corpus([source], hub=hub)


class HttpError(Exception):
    """The base of the errors of the HTTP library under the hub's."""


def _fake_library(monkeypatch: pytest.MonkeyPatch, **names: object) -> None:
    class HfHubHTTPError(HttpError, OSError):
        pass

    class HFValidationError(ValueError):
        pass

    errors = ModuleType("huggingface_hub.errors")
    errors.HfHubHTTPError = HfHubHTTPError  # type: ignore[attr-defined]
    errors.HFValidationError = HFValidationError  # type: ignore[attr-defined]
    library = ModuleType("huggingface_hub")
    for name, value in {"errors": errors, **names}.items():
        setattr(library, name, value)
    monkeypatch.setitem(sys.modules, "huggingface_hub", library)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)


def test_the_real_hub_is_asked_for_the_pinned_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple[object, ...]] = []

    class HfApi:
        def dataset_info(self, dataset: str, *, revision: str | None, files_metadata: bool) -> SimpleNamespace:
            calls.append((dataset, revision, files_metadata))
            siblings = [
                SimpleNamespace(rfilename="a.parquet", lfs=SimpleNamespace(sha256="b" * 64)),
                SimpleNamespace(rfilename="b.jsonl", lfs=None),
            ]
            return SimpleNamespace(sha=COMMIT, siblings=siblings)

    def hf_hub_download(dataset: str, path: str, *, repo_type: str, revision: str) -> str:
        calls.append((dataset, path, repo_type, revision))
        return str(tmp_path / path)

    _fake_library(monkeypatch, HfApi=HfApi, hf_hub_download=hf_hub_download)
    hub = HuggingFaceHub()
    assert hub.listing("a/b", "main") == HubListing(COMMIT, (HubFile("a.parquet", "b" * 64), HubFile("b.jsonl", None)))
    assert hub.download("a/b", COMMIT, "a.parquet") == tmp_path / "a.parquet"
    assert calls == [("a/b", "main", True), ("a/b", "a.parquet", "dataset", COMMIT)]


@pytest.mark.parametrize("fault", [HttpError, ConnectionError])
def test_a_hub_that_cannot_be_reached_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    class HfApi:
        def dataset_info(self, dataset: str, **_: object) -> None:
            raise fault("no route to host\nsecond line")

    _fake_library(monkeypatch, HfApi=HfApi)
    with pytest.raises(CorpusError, match=r"^hf://datasets/a/b: cannot be listed \(no route to host\)$"):
        open_corpus(["hf://datasets/a/b"])


def test_without_the_library_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(DependencyError, match=r"corver\[corpus\]"):
        open_corpus(["hf://datasets/a/b"])
