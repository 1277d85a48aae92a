"""Properties of the readers: shards tile their corpus; text is valid UTF-8; wikitext never breaks, leaks or hangs."""

from __future__ import annotations

import bz2
import gzip
import json
import pickle
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corver.corpus import Document, DocumentBatch, ReadReport, Shard
from corver.corpus import parquet as parquet_room
from corver.corpus.dump import plan_dump
from corver.corpus.jsonl import plan_jsonl
from corver.corpus.records import Fields
from corver.corpus.wikitext import ArticleTimeoutError, plain_text

FIELDS = Fields()
IN_FOLDER = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

strings = st.text(st.characters(codec="utf-8"), max_size=40)
documents = st.lists(st.builds(Document, strings, strings, strings), max_size=30)


def is_kept(document: Document) -> bool:
    return bool(document.text) and not document.text.isspace()


def check_batch(batch: DocumentBatch) -> None:
    assert batch.text.dtype == np.uint8
    assert batch.offsets.dtype == np.int64
    assert len(batch.offsets) == len(batch.titles) + 1 == len(batch.urls) + 1
    assert batch.offsets[0] == 0
    assert batch.offsets[-1] == len(batch.text)
    assert (np.diff(batch.offsets) > 0).all()
    for number in range(len(batch)):
        batch.document(number)  # raises when a document is not UTF-8 by itself


def read_all(shards: Sequence[Shard]) -> tuple[list[Document], ReadReport]:
    """What the shards give, each after a trip through pickle, and the sum of their reports."""
    found: list[Document] = []
    total = ReadReport()
    for shard in pickle.loads(pickle.dumps(shards)):
        report = ReadReport()
        for batch in shard.batches(report):
            check_batch(batch)
            found += [batch.document(number) for number in range(len(batch))]
        total.add(report)
    return found, total


@IN_FOLDER
@given(corpus=documents, group=st.integers(1, 9), target=st.integers(1, 400), large=st.booleans())
def test_parquet_shards_tile_the_documents(
    tmp_path: Path, corpus: list[Document], group: int, target: int, large: bool
) -> None:
    kind = pa.large_string() if large else pa.string()
    columns = {name: pa.array([getattr(item, name) for item in corpus], type=kind) for name in ("title", "text", "url")}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_room, "_WHOLE_GROUP", 1)
        found, report = read_all(parquet_room.plan_parquet(path, "a", FIELDS, target_bytes=target))
    assert found == [document for document in corpus if is_kept(document)]
    assert report.documents == len(found)
    assert report.documents + report.empty == len(corpus)


@IN_FOLDER
@given(corpus=documents, target=st.integers(1, 400), end=st.sampled_from(["\n", "\r\n"]), ascii_only=st.booleans())
def test_jsonl_shards_tile_the_documents(
    tmp_path: Path, corpus: list[Document], target: int, end: str, ascii_only: bool
) -> None:
    rows = [
        json.dumps({"title": item.title, "text": item.text, "url": item.url}, ensure_ascii=ascii_only)
        for item in corpus
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(end.join(rows).encode())
    found, report = read_all(plan_jsonl(path, "a", FIELDS, packing="plain", target_bytes=target))
    assert found == [document for document in corpus if is_kept(document)]
    assert report.documents + report.empty == len(corpus)
    path.write_bytes(gzip.compress(end.join(rows).encode()))
    assert read_all(plan_jsonl(path, "a", FIELDS, packing="gzip", target_bytes=target))[0] == found


@IN_FOLDER
@given(
    lines=st.lists(st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"")), max_size=20),
    target=st.integers(1, 99),
)
def test_every_line_of_any_bytes_is_accounted_for(tmp_path: Path, lines: list[bytes], target: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    _, report = read_all(plan_jsonl(path, "a", FIELDS, packing="plain", target_bytes=target))
    assert report.documents + report.empty + sum(report.skipped.values()) + sum(report.failed.values()) == len(lines)


_titles = st.text("abcdefgh ÄÖ東", min_size=1, max_size=12).filter(str.strip)
_words = st.lists(st.text("abcdefghé東 ", min_size=1, max_size=30), min_size=1, max_size=8).map(" ".join)


@IN_FOLDER
@given(
    articles=st.lists(st.tuples(_titles, _words), min_size=1, max_size=25),
    each=st.integers(1, 6),
    parts=st.integers(1, 30),
    packed=st.booleans(),
)
def test_dump_shards_tile_the_articles(
    tmp_path: Path, articles: list[tuple[str, str]], each: int, parts: int, packed: bool
) -> None:
    pages = [
        f"<page><title>{title}</title><ns>0</ns><revision><text>{text}</text></revision></page>\n".encode()
        for title, text in articles
    ]
    pack: Callable[[bytes], bytes] = bz2.compress if packed else bytes
    runs = [b"".join(pages[start : start + each]) for start in range(0, len(pages), each)]
    path = tmp_path / "a.xml"
    path.write_bytes(b"".join(map(pack, [b"<mediawiki>", *runs, b"</mediawiki>"])))
    target = max(1, path.stat().st_size // parts)
    shards = plan_dump(path, "a", packing="bzip2" if packed else "plain", target_bytes=target, seconds=9)
    found, report = read_all(shards)
    expected = [(title.strip(), " ".join(text.split())) for title, text in articles if text.strip()]
    assert [(document.title, document.text) for document in found] == expected
    assert report.documents + report.empty == len(articles)


PROSE = st.text("abcdefgh ", min_size=1, max_size=12).map(str.strip).filter(bool)


# Well-formed wikitext around prose in small letters. The words of the markup itself are in capitals, so a leak shows.
_INLINE_FORMS = (
    "'''%s'''", "[[TARGET|%s]]", "%s <!-- COMMENT -->", "{{lang|fr|%s}}", "{{nowrap|%s}}",
    "[http://ADDRESS.COM/PAGE %s]",
    '%s <ref name="NAME">{{cite book|title=BOOK|url=http://URL.COM}}</ref>', '<span style="STYLE">%s</span>', "%s<br/>",
    "%s <math>\\FORMULA</math>",
)  # fmt: skip
_BLOCK_FORMS = (
    "%s", "== %s ==", "* %s", "[[File:PICTURE.jpg|thumb|upright=1.2|alt=HIDDEN|%s]]", "%s[[Category:CATEGORY|KEY]]",
    "{{Infobox TOWN\n| PARAMETER = [[VALUE]]\n}}\n%s", "<gallery>\nFile:PICTURE.png|%s\n</gallery>", "%s __TOC__",
    '{| class="CLASS" style="STYLE"\n|-\n! scope="COL" | %s || x\n|}', "{{plainlist|\n* %s\n}}", "{{Main|OTHER}}\n%s",
    "<!-- COMMENT\n\nCOMMENT -->\n%s", "<timeline>\nCODE\n\nCODE\n</timeline>%s", "{{Quote|text=%s}}",
    "%s\n[[fr:OTHER]]",
)  # fmt: skip


def _fill(forms: Sequence[str], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda form, text: form % text, st.sampled_from(forms), inner)


MARKED = st.recursive(
    PROSE, lambda inner: _fill(_INLINE_FORMS, inner) | st.builds("{} {}".format, inner, inner), max_leaves=8
)
WIKITEXT = st.lists(_fill(_BLOCK_FORMS, MARKED), min_size=1, max_size=6).map("\n\n".join)


@settings(max_examples=300, deadline=None)
@given(WIKITEXT)
def test_no_word_of_the_markup_leaks(wikitext: str) -> None:
    text = plain_text(wikitext)
    assert re.search(r"[A-Z]|thumb|upright|alt=|\[\[|\]\]|\{\{|\}\}|\{\||''|<|http|\|", text) is None


INLINE = st.recursive(
    PROSE,
    lambda inner: st.one_of(
        st.builds("''{}''".format, inner),
        st.builds("[[TARGET|{}]]".format, inner),
        st.builds("{{{{lang|fr|{}}}}}".format, inner),
        st.builds("{}<ref>NOTE</ref>".format, inner),
        st.builds("<small>{}</small>".format, inner),
        st.builds("{} {}".format, inner, inner),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(INLINE)
def test_every_word_of_the_prose_stays_in_order(wikitext: str) -> None:
    expected = re.findall(
        r"\b[a-h]+\b", re.sub(r"''|<ref>NOTE</ref>|</?small>|\[\[TARGET\||\]\]|\{\{lang\|fr\||\}\}", "", wikitext)
    )
    assert re.findall(r"[a-h]+", plain_text(wikitext)) == expected


PIECES = [
    "{{", "}}", "{{{", "}}}", "[[", "]]", "[[File:a|thumb|", "[[a|", "{{x|", "{{x|a=", "{|\n", "|}", "\n|-", "\n|", "|",
    "||", "\n!", "!!", "<ref>", "</ref>", "<ref/>", "<ref name=", "<!--", "-->", "<nowiki>", "</nowiki>", "<gallery>\n",
    "</gallery>", "<math>", "<timeline>", "''", "'''''", "\n==", "==\n", "\n*", "\n\n", "[http://a ", "http://", "]",
    "&", "&#", "&amp;", "__", "-{", "}-", "((", "( ", "(;", "<b", "<x>", "<sup>1", "{{#if:", "{{!}}", "{{convert|5|",
    "{{ubl|", "\x7f0\x7f", "\x1d9", "\x1e=", "²", "{{birth date|", "{{ordinal|", "= {|", ".", ";", "\u00a0", "Paris",
    " ", "\n",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_broken_markup_never_breaks_the_reader(wikitext: str) -> None:
    text = plain_text(wikitext)
    assert "{{" not in text or "nowiki" in wikitext
    assert not set(text) & set("\x1d\x1e\x7f")  # the reader's own marks
    text.encode("utf-8")


LONG = "a1" * 100_000
LONG_WORDS = [
    f"{{{{x|y|{LONG}!}}}}", f"{{{{x|y|{'a/' * 100_000} !}}}}", f"{{{{{LONG}}}}}", f"[[{LONG}|b]]", f"[[a ({LONG} |]]",
    f"[http://{LONG}", f"[http://{LONG} {LONG}", f"http://{LONG}", f"[[a{' ' * 200_000}b|]]", f"== {' ' * 200_000} a",
    f"&{LONG};", f"({'; ' * 100_000}", f"<ref {LONG}", f"<b {LONG}", f"1<sup>{' ' * 200_000}", f"__{LONG}__",
    f"-{{{LONG}",
    f"{{|{LONG}\n|-{LONG}\n|{LONG}|{LONG}", f"[[File:{LONG}|{LONG}px|{LONG}]]", f"<math>{LONG}</math>",
    f"</ref{' ' * 200_000}", f"{{{{ordinal|{'1' * 5000}}}}}", f"{{{{birth date|1|{'1' * 5000}|{'1' * 5000}}}}}",
    f"{{{{convert|{'1,' * 100_000}|km}}}}", f"{{{{birth date|{'1' * 4000}|2|3}}}}",
    f"<gallery>\na|{'alt=b|' * 40_000}</gallery>",
]  # fmt: skip


@pytest.mark.parametrize("wikitext", LONG_WORDS, ids=lambda wikitext: wikitext[:12])
def test_no_long_word_holds_the_reader_up(wikitext: str) -> None:
    start = time.process_time()
    plain_text(wikitext)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    """Repeated markup must not make the reader slow: quadratic work on 200 kB would take minutes."""
    unit = piece + "a"
    wikitext = (unit * (200_000 // len(unit)))[:200_000]
    start = time.process_time()
    plain_text(wikitext + "]]}}|}</ref>-->")
    plain_text(piece * (200_000 // len(piece)))
    assert time.process_time() - start < 10


def test_the_time_limit_stops_an_article_in_the_middle() -> None:
    ticks = iter(range(10**9))
    with pytest.raises(ArticleTimeoutError):
        plain_text("[[a]] " * 100_000, seconds=5, clock=lambda: float(next(ticks)))
    assert next(ticks) < 10  # it gave up long before the end
