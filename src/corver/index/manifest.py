"""The manifest: what an index is made of, written last, checked first.

In: what the builder knows, or a folder. Out: `Manifest`, as JSON with a checksum of its own. Its fingerprint changes
with anything that a count depends on. This module knows the names of files, not what is in them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corver.corpus.document import ReadReport, SourceInfo
from corver.errors import IndexFormatError
from corver.index.files import write_atomically
from corver.text.words import UNICODE_VERSION, WORD_RULES_VERSION

__all__ = ["FORMAT_VERSION", "MANIFEST_NAME", "FileInfo", "Manifest", "SegmentInfo"]

FORMAT_VERSION = 1
MANIFEST_NAME = "corver-index.json"
_KIND = "corver-index"


@dataclass(frozen=True, slots=True)
class FileInfo:
    """One file of a segment: its size in bytes and the SHA-256 of its content."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """One segment: the folder it lies in, its counts and its files by name."""

    name: str
    documents: int
    words: int
    vocabulary: int
    has_text: bool
    files: dict[str, FileInfo]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything an index says of itself.

    function_words: words without positions (empty when every word has them). read: what became of the records.
    """

    segments: tuple[SegmentInfo, ...]
    sources: tuple[SourceInfo, ...] = ()
    function_words: tuple[str, ...] = ()
    read: ReadReport = field(default_factory=ReadReport)
    word_rules: int = WORD_RULES_VERSION
    unicode: str = UNICODE_VERSION

    @property
    def documents(self) -> int:
        return sum(segment.documents for segment in self.segments)

    @property
    def words(self) -> int:
        return sum(segment.words for segment in self.segments)

    def _content(self) -> dict[str, Any]:
        return {
            "kind": _KIND,
            "format_version": FORMAT_VERSION,
            "word_rules": {"version": self.word_rules, "unicode": self.unicode},
            "function_words": list(self.function_words),
            "documents": self.documents,
            "words": self.words,
            "sources": [
                {"name": s.name, "format": s.format, "bytes": s.bytes, "sha256": s.sha256} for s in self.sources
            ],
            "read": {
                "documents": self.read.documents,
                "empty": self.read.empty,
                "skipped": dict(sorted(self.read.skipped.items())),
                "failed": dict(sorted(self.read.failed.items())),
                "examples": list(self.read.examples),
            },
            "segments": [
                {
                    "name": s.name,
                    "documents": s.documents,
                    "words": s.words,
                    "vocabulary": s.vocabulary,
                    "has_text": s.has_text,
                    "files": {name: {"bytes": f.bytes, "sha256": f.sha256} for name, f in sorted(s.files.items())},
                }
                for s in self.segments
            ],
        }

    def fingerprint(self) -> str:
        """32 hexadecimal digits that change with the corpus, the word rules, the format or any byte of a segment.

        The names of segments and of source files do not matter.
        """
        segments = [
            {name: (info.bytes, info.sha256) for name, info in sorted(segment.files.items())}
            for segment in self.segments
        ]
        basis = [FORMAT_VERSION, self.word_rules, sorted(self.function_words), segments]
        return hashlib.sha256(_canonical(basis)).hexdigest()[:32]

    def write(self, folder: Path) -> None:
        """Write it into a folder, whole or not at all."""
        content = self._content()
        content["checksum"] = hashlib.sha256(_canonical(content)).hexdigest()
        write_atomically(folder / MANIFEST_NAME, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")

    @classmethod
    def read_from(cls, folder: Path) -> Manifest:
        """Read and check the manifest of an index folder. Raises IndexFormatError with the cure in its message."""
        path = folder / MANIFEST_NAME
        if not path.is_file():
            raise IndexFormatError(_why_no_manifest(folder))
        try:
            content = json.loads(path.read_bytes())
            if not isinstance(content, dict) or content.get("kind") != _KIND:
                raise IndexFormatError(f"{path} is not the manifest of a corver index")
            version = content["format_version"]
            if version != FORMAT_VERSION:
                raise IndexFormatError(
                    f"{folder} has index format {version}, this corver reads format {FORMAT_VERSION}; "
                    f"rebuild it: corver index build SOURCE --output {folder}"
                )
            checksum = content.pop("checksum")
            if checksum != hashlib.sha256(_canonical(content)).hexdigest():
                raise IndexFormatError(f"{path} was changed or damaged (checksum differs); rebuild the index")
            manifest = cls._parse(content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise IndexFormatError(f"{path} is damaged ({type(error).__name__}); rebuild the index") from error
        if manifest.word_rules != WORD_RULES_VERSION:
            raise IndexFormatError(
                f"{folder} was built with word rules {manifest.word_rules}, this corver has {WORD_RULES_VERSION}; "
                f"rebuild it: corver index build SOURCE --output {folder}"
            )
        return manifest

    @classmethod
    def _parse(cls, content: dict[str, Any]) -> Manifest:
        segments = tuple(
            SegmentInfo(
                name=_plain_name(row["name"]),
                documents=_natural(row["documents"]),
                words=_natural(row["words"]),
                vocabulary=_natural(row["vocabulary"]),
                has_text=bool(row["has_text"]),
                files={
                    _plain_name(n): FileInfo(_natural(f["bytes"]), str(f["sha256"])) for n, f in row["files"].items()
                },
            )
            for row in content["segments"]
        )
        read = content["read"]
        return cls(
            segments=segments,
            sources=tuple(
                SourceInfo(str(s["name"]), str(s["format"]), _natural(s["bytes"]), str(s["sha256"]))
                for s in content["sources"]
            ),
            function_words=tuple(str(word) for word in content["function_words"]),
            read=ReadReport(
                _natural(read["documents"]), _natural(read["empty"]), dict(read["skipped"]), dict(read["failed"]),
                list(read["examples"]),
            ),
            word_rules=_natural(content["word_rules"]["version"]),
            unicode=str(content["word_rules"]["unicode"]),
        )  # fmt: skip

    def with_segments(self, segments: tuple[SegmentInfo, ...]) -> Manifest:
        """The same corpus in other segments."""
        return replace(self, segments=segments)


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def _natural(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _plain_name(value: Any) -> str:
    """A file name that cannot lead out of its folder."""
    name = str(value)
    if not name or name in (".", "..") or any(c in name for c in "/\\\0"):
        raise ValueError(f"{name!r} is not a file name")
    return name


def _why_no_manifest(folder: Path) -> str:
    if not folder.exists():
        return f"{folder} does not exist; build an index there: corver index build SOURCE --output {folder}"
    if not folder.is_dir():
        return f"{folder} is a file, not an index folder"
    if (folder / "build").is_dir():
        return f"{folder} holds an unfinished build; run the same corver index build again to finish it"
    # A build refuses a folder with files of others.
    place = "in another folder: corver index build SOURCE --output FOLDER"
    if not any(folder.iterdir()):
        place = f"there: corver index build SOURCE --output {folder}"
    return f"{folder} is not a corver index (no {MANIFEST_NAME}); build one {place}"
