"""What a corpus is to the rest of corver: shards that can be read side by side, each a stream of document batches.

In: nothing. Out: the types that the readers produce and the index builder consumes. A batch keeps its texts as one
UTF-8 buffer, so that a columnar source reaches the tokenizer without a Python string a document. This module knows
no file format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Document", "DocumentBatch", "ReadReport", "Shard", "SourceInfo"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus, as a reader of single records sees it."""

    title: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """D documents as one buffer.

    text: uint8 (n,), the UTF-8 of all documents end to end, always valid UTF-8. offsets: int64 (D + 1,), document d is
    text[offsets[d]:offsets[d + 1]]. titles, urls: D strings each ("" where the source has none).
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    titles: list[str]
    urls: list[str]

    def __len__(self) -> int:
        return len(self.titles)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> DocumentBatch:
        """Pack single documents into a batch."""
        titles: list[str] = []
        urls: list[str] = []
        pieces: list[bytes] = []
        for document in documents:
            titles.append(document.title)
            urls.append(document.url)
            pieces.append(document.text.encode("utf-8"))
        offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        return cls(np.frombuffer(b"".join(pieces), dtype=np.uint8), offsets, titles, urls)

    def document(self, number: int) -> Document:
        """Unpack one document."""
        raw = self.text[self.offsets[number] : self.offsets[number + 1]]
        return Document(self.titles[number], raw.tobytes().decode("utf-8"), self.urls[number])


@dataclass(slots=True)
class ReadReport:
    """What became of the records of a shard or of a whole corpus.

    documents: handed on. empty: records without text. skipped, failed: reason -> number of records; `examples` keeps
    the first few of them by name, so that a log can point at them.
    """

    documents: int = 0
    empty: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    def add(self, other: ReadReport) -> None:
        """Count another report in."""
        self.documents += other.documents
        self.empty += other.empty
        for mine, theirs in ((self.skipped, other.skipped), (self.failed, other.failed)):
            for reason, number in theirs.items():
                mine[reason] = mine.get(reason, 0) + number
        self.examples.extend(other.examples[: max(0, 20 - len(self.examples))])


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """One file of a corpus as the manifest records it."""

    name: str
    format: str
    bytes: int
    sha256: str


class Shard(Protocol):
    """A part of a corpus that one worker reads. Picklable; reading it twice gives the same documents in order."""

    @property
    def name(self) -> str:
        """Where it lies, for progress and logs: file and part."""
        ...

    @property
    def bytes(self) -> int:
        """Its size in the source, for progress and for balancing work."""
        ...

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """Its documents, a few megabytes a batch; what was left out is counted in `report`."""
        ...
