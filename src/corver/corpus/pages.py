"""Pages of a MediaWiki XML export, found in a stream of bytes and parsed one by one.

In: plain bytes of an export, from its start or from anywhere inside it. Out: `Page`s. Pages are cut out of the stream
at their tags, so a stream without its root element, or a part of one, reads the same; each is then parsed by expat
alone, where there can be no document type and hence no entities but the five of XML: an export cannot make them
expand. This module knows nothing of wikitext or of files.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote
from xml.parsers import expat

from corver.corpus.records import MAX_RECORD_BYTES
from corver.corpus.wikitext import Namespaces

__all__ = ["BrokenPageError", "Header", "Page", "PageCutter", "parse_page", "read_header", "title_of"]

_OPEN = b"<page>"
_CLOSE = b"</page>"
_FIELDS = ("title", "ns", "revision/model", "revision/text")
_KEPT_OF_LONG = 1 << 12
_TAIL = 1 << 12
_REDIRECT = re.compile(
    r"\s*#\s*(?:redirect|weiterleitung|redirection|redirección|redirecionamento|rinvia)\b", re.IGNORECASE
)
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_TITLE = re.compile(rb"<title>([^<]{1,1000})</title>")


class BrokenPageError(Exception):
    """A page is no well-formed XML; counted as failed, never raised to a user."""


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the first page. prefix: of page addresses. rooted: the export has a root element."""

    prefix: str = ""
    rooted: bool = False
    namespaces: Namespaces = field(default_factory=Namespaces)
    other_prefixes: frozenset[str] = frozenset()
    """Names, in lower case, of all namespaces but that of the articles."""

    def is_article(self, page: Page) -> bool:
        """True for the namespace of the articles; old exports tell it by the title alone."""
        if page.namespace is not None:
            return page.namespace == 0
        prefix, colon, _ = page.title.partition(":")
        return not (colon and prefix.strip().lower() in self.other_prefixes)

    def address(self, title: str) -> str:
        """The address of a page, or "" when the export does not tell where it came from."""
        return self.prefix + quote(title.replace(" ", "_"), safe="/:(),!'*@;$") if self.prefix else ""


@dataclass(frozen=True, slots=True)
class Page:
    """The last revision of a page. namespace: None when the export does not say. text: wikitext."""

    title: str
    namespace: int | None
    redirect: bool
    model: str
    text: str


def read_header(head: bytes) -> Header:
    """Read the beginning of an export."""
    text = head.decode("utf-8", "replace").partition("<page")[0]
    base = re.search(r"<base>([^<]*)/[^</]*</base>", text)
    names = {
        int(key): html.unescape(name).strip().lower()
        for key, name in re.findall(r'<namespace\s[^>]*?key="(-?[0-9]+)"[^>/]*>([^<]*)</namespace>', text)
    }
    known = Namespaces()
    return Header(
        prefix=f"{html.unescape(base[1])}/" if base else "",
        rooted="<mediawiki" in text,
        namespaces=Namespaces(known.file | {names.get(6, "file")}, known.category | {names.get(14, "category")}),
        other_prefixes=frozenset(name for key, name in names.items() if key != 0),
    )


class PageCutter:
    """Cuts pages out of a stream of chunks, each marked True where pages that start in it are wanted.

    Iterate over it once for the bytes of each wanted page, from <page> to </page>. Of a page longer than `max_bytes`
    only the beginning is given. Afterwards `inside` tells that the stream ended within a page, and `rest` is the end
    of what stood after the last page, if the stream was read so far.
    """

    def __init__(self, chunks: Iterator[tuple[bytes, bool]], *, max_bytes: int = MAX_RECORD_BYTES) -> None:
        self._chunks = chunks
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._wanted = 0  # so many bytes of the buffer, from its start, may begin a page
        self._own = True
        self.inside = False
        self.rest: bytes | None = None

    def __iter__(self) -> Iterator[bytes]:
        while self._skip_to_page():
            page = self._read_page()
            if page is None:
                self.inside = True
                return
            yield page

    def _fill(self) -> bool:
        chunk, own = next(self._chunks, (b"", False))
        self._own = self._own and own
        self._buffer += chunk
        if self._own:
            self._wanted += len(chunk)
        return bool(chunk)

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._wanted -= size

    def _skip_to_page(self) -> bool:
        """Bring the next wanted page to the start of the buffer; False when there is none."""
        tail = bytearray()
        while (start := self._buffer.find(_OPEN)) < 0:
            seen = max(0, len(self._buffer) - len(_OPEN) + 1)  # the tag may stand across two chunks
            tail = (tail + self._buffer[:seen])[-_TAIL:]
            self._drop(seen)
            if not self._own and self._wanted <= 0:
                return False
            if not self._fill():
                self.rest = bytes(tail + self._buffer)
                return False
        self._drop(start)
        return self._wanted > 0

    def _read_page(self) -> bytes | None:
        """Take the page at the start of the buffer; None when the stream ends before it does."""
        start = 0
        kept = b""
        while (end := self._buffer.find(_CLOSE, start)) < 0:
            start = max(0, len(self._buffer) - len(_CLOSE) + 1)
            if len(self._buffer) > self._max_bytes:
                kept = kept or bytes(self._buffer[:_KEPT_OF_LONG])
                self._drop(start)
                start = 0
            if not self._fill():
                return None
        end += len(_CLOSE)
        page = kept or bytes(self._buffer[:end])
        self._drop(end)
        return page


def parse_page(raw: bytes) -> Page:
    """Parse one page; raises `BrokenPageError`."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    fields: dict[str, list[str]] = {}
    path: list[str] = []
    redirect = False

    def start(name: str, _attributes: dict[str, str]) -> None:
        nonlocal redirect
        path.append(name)
        place = "/".join(path[1:])
        redirect = redirect or place == "redirect"
        if place in _FIELDS:
            fields[place] = []  # of several revisions the last one counts
            parser.CharacterDataHandler = fields[place].append

    def end(_name: str) -> None:
        path.pop()
        parser.CharacterDataHandler = None

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise BrokenPageError(str(error)) from error
    values = {name: "".join(pieces) for name, pieces in fields.items()}
    text = values.get("revision/text", "")
    number = values.get("ns", "").strip()
    return Page(
        title=values.get("title", "").strip(),
        namespace=int(number) if _INTEGER.fullmatch(number) else None,
        redirect=redirect or bool(_REDIRECT.match(text)),
        model=values.get("revision/model", "wikitext").strip(),
        text=text,
    )


def title_of(raw: bytes) -> str:
    """The title of a page that may be broken, for reports."""
    match = _TITLE.search(raw, 0, _KEPT_OF_LONG)
    return html.unescape(match[1].decode("utf-8", "replace")) if match else "a page without a title"
