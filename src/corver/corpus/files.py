"""From what a user names (a file, a glob, a folder, a data set of the hub) to a list of files with known formats.

In: source strings. Out: `SourceFile`s in a fixed order. This module looks at names and first bytes only; it reads no
document.
"""

from __future__ import annotations

import glob
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from corver.corpus.hub import PREFIX, Hub, fetch
from corver.corpus.streams import Packing, packing_of, peek, reading
from corver.errors import CorpusError

__all__ = ["Format", "SourceFile", "find_files", "sha256"]

Format: TypeAlias = Literal["parquet", "jsonl", "dump", "text"]

_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".xml": "dump",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
}
_PACKINGS = (".gz", ".zst", ".zstd", ".bz2", ".xz")
_PEEK = 4096
_JSON_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a corpus.

    source: which of the user's sources it came from, counted from 0. label: how reports and the manifest name it.
    sha256: known beforehand for files of the hub, else None.
    """

    source: int
    path: Path
    label: str
    format: Format
    packing: Packing
    bytes: int
    sha256: str | None = None


def find_files(
    sources: Sequence[str], *, wanted: Format | None, hub: Hub | None, revision: str | None
) -> list[SourceFile]:
    """Every file of every source, in the order of the sources and, inside one, of the names.

    Raises `CorpusError` when a source does not exist, matches nothing, or holds no file of a known format.
    """
    found: list[SourceFile] = []
    for number, source in enumerate(sources):
        if source.startswith(PREFIX):
            endings = tuple(ending for ending, kind in _ENDINGS.items() if wanted in (None, kind))
            for fetched in fetch(source, hub=hub, revision=revision, endings=endings, packings=_PACKINGS):
                file = _describe(number, fetched.path, fetched.label, wanted)
                found.append(replace(file, sha256=fetched.sha256))
            continue
        found.extend(_describe(number, path, str(path), wanted) for path in _paths(source, wanted))
    return found


def _paths(source: str, wanted: Format | None) -> list[Path]:
    path = Path(source).expanduser()
    if path.is_dir():
        inside = [file for file in sorted(path.rglob("*")) if file.is_file() and not _hidden(file, path)]
        if wanted != "text":  # asked for text, every file of the folder is one
            inside = [file for file in inside if (kind := _by_name(file)) and wanted in (None, kind)]
        if not inside:
            what = f"{wanted} file" if wanted else f"file that corver reads ({', '.join(_ENDINGS)})"
            raise CorpusError(f"{source}: the folder holds no {what}")
        return inside
    if path.is_file():
        return [path]
    if any(mark in source for mark in "*?["):
        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
        files = [match for match in matches if match.is_file()]
        if files:
            return files
        raise CorpusError(f"{source}: no file matches")
    if path.exists():
        raise CorpusError(f"{source}: neither a file nor a folder; a corpus is read more than once, so give a file")
    raise CorpusError(f"{source}: there is no such file or folder")


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(root).parts)


def _by_name(path: Path) -> Format | None:
    name = path.name.lower()
    for ending in _PACKINGS:
        name = name.removesuffix(ending)
    return _ENDINGS.get(Path(name).suffix)


def _describe(source: int, path: Path, label: str, wanted: Format | None) -> SourceFile:
    with reading(path):
        size = path.stat().st_size
    packing = packing_of(path)
    kind = (_by_name(path) or _by_content(path, packing)) if wanted is None else wanted
    if kind == "jsonl" and _JSON_ARRAY.match(peek(path, packing, _PEEK)):
        raise CorpusError(f"{path}: a JSON array, not JSON Lines; write one object a line (jq -c '.[]')")
    return SourceFile(source, path, label, kind, packing, size)


def _by_content(path: Path, packing: Packing) -> Format:
    """The format of a file whose name does not tell it."""
    head = peek(path, packing, _PEEK)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith((b"<mediawiki", b"<page", b"<?xml")):
        return "dump"
    if b"\x00" in head:
        raise CorpusError(f"{path}: not a format that corver reads (parquet, JSON Lines, MediaWiki XML, text)")
    return "text"


def sha256(path: Path) -> str:
    """The SHA-256 of a file as hex."""
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
