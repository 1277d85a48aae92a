"""Data sets of the Hugging Face hub as local files.

In: `hf://datasets/OWNER/NAME[@REVISION][/PATH]`, where PATH is a file, a folder or a glob inside the data set. Out:
paths in the hub's own cache, named by the commit they belong to. Files are fetched once; a second run finds them in
the cache. This module knows no format; `huggingface_hub` is imported only when a source asks for it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from corver.errors import CorpusError, DependencyError

__all__ = ["PREFIX", "Fetched", "Hub", "HubFile", "HubListing", "HuggingFaceHub", "fetch"]

PREFIX = "hf://"
_DATASETS = "hf://datasets/"


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a data set, and its SHA-256 where the hub knows it (large files)."""

    path: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class HubListing:
    """The files of a data set at one commit."""

    commit: str
    files: tuple[HubFile, ...]


class Hub(Protocol):
    """What corver needs of a hub."""

    def listing(self, dataset: str, revision: str | None) -> HubListing:
        """The files of `dataset` ("owner/name") at a branch, tag or commit; None means its main branch."""
        ...

    def download(self, dataset: str, commit: str, path: str) -> Path:
        """The local path of one file, fetched when it is not there yet."""
        ...


class HuggingFaceHub:
    """The Hugging Face hub, with the user's own cache and log-in."""

    def listing(self, dataset: str, revision: str | None) -> HubListing:
        """The files of `dataset`; raises `CorpusError` when it cannot be had."""
        hub = _library()
        try:
            info = hub.HfApi().dataset_info(dataset, revision=revision, files_metadata=True)
        except _faults(hub) as error:
            raise CorpusError(f"{_DATASETS}{dataset}: cannot be listed ({_line(error)})") from error
        files = tuple(
            HubFile(sibling.rfilename, sibling.lfs.sha256 if sibling.lfs else None) for sibling in info.siblings or ()
        )
        return HubListing(str(info.sha), files)

    def download(self, dataset: str, commit: str, path: str) -> Path:
        """The local path of one file; raises `CorpusError` when it cannot be fetched."""
        hub = _library()
        try:
            return Path(hub.hf_hub_download(dataset, path, repo_type="dataset", revision=commit))
        except _faults(hub) as error:
            raise CorpusError(f"{_DATASETS}{dataset}/{path}: cannot be fetched ({_line(error)})") from error


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file of a data set on this machine. label: its hub address with the commit."""

    path: Path
    label: str
    sha256: str | None


def fetch(
    source: str, *, hub: Hub | None, revision: str | None, endings: Sequence[str], packings: Sequence[str]
) -> list[Fetched]:
    """Fetch what a source names, in the order of the names; without a path, every data file of the data set.

    Raises `CorpusError` when nothing matches, and when a source without a path has its data in several folders
    (languages, mostly): which one is meant is the user's to say.
    """
    dataset, pinned, pattern = _parse(source)
    hub = hub or HuggingFaceHub()
    listing = hub.listing(dataset, pinned or revision)
    data = [file for file in listing.files if _has_ending(file.path, endings, packings)]
    chosen = [file for file in data if _matches(file.path, pattern)]
    if not chosen and pattern:
        chosen = [file for file in listing.files if file.path == pattern]
    folders = sorted({str(PurePosixPath(file.path).parent) for file in chosen})
    if not chosen:
        there = sorted({str(PurePosixPath(file.path).parent) for file in data})
        raise CorpusError(f"{source}: no data file matches; folders with data: {', '.join(there[:20]) or 'none'}")
    if not pattern and len(folders) > 1:
        raise CorpusError(f"{source}: the data lies in several folders; add one of: {', '.join(folders[:20])}")
    return [
        Fetched(
            hub.download(dataset, listing.commit, file.path),
            f"{_DATASETS}{dataset}@{listing.commit}/{file.path}",
            file.sha256,
        )
        for file in sorted(chosen, key=lambda file: file.path)
    ]


def _parse(source: str) -> tuple[str, str | None, str]:
    """Data set, revision and path of an address."""
    parts = source.removeprefix(_DATASETS).split("/", 2)
    if not source.startswith(_DATASETS) or len(parts) < 2 or not all(parts[:2]):
        raise CorpusError(f"{source}: write hf://datasets/OWNER/NAME or hf://datasets/OWNER/NAME/PATH")
    name, _, revision = parts[1].partition("@")
    path = parts[2].rstrip("/") if len(parts) == 3 else ""
    return f"{parts[0]}/{name}", revision.replace("%2F", "/") or None, path


def _has_ending(path: str, endings: Sequence[str], packings: Sequence[str]) -> bool:
    name = path.lower()
    for packing in packings:
        name = name.removesuffix(packing)
    return name.endswith(tuple(endings)) and not PurePosixPath(path).name.startswith((".", "README"))


def _matches(path: str, pattern: str) -> bool:
    return not pattern or path.startswith(f"{pattern}/") or fnmatch.fnmatchcase(path, pattern)


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def _faults(hub: Any) -> tuple[type[Exception], ...]:
    """What can go wrong at the hub. Its own HTTP error has the base of all errors of the HTTP library as its parent."""
    return (*hub.errors.HfHubHTTPError.__bases__, hub.errors.HFValidationError, OSError)


def _library() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.errors
    except ImportError as error:
        raise DependencyError("hf:// sources need huggingface_hub: pip install 'corver[corpus]'") from error
    return huggingface_hub
