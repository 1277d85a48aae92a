"""A corpus as a whole: sources opened, cut into shards, hashed, and checked for having given anything.

In: the user's sources and the names of the fields. Out: a `Corpus`. This module knows which reader belongs to which
format, and nothing of what is inside the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from corver.corpus.document import DocumentBatch, ReadReport, Shard, SourceInfo
from corver.corpus.dump import plan_dump
from corver.corpus.files import SourceFile, find_files, sha256
from corver.corpus.hub import Hub
from corver.corpus.jsonl import plan_jsonl
from corver.corpus.parquet import plan_parquet, survey_parquet
from corver.corpus.plain import plan_text
from corver.corpus.records import Fields
from corver.errors import CorpusError, UsageError

__all__ = ["Corpus", "FormatChoice", "open_corpus"]

FormatChoice: TypeAlias = Literal["auto", "parquet", "jsonl", "dump", "text"]

_FORMATS = ("auto", "parquet", "jsonl", "dump", "text")
_SHARDS_WANTED = 64
"""Enough for sixteen cores to end together. It depends on the corpus alone, never on the machine, so that a build
that is taken up again elsewhere finds the same shards."""
_MIN_SHARD, _MAX_SHARD = 1 << 20, 64 << 20
_PARQUET_FACTOR = 2
"""Parquet shards are measured by their plain text, all others by their bytes on disk."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Files with known formats, ready to be read side by side. Made by `open_corpus`.

    given: the sources as the user named them. parts: every shard with the number of its source in `given`.
    """

    given: tuple[str, ...]
    files: tuple[SourceFile, ...]
    parts: tuple[tuple[int, Shard], ...]
    fields: Fields

    @property
    def bytes(self) -> int:
        """Bytes of all files as they lie on disk."""
        return sum(file.bytes for file in self.files)

    @property
    def records(self) -> int | None:
        """How many records there are, where all files say so (parquet), else None."""
        if any(file.format != "parquet" for file in self.files):
            return None
        return sum(survey_parquet(file.path, self.fields).rows for file in self.files)

    @property
    def text_bytes(self) -> int:
        """An estimate of the bytes of text in it: exact within a few percent for parquet, a rule of thumb elsewhere."""
        return sum(_text_bytes(file, self.fields) for file in self.files)

    def shards(self) -> list[Shard]:
        """Its parts in the order of the corpus; the same list whenever the files are the same."""
        return [shard for _, shard in self.parts]

    def sources(self, *, threads: int = 4) -> list[SourceInfo]:
        """Every file with its size and SHA-256. Reads all files once, except those whose hash the hub knows."""
        with ThreadPoolExecutor(threads) as pool:
            hashes = list(pool.map(lambda file: file.sha256 or sha256(file.path), self.files))
        return [
            SourceInfo(file.label, file.format, file.bytes, digest)
            for file, digest in zip(self.files, hashes, strict=True)
        ]

    def check(self, reports: Sequence[ReadReport]) -> None:
        """Raise `CorpusError` when one of the sources gave no document.

        reports: one a shard, in the order of `shards()`.
        """
        if len(reports) != len(self.parts):
            raise UsageError(f"{len(reports)} reports for {len(self.parts)} shards")
        totals = [ReadReport() for _ in self.given]
        for (source, _), report in zip(self.parts, reports, strict=True):
            totals[source].add(report)
        for given, total in zip(self.given, totals, strict=True):
            if not total.documents:
                raise CorpusError(f"{given}: no document in it ({_reasons(total)})")

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """The whole corpus in one process, for small corpora and tests; raises as `check` does at the end."""
        reports: list[ReadReport] = []
        for shard in self.shards():
            part = ReadReport()
            yield from shard.batches(part)
            reports.append(part)
            report.add(part)
        self.check(reports)


def open_corpus(
    sources: Sequence[str],
    *,
    format: FormatChoice = "auto",  # noqa: A002  (the command line's own word)
    text_field: str = "text",
    title_field: str = "title",
    url_field: str = "url",
    article_seconds: float = 10.0,
    revision: str | None = None,
    hub: Hub | None = None,
) -> Corpus:
    """Open a corpus.

    sources: paths of files or folders, globs, or `hf://datasets/OWNER/NAME[@REVISION][/PATH]`. format: "auto" tells it
    file by file from name and content. *_field: where a record keeps its parts (parquet, JSON Lines).
    article_seconds: time limit for one article of a dump. revision: branch, tag or commit of hub sources that name
    none. hub: another hub than the Hugging Face one. Raises `CorpusError` when a source is missing, empty or of no
    known format, `UsageError` when the options make no sense.
    """
    if isinstance(sources, str) or not sources:
        raise UsageError("name at least one source of a corpus, as a list")
    if format not in _FORMATS:
        raise UsageError(f"format {format!r} is unknown; choose one of {', '.join(_FORMATS)}")
    if not article_seconds > 0:
        raise UsageError("article_seconds must be greater than 0")
    files = find_files(sources, wanted=None if format == "auto" else format, hub=hub, revision=revision)
    fields = Fields(text_field, title_field, url_field)
    for number, source in enumerate(sources):
        mine = [file for file in files if file.source == number]
        if not any(file.bytes for file in mine):
            raise CorpusError(f"{source}: empty, so no document in it")
    parts = _plan(files, fields, article_seconds)
    return Corpus(tuple(sources), tuple(files), tuple(parts), fields)


def _plan(files: Sequence[SourceFile], fields: Fields, seconds: float) -> list[tuple[int, Shard]]:
    """All shards in the order of the corpus, each with the number of its source."""
    target = min(max(sum(file.bytes for file in files) // _SHARDS_WANTED, _MIN_SHARD), _MAX_SHARD)
    parts: list[tuple[int, Shard]] = []
    for (source, kind), group in groupby(files, key=lambda file: (file.source, file.format)):
        run = list(group)
        if kind == "text":
            texts = [(file.path, file.label, file.bytes) for file in run]
            parts.extend((source, shard) for shard in plan_text(texts, target_bytes=target))
            continue
        for file in run:
            parts.extend((source, shard) for shard in _plan_file(file, fields, target, seconds))
    return parts


def _plan_file(file: SourceFile, fields: Fields, target: int, seconds: float) -> Sequence[Shard]:
    path, label = file.path, file.label
    if file.format == "parquet":
        return plan_parquet(path, label, fields, target_bytes=_PARQUET_FACTOR * target)
    if file.format == "jsonl":
        return plan_jsonl(path, label, fields, packing=file.packing, target_bytes=target)
    return plan_dump(path, label, packing=file.packing, target_bytes=target, seconds=seconds)


def _text_bytes(file: SourceFile, fields: Fields) -> int:
    if file.format == "parquet":
        return survey_parquet(file.path, fields).text_bytes
    plain = file.bytes if file.packing == "plain" else 4 * file.bytes
    return plain // 2 if file.format == "dump" else plain


def _reasons(report: ReadReport) -> str:
    counts = [*report.failed.items(), *report.skipped.items()]
    parts = [f"{number} {reason}" for reason, number in counts]
    if report.empty:
        parts.append(f"{report.empty} empty")
    example = f"; first: {report.examples[0]}" if report.examples else ""
    return (", ".join(parts) or "it holds no record") + example
