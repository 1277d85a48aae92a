"""Checking an index byte by byte against its manifest.

In: an index folder. Out: what is missing or differs. It opens no list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corver.index.manifest import FileInfo, Manifest

__all__ = ["VerifyReport", "verify_index"]

_PIECE = 4 << 20


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """files, bytes: how much was read. problems: one line for each file that is missing or differs."""

    files: int
    bytes: int
    problems: tuple[str, ...]


def verify_index(path: str | Path, *, progress: Callable[[int, int], None] | None = None) -> VerifyReport:
    """Compare every file of an index with the size and SHA-256 in its manifest.

    progress: called with (bytes done, bytes in all). Raises IndexFormatError when the manifest itself is unusable.
    """
    folder = Path(path)
    manifest = Manifest.read_from(folder)
    files = [(folder / s.name / name, info) for s in manifest.segments for name, info in sorted(s.files.items())]
    total = sum(info.bytes for _, info in files)
    done = 0
    problems: list[str] = []
    for file, info in files:
        problem = _problem(file, info)
        if problem:
            problems.append(f"{file}: {problem}")
        done += info.bytes
        if progress is not None:
            progress(done, total)
    return VerifyReport(len(files), done, tuple(problems))


def _problem(path: Path, info: FileInfo) -> str | None:
    if not path.is_file():
        return "missing"
    size = path.stat().st_size
    if size != info.bytes:
        return f"{size} bytes instead of {info.bytes}"
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return None if digest.hexdigest() == info.sha256 else "its content changed (checksum differs)"
