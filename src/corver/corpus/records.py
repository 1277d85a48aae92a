"""What all readers share: the names of the fields, the account of what was left out, and the packing of batches.

In: single records of a reader. Out: `DocumentBatch`es of a few megabytes and an honest `ReadReport`. This module
knows no file format.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corver.corpus.document import DocumentBatch, ReadReport

__all__ = ["BATCH_BYTES", "MAX_RECORD_BYTES", "BatchBuilder", "Fields", "note_failed", "note_skipped", "utf8"]

BATCH_BYTES = 4 << 20
"""Text bytes after which a batch is handed on."""

BATCH_DOCUMENTS = 8192
"""Documents after which a batch is handed on, however short they are."""

MAX_RECORD_BYTES = 256 << 20
"""A longer line, page or file is counted as failed: one record must not decide how much memory a reader takes."""

_MAX_EXAMPLES = 20
_MAX_EXAMPLES_A_REASON = 3
"""Thousands of redirects must not crowd out the one broken page."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The names under which a record carries its text, its title and its address."""

    text: str = "text"
    title: str = "title"
    url: str = "url"


def note_skipped(report: ReadReport, reason: str, where: str | None = None) -> None:
    """Count a record that is no document by its nature; without a place it makes no example."""
    _note(report, report.skipped, reason, where)


def note_failed(report: ReadReport, reason: str, where: str) -> None:
    """Count a record that should have been a document and could not be read."""
    _note(report, report.failed, reason, where)


def _note(report: ReadReport, counts: dict[str, int], reason: str, where: str | None) -> None:
    counts[reason] = counts.get(reason, 0) + 1
    if where and counts[reason] <= _MAX_EXAMPLES_A_REASON and len(report.examples) < _MAX_EXAMPLES:
        report.examples.append(f"{where}: {reason}")


def utf8(text: str) -> bytes:
    """Encode, with U+FFFD for surrogates without a partner (JSON can write them, UTF-8 cannot)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


class BatchBuilder:
    """Gathers single documents until a batch is full, and counts them.

    Documents without text are counted as empty and not kept.
    """

    def __init__(self, report: ReadReport) -> None:
        self._report = report
        self._clear()

    def _clear(self) -> None:
        self._pieces: list[bytes] = []
        self._titles: list[str] = []
        self._urls: list[str] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._pieces)

    @property
    def full(self) -> bool:
        """True when the batch should be taken."""
        return self._bytes >= BATCH_BYTES or len(self._pieces) >= BATCH_DOCUMENTS

    def add(self, title: str, text: str, url: str) -> None:
        """Take one document."""
        if not text or text.isspace():
            self._report.empty += 1
            return
        raw = utf8(text)
        self._pieces.append(raw)
        self._titles.append(title)
        self._urls.append(url)
        self._bytes += len(raw)
        self._report.documents += 1

    def take(self) -> DocumentBatch:
        """Hand over what was gathered and start anew."""
        offsets = np.zeros(len(self._pieces) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in self._pieces], out=offsets[1:])
        text = np.frombuffer(b"".join(self._pieces), dtype=np.uint8)
        batch = DocumentBatch(text, offsets, self._titles, self._urls)
        self._clear()
        return batch
