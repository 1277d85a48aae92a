"""MediaWiki dumps: every packing, one stream or many, any cut; damage and oddities are told, never swallowed."""

from __future__ import annotations

import bz2
import gzip
import pickle
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard

from corver.corpus import Document, ReadReport, bzip2, dump, open_corpus
from corver.corpus.bzip2 import read_blocks
from corver.corpus.dump import plan_dump
from corver.corpus.pages import PageCutter
from corver.errors import CorpusError

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">
  <siteinfo><sitename>Wikipedia</sitename><base>https://en.wikipedia.org/wiki/Main_Page</base>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces></siteinfo>
"""
TAIL = "</mediawiki>\n"


def page(title: str, text: str, *, ns: int | None = 0, extra: str = "", model: str = "wikitext") -> str:
    space = "" if ns is None else f"<ns>{ns}</ns>"
    return (
        f"  <page>\n    <title>{title}</title>\n    {space}<id>1</id>{extra}\n    <revision><id>2</id>"
        f"<contributor><username>title</username></contributor><model>{model}</model>"
        f'<text xml:space="preserve">{text}</text></revision>\n  </page>\n'
    )


PAGES = [page(f"Title {number}", f"Text '''number''' {number}. " + "word " * (number * 7 % 50)) for number in range(60)]
EXPORT = (HEAD + "".join(PAGES) + TAIL).encode()


def multistream(pages: Sequence[str] = PAGES, each: int = 7) -> bytes:
    runs = ["".join(pages[start : start + each]) for start in range(0, len(pages), each)]
    return b"".join(bz2.compress(part.encode()) for part in [HEAD, *runs, TAIL])


FILES = {
    "a.xml": EXPORT,
    "a.xml.bz2": bz2.compress(EXPORT, 1),
    "multi.xml.bz2": multistream(),
    "a.xml.gz": gzip.compress(EXPORT),
    "a.xml.zst": zstandard.ZstdCompressor().compress(EXPORT),
    "bare.xml": "".join(PAGES).encode(),
    "bare.xml.bz2": bz2.compress("".join(PAGES).encode()),
    "many-empty.xml.bz2": bz2.compress(b"") * 3 + bz2.compress(EXPORT) + bz2.compress(b""),
}


def read(path: Path, raw: bytes, **options: float) -> tuple[list[Document], ReadReport]:
    path.write_bytes(raw)
    report = ReadReport()
    batches = list(open_corpus([str(path)], **options).batches(report))  # type: ignore[arg-type]
    return [batch.document(number) for batch in batches for number in range(len(batch))], report


@pytest.mark.parametrize("name", FILES)
def test_every_packing_gives_all_articles_in_order(tmp_path: Path, name: str) -> None:
    documents, report = read(tmp_path / name, FILES[name])
    assert [document.title for document in documents] == [f"Title {number}" for number in range(60)]
    assert documents[1].text == "Text number 1. word word word word word word word"
    assert documents[1].url == ("" if name.startswith("bare") else "https://en.wikipedia.org/wiki/Title_1")
    assert (report.documents, report.skipped, report.failed) == (60, {}, {})


@pytest.mark.parametrize("name", ["a.xml", "a.xml.bz2", "multi.xml.bz2", "bare.xml"])
@pytest.mark.parametrize("parts", [2, 3, 5, 17, 200])
def test_shards_of_any_size_give_each_article_once(tmp_path: Path, name: str, parts: int) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    size = path.stat().st_size
    shards = plan_dump(path, name, packing=_packing(name), target_bytes=max(1, size // parts), seconds=5)
    assert sum(shard.bytes for shard in shards) == size
    titles: list[str] = []
    for shard in pickle.loads(pickle.dumps(shards)):
        for batch in shard.batches(ReadReport()):
            titles += batch.titles
    assert titles == [f"Title {number}" for number in range(60)]


def _packing(name: str) -> str:
    return "bzip2" if name.endswith(".bz2") else "plain"


@pytest.mark.parametrize("level", [1, 9])
@pytest.mark.parametrize("streams", [1, 4])
def test_blocks_of_bzip2_tile_the_plain_bytes(tmp_path: Path, level: int, streams: int) -> None:
    noise = random.Random(level)
    parts = [bytes(noise.choices(b"abcdefgh <>\n", k=250_000)) + noise.randbytes(60_000) for _ in range(streams)]
    path = tmp_path / "a.bz2"
    path.write_bytes(b"".join(bz2.compress(part, level) for part in parts))
    size = path.stat().st_size
    blocks = list(read_blocks(path, 0, size))
    assert b"".join(block for block, _ in blocks) == b"".join(parts)
    assert all(own for _, own in blocks)
    cuts = [0, *sorted(noise.sample(range(size), 6)), size]
    pieces = [block for start, end in pairwise(cuts) for block, own in read_blocks(path, start, end) if own]
    assert b"".join(pieces) == b"".join(parts)


def test_a_chance_mark_inside_a_block_is_seen_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 48 bits that start a block can stand in packed data by chance; here the search is made to find one."""
    raw = random.Random(3).randbytes(300_000)
    path = tmp_path / "a.bz2"
    path.write_bytes(bz2.compress(raw, 1))
    search = bzip2._marks
    real = list(search(path.read_bytes(), 0))  # type: ignore[arg-type]
    assert len(real) > 2
    chance = real[1] + 4001
    monkeypatch.setattr(
        bzip2,
        "_marks",
        lambda data, start: iter(sorted([*search(data, start), *([chance] if 8 * start <= chance else [])])),
    )
    assert b"".join(block for block, _ in read_blocks(path, 0, path.stat().st_size)) == raw


def test_redirects_other_namespaces_and_models_are_skipped_and_counted(tmp_path: Path) -> None:
    pages = [
        page("A", "#REDIRECT [[B]]", extra='<redirect title="B" />'),
        page("B", " #redirect [[C]]"),
        page("Talk:C", "chat", ns=1),
        page("Talk:Old", "chat", ns=None),
        page("D", "{}", model="json"),
        page("E", ""),
        page("F", "{{stub}}"),
        page("G", "kept [[Kategorie:X]][[Datei:a.png|thumb|Cap]]"),
        page("H: the kept", "kept too", ns=None),
    ]
    documents, report = read(tmp_path / "a.xml", (HEAD + "".join(pages) + TAIL).encode())
    assert [(document.title, document.text) for document in documents] == [
        ("G", "kept\nCap"),
        ("H: the kept", "kept too"),
    ]
    assert report.skipped == {"redirect": 2, "not in the article namespace": 2, "content model json": 1}
    assert report.empty == 2


def test_broken_pages_are_counted_by_title_and_the_rest_is_read(tmp_path: Path) -> None:
    pages = [
        page("Good", "one"),
        page("Entity", "a &bomb; b"),
        page("Tag", "a <b> c"),
        page("Bytes", "a \x01 b"),
        page("Fine &amp; well", "two &lt;b&gt;bold&lt;/b&gt; &amp;amp; &#233;"),
    ]
    path = tmp_path / "a.xml"
    documents, report = read(path, (HEAD + "".join(pages) + TAIL).encode())
    assert [(document.title, document.text) for document in documents] == [
        ("Good", "one"),
        ("Fine & well", "two bold & é"),
    ]
    assert report.failed == {"not well-formed XML": 3}
    assert report.examples == [f"{path}: {title}: not well-formed XML" for title in ("Entity", "Tag", "Bytes")]
    assert documents[1].url.endswith("/Fine_%26_well")


def test_an_entity_bomb_does_not_expand(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE m [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>\n' + HEAD + page("Bomb", "&b;") + page("Ok", "fine") + TAIL
    )
    documents, report = read(tmp_path / "a.xml", bomb.encode())
    assert [document.title for document in documents] == ["Ok"]
    assert report.failed == {"not well-formed XML": 1}


def test_of_several_revisions_the_last_counts(tmp_path: Path) -> None:
    revisions = "<revision><text>old</text></revision><revision><text>new</text></revision>"
    two = f"<page><title>A</title><ns>0</ns>{revisions}</page>"
    documents, _ = read(tmp_path / "a.xml", two.encode())
    assert documents == [Document("A", "new", "")]


@pytest.mark.parametrize("name", [name for name in FILES if "bare" not in name])
@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_dump_is_an_error(tmp_path: Path, name: str, keep: float) -> None:
    raw = FILES[name].rstrip()
    with pytest.raises(CorpusError, match=r"ends early|no document"):
        read(tmp_path / name, raw[: int(len(raw) * keep)])


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz", "a.xml.bz2"])
def test_an_export_that_stops_between_two_pages_is_an_error(tmp_path: Path, name: str) -> None:
    raw = EXPORT.removesuffix(TAIL.encode())
    packed = {"a.xml": raw, "a.xml.gz": gzip.compress(raw), "a.xml.bz2": bz2.compress(raw)}[name]
    with pytest.raises(CorpusError, match="ends early"):
        read(tmp_path / name, packed)


def test_damaged_blocks_are_an_error(tmp_path: Path) -> None:
    raw = bytearray(FILES["multi.xml.bz2"])
    middle = len(raw) // 2
    raw[middle : middle + 9] = b"\xa5" * 9
    with pytest.raises(CorpusError, match="damaged"):
        read(tmp_path / "a.xml.bz2", bytes(raw))


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.xml.bz2", bz2.compress(b"")),
        ("a.xml.bz2", b""),
        ("a.xml", b""),
        ("a.xml", (HEAD + TAIL).encode()),
        ("a.xml.bz2", bz2.compress(b"hello, this is no dump")),
        ("a.xml.gz", gzip.compress(b"<html>not found</html>")),
        ("a.xml", (HEAD + page("A", "#REDIRECT [[B]]") + TAIL).encode()),
    ],
)
def test_no_article_is_an_error(tmp_path: Path, name: str, raw: bytes) -> None:
    with pytest.raises(CorpusError, match="no document"):
        read(tmp_path / name, raw)


def test_an_article_that_takes_too_long_is_named_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(text: str, *, seconds: float, **_: object) -> str:
        if "slow" in text:
            raise dump.ArticleTimeoutError
        return text

    monkeypatch.setattr(dump, "plain_text", slow)
    path = tmp_path / "a.xml"
    raw = (HEAD + page("Quick", "one") + page("Sloth", "slow") + page("Quick too", "two") + TAIL).encode()
    documents, report = read(path, raw, article_seconds=2.5)
    assert [document.title for document in documents] == ["Quick", "Quick too"]
    assert report.failed == {"took longer than 2.5 s": 1}
    assert report.examples == [f"{path}: Sloth: took longer than 2.5 s"]


@pytest.mark.parametrize("size", [1, 3, 7, 64, 10_000])
def test_pages_are_cut_alike_from_chunks_of_any_size(size: int) -> None:
    chunks = [(EXPORT[start : start + size], True) for start in range(0, len(EXPORT), size)]
    cutter = PageCutter(iter(chunks))
    pages = list(cutter)
    assert pages == [text.strip().encode() for text in PAGES]
    assert not cutter.inside
    assert cutter.rest is not None
    assert b"</mediawiki>" in cutter.rest


def test_of_a_page_too_long_only_the_beginning_is_given() -> None:
    raw = (HEAD + page("Long", "x" * 90_000) + page("Short", "y") + TAIL).encode()
    chunks = [(raw[start : start + 1000], True) for start in range(0, len(raw), 1000)]
    first, second = PageCutter(iter(chunks), max_bytes=20_000)
    assert len(first) < 20_000
    assert b"<title>Long</title>" in first
    assert second == page("Short", "y").strip().encode()
