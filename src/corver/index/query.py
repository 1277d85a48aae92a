"""The handle of an opened index: what other rooms use.

In: a folder. Out: counts, by the `Counter` protocol and as arrays; documents. A handle is a snapshot: documents added
to the folder later are seen by a handle opened later. It may be used from many threads, and many processes may open
the same folder, sharing its pages. Opening maps files; nothing of size is read.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import Document, SourceInfo
from corver.errors import IndexFormatError, UsageError
from corver.index.manifest import Manifest
from corver.types import Clause, Count, Query

if TYPE_CHECKING:
    from corver.index.engine import Engine, Prepared
    from corver.index.evidence import Passage
    from corver.index.mentions import Mentions, Profile
    from corver.index.segment import Segment
    from corver.index.terms import TermTable

__all__ = ["Index", "IndexInfo"]


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says of itself. bytes: on disk; postings_bytes: of that, everything but titles and texts.

    vocabulary: distinct words of each segment, added up.
    """

    path: str
    fingerprint: str
    format_version: int
    word_rules: int
    documents: int
    words: int
    vocabulary: int
    segments: int
    has_text: bool
    function_words: int
    bytes: int
    postings_bytes: int
    sources: tuple[SourceInfo, ...]


class Index:
    """An opened index. Use `Index.open`; close it, or use it in a `with` statement, when done."""

    def __init__(
        self, path: Path, manifest: Manifest, segments: Sequence[Segment], *, bitmap_bytes: int, made_bytes: int
    ) -> None:
        self.path = path
        self.manifest = manifest
        self._segments = list(segments)
        self._bitmap_bytes = bitmap_bytes
        self._made_bytes = made_bytes
        self._engine: Engine | None = None
        self._terms: TermTable | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: str | Path, *, bitmap_bytes: int = 256 << 20, made_bytes: int = 256 << 20) -> Index:
        """Open an index folder for reading.

        bitmap_bytes: memory that document bitmaps of frequent words may take; they are made as words are asked for.
        made_bytes: memory that the lists of phrases and alternatives may take before they are forgotten. Raises
        IndexFormatError when the folder is missing, unfinished, damaged or of another format.
        """
        from corver.index.segment import Segment

        folder = Path(path)
        manifest = Manifest.read_from(folder)
        if not manifest.segments:
            raise IndexFormatError(f"{folder} holds no documents; build the index from a corpus that has some")
        segments = [Segment(folder / info.name, info) for info in manifest.segments]
        return cls(folder, manifest, segments, bitmap_bytes=bitmap_bytes, made_bytes=made_bytes)

    def reopen(self) -> Index:
        """A new handle that sees what was added to the folder since; this one stays as it is."""
        return Index.open(self.path, bitmap_bytes=self._bitmap_bytes, made_bytes=self._made_bytes)

    def close(self) -> None:
        """Stop its threads. Mapped files are released with the handle."""
        if self._engine is not None:
            self._engine.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def words(self) -> int:
        """Number of words in the corpus."""
        return self.manifest.words

    @property
    def documents(self) -> int:
        """Number of documents in the corpus."""
        return self.manifest.documents

    def fingerprint(self) -> str:
        """32 hexadecimal digits of everything that counts depend on."""
        return self.manifest.fingerprint()

    def info(self) -> IndexInfo:
        """Sizes, sources and rules, from the manifest."""
        from corver.index.manifest import FORMAT_VERSION

        manifest = self.manifest
        sizes = [(name, info.bytes) for segment in manifest.segments for name, info in segment.files.items()]
        return IndexInfo(
            path=str(self.path),
            fingerprint=self.fingerprint(),
            format_version=FORMAT_VERSION,
            word_rules=manifest.word_rules,
            documents=manifest.documents,
            words=manifest.words,
            vocabulary=sum(segment.vocabulary for segment in manifest.segments),
            segments=len(manifest.segments),
            has_text=all(segment.has_text for segment in manifest.segments),
            function_words=len(manifest.function_words),
            bytes=sum(size for _, size in sizes),
            postings_bytes=sum(size for name, size in sizes if not name.startswith("texts.")),
            sources=manifest.sources,
        )

    def _counting(self) -> Engine:
        """The engine, which brings the compiler with it: loaded when something is asked, not at opening."""
        from corver.index.engine import Engine

        with self._lock:
            if self._engine is None:
                self._engine = Engine()
            return self._engine

    def _table(self) -> TermTable:
        """The table of clauses, begun anew once phrases fill the room for made lists."""
        from corver.index.terms import TermTable

        with self._lock:
            if self._terms is None or self._terms.made_bytes > self._made_bytes:
                self._terms = TermTable(self._segments, bitmap_bytes=self._bitmap_bytes)
            return self._terms

    def count(self, query: Query, *, window: int = 1000, cap: int | None = None) -> Count:
        """How often the clauses of one query stand together; see `count_many`."""
        return self.count_many([query], window=window, cap=cap, threads=1)[0]

    def count_many(
        self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None, threads: int | None = None
    ) -> list[Count]:
        """One Count a query: positions of the anchor that have every other clause within `window` words.

        The anchor is the clause with the fewest positions in the whole index (ties: the alphabetically first); one
        clause alone counts its positions; a word that the corpus lacks makes it 0. Text of a clause is read by the
        index's own word rules, several words are a phrase, and nothing in it is an operator. cap: stop there, and say
        so. threads: None for one a core. Raises UsageError for an empty query or a clause without words, and
        LookupFailedError when the index is damaged.
        """
        prepared = self.prepare(queries)
        values = self.count_prepared(prepared, window=window, cap=cap, threads=threads)
        capped = (values >= cap).tolist() if cap is not None else [False] * len(values)
        texts = prepared.table.texts
        anchors = [texts[anchor] for anchor in prepared.anchors.tolist()]
        return list(map(Count, values.tolist(), capped, anchors))

    def prepare(self, queries: Sequence[Query]) -> Prepared:
        """Resolve queries once, to count them as arrays with any window and cap."""
        for query in queries:
            if isinstance(query, str):
                raise UsageError(f"a query is a sequence of clauses, not the text {query!r}; put it into a list")
        return self._counting().prepare(self._table(), queries)

    def prepare_words(self, words: Sequence[str], numbers: NDArray[np.int64], starts: NDArray[np.int64]) -> Prepared:
        """Resolve Q queries without an object each: query q is words[n] for n in numbers[starts[q]:starts[q + 1]].

        words: W distinct clauses of text. numbers: int64 indexes into it. starts: int64 (Q + 1,).
        """
        if starts.size < 1 or starts[0] != 0 or starts[-1] != numbers.size or np.any(np.diff(starts) < 1):
            raise UsageError("starts must rise from 0 to the size of numbers, by at least one a query")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(words):
            raise UsageError("numbers must be indexes into words")
        table = self._table()
        terms = np.array(table.numbers(words), dtype=np.int64)
        return self._counting().prepare_numbers(table, terms[numbers], starts.astype(np.int64))

    def count_prepared(
        self, prepared: Prepared, *, window: int = 1000, cap: int | None = None, threads: int | None = None
    ) -> NDArray[np.int64]:
        """Counts of prepared queries, int64 (Q,), at most `cap`; the GIL is released."""
        return self._counting().count(prepared, window=window, cap=cap, threads=threads)

    def mentions(
        self,
        subject: str,
        *,
        cap: int = 200,
        surname: bool = True,
        loose: int = 10,
        any_small_words: bool = False,
        fuller: bool = False,
    ) -> Mentions:
        """Where a subject is mentioned: its exact phrase, else its content words within `loose` words of each other.

        cap: sample at most so many, evenly. surname: in documents with a mention, the last word of the subject standing
        alone counts as one too. loose: 0 for the exact phrase alone. any_small_words: "of", "the" and their like inside
        the name may be any words, which spares reading texts for their positions. Raises UsageError when the subject
        holds no word.
        """
        from corver.index.mentions import find_mentions

        return find_mentions(
            self._table(),
            subject,
            cap=cap,
            surname=surname,
            loose=loose,
            any_small_words=any_small_words,
            fuller=fuller,
        )

    def profile(
        self,
        mentions: Mentions,
        units: Sequence[Clause],
        *,
        scale: float = 100.0,
        cut: int = 600,
        edges: Sequence[int] | None = None,
    ) -> Profile:
        """How near each unit stands to the mentions of a subject: frequencies, kernel sums, distance histograms.

        scale: of the kernel exp(-d / scale). cut: the largest distance in words that still counts. edges: upper bounds
        of the histogram's bins, ascending. One walk over the documents of the mentions gives all of them.
        """
        from corver.index.mentions import DEFAULT_EDGES, profile_of

        return profile_of(mentions, units, scale=scale, cut=cut, edges=DEFAULT_EDGES if edges is None else edges)

    def evidence(self, query: Query, *, n: int = 5, window: int = 1000) -> list[Passage]:
        """Passages where the clauses of a query stand together, one a document, the tightest first.

        Raises UsageError when the index was built without texts.
        """
        if not self.info().has_text:
            raise UsageError(f"{self.path} was built without texts; evidence needs an index with stored text")
        from corver.index.evidence import find_passages

        return find_passages(self._table(), query, n=n, window=window)

    def document(self, number: int) -> Document:
        """A document by its number, 0 … documents - 1: title, address, and text where it is stored."""
        if not 0 <= number < self.documents:
            raise UsageError(f"there is no document {number}; the index has {self.documents}")
        for segment in self._segments:
            if number < segment.documents:
                return segment.numbered_document(number)
            number -= segment.documents
        raise AssertionError("unreachable: numbers are checked above")
