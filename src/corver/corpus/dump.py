"""MediaWiki XML dumps as shards: byte ranges of .xml and .xml.bz2 files, the whole of files packed otherwise.

In: an export of a wiki, such as pages-articles.xml.bz2 or pages-articles-multistream.xml.bz2, without its index file;
both are read in parallel. Out: batches of plain text, one document an article: namespace 0, no redirects. This module
knows no wikitext and no XML.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from corver.corpus.bzip2 import check_end, read_blocks
from corver.corpus.document import DocumentBatch, ReadReport
from corver.corpus.pages import BrokenPageError, Header, PageCutter, parse_page, read_header, title_of
from corver.corpus.records import BatchBuilder, note_failed, note_skipped
from corver.corpus.streams import Packing, open_plain, peek, reading
from corver.corpus.wikitext import ArticleTimeoutError, plain_text
from corver.errors import CorpusError

__all__ = ["DumpShard", "plan_dump"]

_CHUNK = 1 << 20
_HEAD = 1 << 18
_TAIL = 1 << 12
_TAIL_BLOCKS = 2 << 20
"""Packed bytes at the end of a bzip2 file that hold its last block for certain; a block is at most 900 kB of text."""
_SPLIT: tuple[Packing, ...] = ("plain", "bzip2")
_ROOT_END = b"</mediawiki>"


@dataclass(frozen=True, slots=True)
class DumpShard:
    """The articles that start in bytes [start, end) of a file, as it lies on disk; for bzip2, in the blocks there.

    seconds: time limit for one article.
    """

    path: Path
    label: str
    packing: Packing
    start: int
    end: int
    header: Header
    seconds: float

    @property
    def name(self) -> str:
        """The file and the bytes."""
        return f"{self.label} bytes {self.start}-{self.end}"

    @property
    def bytes(self) -> int:
        """Bytes of the file in this shard."""
        return self.end - self.start

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """Its articles; raises `CorpusError` when the file is damaged or ends early."""
        builder = BatchBuilder(report)
        with reading(self.path), ExitStack() as stack:
            pages = PageCutter(_chunks(self, stack))
            for raw in pages:
                _take(self, raw, builder, report)
                if builder.full:
                    yield builder.take()
        if pages.inside or (self.packing not in _SPLIT and self.header.rooted and _ROOT_END not in (pages.rest or b"")):
            raise _ends_early(self.path)
        if len(builder):
            yield builder.take()


def plan_dump(path: Path, label: str, *, packing: Packing, target_bytes: int, seconds: float) -> list[DumpShard]:
    """Cut a dump into shards of about `target_bytes`. Raises `CorpusError` when a .bz2 file is cut off."""
    size = path.stat().st_size
    if not size:
        return []
    with reading(path):
        header = read_header(peek(path, packing, _HEAD))
        if packing == "bzip2":
            check_end(path)
        if packing in _SPLIT and header.rooted and _ROOT_END not in _last_bytes(path, packing):
            # An export that broke off between two pages looks whole to the shards.
            raise _ends_early(path)
    parts = max(1, round(size / target_bytes)) if packing in _SPLIT else 1
    cuts = [size * part // parts for part in range(parts + 1)]
    return [DumpShard(path, label, packing, start, end, header, seconds) for start, end in pairwise(cuts)]


def _ends_early(path: Path) -> CorpusError:
    return CorpusError(f"{path}: the export ends early (a broken download?); fetch it again")


def _last_bytes(path: Path, packing: Packing) -> bytes:
    """Plain bytes at the end of a file that can be read from any place."""
    size = path.stat().st_size
    if packing == "plain":
        with path.open("rb") as file:
            file.seek(max(0, size - _TAIL))
            return file.read()
    tail = b""
    for block, _ in read_blocks(path, max(0, size - _TAIL_BLOCKS), size):
        tail = (tail + block)[-_TAIL:]
    return tail


def _chunks(shard: DumpShard, stack: ExitStack) -> Iterator[tuple[bytes, bool]]:
    if shard.packing == "bzip2":
        return read_blocks(shard.path, shard.start, shard.end)
    stream = stack.enter_context(open_plain(shard.path, shard.packing))
    if shard.packing != "plain":
        return ((chunk, True) for chunk in iter(lambda: stream.read(_CHUNK), b""))
    stream.seek(shard.start)
    own = shard.end - shard.start
    sizes = [_CHUNK] * (own // _CHUNK) + [own % _CHUNK]
    mine = ((stream.read(size), True) for size in sizes if size)
    others = ((chunk, False) for chunk in iter(lambda: stream.read(_CHUNK), b""))
    return (pair for part in (mine, others) for pair in part)


def _take(shard: DumpShard, raw: bytes, builder: BatchBuilder, report: ReadReport) -> None:
    """Put one page's text into the batch, or the reason why not into the report."""
    try:
        page = parse_page(raw)
    except BrokenPageError:
        note_failed(report, "not well-formed XML", f"{shard.label}: {title_of(raw)}")
        return
    where = f"{shard.label}: {page.title}"
    if page.redirect:
        note_skipped(report, "redirect")
    elif not shard.header.is_article(page):
        note_skipped(report, "not in the article namespace")
    elif page.model != "wikitext":
        note_skipped(report, f"content model {page.model}", where)
    else:
        try:
            text = plain_text(page.text, title=page.title, namespaces=shard.header.namespaces, seconds=shard.seconds)
        except ArticleTimeoutError:
            note_failed(report, f"took longer than {shard.seconds:g} s", where)
            return
        builder.add(page.title, text, shard.header.address(page.title))
