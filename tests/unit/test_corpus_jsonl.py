"""JSON Lines: every broken line is counted by reason and place; ranges lose and double no line."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import pickle
from pathlib import Path

import pytest
import zstandard

from corver.corpus import Document, ReadReport, open_corpus
from corver.corpus.jsonl import JsonlShard, plan_jsonl
from corver.corpus.records import Fields
from corver.errors import CorpusError

PACK = {
    "a.jsonl": lambda raw: raw,
    "a.jsonl.gz": gzip.compress,
    "a.jsonl.zst": zstandard.ZstdCompressor().compress,
    "a.jsonl.bz2": bz2.compress,
    "a.jsonl.xz": lzma.compress,
}


def read(path: Path, raw: bytes) -> tuple[list[Document], ReadReport]:
    path.write_bytes(raw)
    report = ReadReport()
    batches = list(open_corpus([str(path)]).batches(report))
    return [batch.document(number) for batch in batches for number in range(len(batch))], report


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("name", PACK)
def test_a_corpus_of_three_lines(tmp_path: Path, name: str) -> None:
    raw = lines({"text": "one", "title": "T", "url": "U"}, {"text": "two", "title": 3}, {"text": "né 🤣"})
    documents, report = read(tmp_path / name, PACK[name](raw))
    assert documents == [Document("T", "one", "U"), Document("3", "two", ""), Document("", "né 🤣", "")]
    assert report.documents == 3


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2"])
def test_members_and_frames_end_to_end_are_one_file(tmp_path: Path, name: str) -> None:
    raw = PACK[name](b'{"text": "one"}\n{"te') + PACK[name](b"") + PACK[name](b'xt": "two"}\n')
    documents, _ = read(tmp_path / name, raw)
    assert [document.text for document in documents] == ["one", "two"]


@pytest.mark.parametrize("name", [name for name in PACK if name != "a.jsonl"])
def test_a_truncated_packed_file_is_an_error_not_a_shorter_corpus(tmp_path: Path, name: str) -> None:
    raw = PACK[name](lines(*({"text": f"document {number}"} for number in range(5000))))
    with pytest.raises(CorpusError, match="ends early"):
        read(tmp_path / name, raw[: len(raw) * 2 // 3])


@pytest.mark.parametrize("name", [name for name in PACK if name != "a.jsonl"])
def test_damaged_packed_data_is_a_clear_error(tmp_path: Path, name: str) -> None:
    raw = bytearray(PACK[name](lines(*({"text": f"document {number * 7919}"} for number in range(5000)))))
    middle = len(raw) // 2
    raw[middle : middle + 40] = b"\xa5" * 40
    with pytest.raises(CorpusError, match=name):
        read(tmp_path / name, bytes(raw))


BROKEN = {
    b'{"text": "b\xffd"}': ("failed", "not valid UTF-8"),
    b"\x00\x00\x00": ("failed", "not valid JSON"),
    b'{"text": "a\x00b"}': ("failed", "not valid JSON"),
    b'{"text": "cut o': ("failed", "not valid JSON"),
    b'{"text": "a"} {"text": "b"}': ("failed", "not valid JSON"),
    b"[" * 100_000: ("failed", "not valid JSON"),
    b'{"n": ' + b"9" * 10_000 + b"}": ("failed", "not valid JSON"),
    b'["text"]': ("failed", "not a JSON object"),
    b"null": ("failed", "not a JSON object"),
    b'{"text": 5}': ("failed", "field 'text' is not a string"),
    b'{"body": "x"}': ("skipped", "no field 'text'"),
    b"": ("skipped", "blank line"),
    b" \t ": ("skipped", "blank line"),
}


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("line", BROKEN, ids=lambda line: line[:12].decode("latin-1"))
def test_a_broken_line_is_counted_with_its_place_and_the_rest_is_read(tmp_path: Path, line: bytes, end: bytes) -> None:
    path = tmp_path / "a.jsonl"
    documents, report = read(path, end.join([b'{"text": "one"}', line, b'{"text": "two"}', b""]))
    kind, reason = BROKEN[line]
    assert [document.text for document in documents] == ["one", "two"]
    assert getattr(report, kind) == {reason: 1}
    assert report.examples[0].startswith(f"{path}:2")
    assert report.examples[0].endswith(reason)


@pytest.mark.parametrize("text", ["null", '""', '" \\n "'])
def test_a_record_without_text_is_empty(tmp_path: Path, text: str) -> None:
    _, report = read(tmp_path / "a.jsonl", f'{{"text": {text}}}\n{{"text": "x"}}'.encode())
    assert (report.documents, report.empty) == (1, 1)


def test_a_byte_order_mark_and_a_missing_last_line_end(tmp_path: Path) -> None:
    documents, report = read(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"text": "one"}\r\n{"text": "two"}')
    assert [document.text for document in documents] == ["one", "two"]
    assert not report.failed


def test_escaped_nul_and_lone_surrogates_stay_valid_utf8(tmp_path: Path) -> None:
    documents, _ = read(tmp_path / "a.jsonl", rb'{"text": "a\u0000b \ud83d\ude00 c\ud800d"}')
    assert documents[0].text == "a\x00b 😀 c\ufffdd"


def test_a_line_longer_than_the_limit_is_counted_and_read_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"text": "one"}, {"text": "x" * 1000}, {"text": "two"}, {"text": "y" * 1000}))
    report = ReadReport()
    shard = JsonlShard(path, "a", Fields(), 0, path.stat().st_size, 1, max_line=100)
    texts = [batch.document(number).text for batch in shard.batches(report) for number in range(len(batch))]
    assert texts == ["one", "two"]
    assert report.failed == {"line too long": 2}
    assert report.examples == ["a:2: line too long", "a:4: line too long"]


def test_a_line_of_many_megabytes_is_one_document(tmp_path: Path) -> None:
    documents, _ = read(tmp_path / "a.jsonl", lines({"text": "word " * 2_000_000}, {"text": "two"}))
    assert [len(document.text) for document in documents] == [10_000_000, 3]


def test_every_way_to_cut_a_file_gives_every_line_once_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines(*({"text": str(number)} for number in range(30))) + b"\n\n{}\n")
    size = path.stat().st_size
    expected = [str(number) for number in range(30)]
    for parts in range(1, size + 1, 3):
        shards = plan_jsonl(path, "a", Fields(), packing="plain", target_bytes=max(1, size // parts))
        assert sum(shard.bytes for shard in shards) == size
        report, texts = ReadReport(), []
        for shard in pickle.loads(pickle.dumps(shards)):
            for batch in shard.batches(report):
                texts += [batch.document(number).text for number in range(len(batch))]
        assert texts == expected
        assert report.skipped == {"blank line": 2, "no field 'text'": 1}


def test_examples_of_later_ranges_name_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "good"}\n' * 50 + b"broken\n" + b'{"text": "good"}\n' * 50)
    size = path.stat().st_size
    for target in (size // 7, size // 3, 1):
        report = ReadReport()
        for shard in plan_jsonl(path, "a", Fields(), packing="plain", target_bytes=target):
            list(shard.batches(report))
        assert report.examples == ["a:51: not valid JSON"]


def test_a_source_without_any_document_is_an_error_that_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with pytest.raises(CorpusError, match=r"a\.jsonl: no document in it \(2 no field 'text'; first: .*fields: body"):
        read(path, lines({"body": "x"}, {"body": "y"}))
    with pytest.raises(CorpusError, match="empty"):
        read(path, b"")
    with pytest.raises(CorpusError, match="blank line"):
        read(path, b"\n")


def test_a_json_array_is_refused_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not JSON Lines"):
        read(tmp_path / "a.json", b'[\n {"text": "one"}]')
