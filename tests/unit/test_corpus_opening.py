"""Opening a corpus: paths, globs, folders, formats by name and by content, text files, hashes, sources with nothing."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corver.corpus import Document, ReadReport, open_corpus
from corver.corpus.plain import TextShard, plan_text
from corver.errors import CorpusError, UsageError

LINE = b'{"text": "from json"}\n'
XML = b"<mediawiki><page><title>A</title><ns>0</ns><revision><text>from xml</text></revision></page></mediawiki>"


def texts(*sources: object, **options: object) -> list[str]:
    corpus = open_corpus([str(source) for source in sources], **options)  # type: ignore[arg-type]
    batches = list(corpus.batches(ReadReport()))
    return [batch.document(number).text for batch in batches for number in range(len(batch))]


def test_formats_are_known_by_name_in_a_folder_and_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    pq.write_table(pa.table({"text": ["from parquet"]}), tmp_path / "b.parquet")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(LINE))
    (tmp_path / "sub" / "c.xml.bz2").write_bytes(bz2.compress(XML))
    (tmp_path / "z.txt").write_text("from text")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / ".hidden.txt").write_text("no")
    (tmp_path / "_SUCCESS").write_text("")
    assert texts(tmp_path) == ["from json", "from parquet", "from xml", "from text"]
    assert texts(tmp_path, format="text")[-1] == "from text"
    assert texts(tmp_path, format="jsonl") == ["from json"]
    assert texts(tmp_path / "*.parquet", tmp_path / "**" / "*.bz2") == ["from parquet", "from xml"]
    assert texts(tmp_path / "z.txt", tmp_path / "a.jsonl.gz") == ["from text", "from json"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [(LINE, "from json"), (gzip.compress(LINE), "from json"), (XML, "from xml"), (b"from text", "from text")],
)
def test_formats_are_known_by_content_where_the_name_says_nothing(tmp_path: Path, raw: bytes, text: str) -> None:
    (tmp_path / "corpus").write_bytes(raw)
    assert texts(tmp_path / "corpus") == [text]


def test_a_named_format_overrides_the_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(LINE)
    assert texts(tmp_path / "a.txt", format="jsonl") == ["from json"]
    assert texts(tmp_path / "a.txt") == [LINE.decode()]


def test_sources_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "zero.jsonl").touch()
    (tmp_path / "binary").write_bytes(b"\x00\x01\x02")
    for source, words in (
        ("nothing.parquet", "there is no such file"),
        ("*.parquet", "no file matches"),
        ("empty", "holds no file"),
        ("zero.jsonl", "empty"),
        ("binary", "not a format"),
    ):
        with pytest.raises(CorpusError, match=words) as caught:
            open_corpus([str(tmp_path / source)])
        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_code == 1


def test_options_that_make_no_sense() -> None:
    for sources, options in (
        ([], {}),
        ("a.jsonl", {}),
        (["a.jsonl"], {"format": "csv"}),
        (["a.jsonl"], {"article_seconds": 0}),
    ):
        with pytest.raises(UsageError):
            open_corpus(sources, **options)  # type: ignore[arg-type]


def test_one_source_without_documents_fails_even_beside_a_good_one(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(LINE)
    (tmp_path / "bad.jsonl").write_bytes(b"{}\n")
    corpus = open_corpus([str(tmp_path / "good.jsonl"), str(tmp_path / "bad.jsonl")])
    with pytest.raises(CorpusError, match=r"bad\.jsonl: no document"):
        list(corpus.batches(ReadReport()))
    assert texts(tmp_path) == ["from json"]  # as one source, a folder, it did give documents


def test_check_wants_a_report_for_every_shard(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINE)
    with pytest.raises(UsageError):
        open_corpus([str(tmp_path / "a.jsonl")]).check([])


def test_sources_are_listed_with_size_and_hash(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "b.txt").write_bytes(b"text")
    corpus = open_corpus([str(tmp_path)])
    first, second = corpus.sources()
    assert (first.format, first.bytes, first.sha256) == ("jsonl", len(LINE), hashlib.sha256(LINE).hexdigest())
    assert second.sha256 == hashlib.sha256(b"text").hexdigest()
    assert corpus.bytes == len(LINE) + 4
    assert corpus.records is None


def test_text_files_are_documents_named_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "Ada Lovelace.txt").write_bytes(b"\xef\xbb\xbfline one\r\nline two")
    (tmp_path / "b.v2.txt.gz").write_bytes(gzip.compress("né".encode()))
    (tmp_path / "c.txt").write_bytes(b"\xff\xfeb\x00a\x00d\x00")
    (tmp_path / "d.txt").write_bytes(b" \n")
    report = ReadReport()
    batches = list(open_corpus([str(tmp_path)]).batches(report))
    documents = [batch.document(number) for batch in batches for number in range(len(batch))]
    assert documents == [Document("Ada Lovelace", "line one\r\nline two"), Document("b.v2", "né")]
    assert report.failed == {"not valid UTF-8": 1}
    assert report.examples == [f"{tmp_path / 'c.txt'}: not valid UTF-8"]
    assert report.empty == 1


def test_many_small_text_files_share_shards(tmp_path: Path) -> None:
    files = []
    for number in range(50):
        path = tmp_path / f"{number:02}.txt"
        path.write_text(f"text {number}")
        files.append((path, path.name, path.stat().st_size))
    shards = pickle.loads(pickle.dumps(plan_text(files, target_bytes=100)))
    assert 3 < len(shards) < 10
    titles = [title for shard in shards for batch in shard.batches(ReadReport()) for title in batch.titles]
    assert titles == [f"{number:02}" for number in range(50)]
    assert sum(shard.bytes for shard in shards) == sum(size for _, _, size in files)


def test_a_text_file_too_long_for_one_document_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * 101)
    report = ReadReport()
    assert list(TextShard(((path, "a.txt"),), 101, max_file=100).batches(report)) == []
    assert report.failed == {"file too long for one document": 1}


def test_a_file_that_vanished_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE)
    (shard,) = open_corpus([str(path)]).shards()
    path.unlink()
    with pytest.raises(CorpusError, match="cannot be read"):
        list(shard.batches(ReadReport()))


def test_a_larger_corpus_is_cut_for_many_cores_and_always_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(json.dumps({"text": "word " * 400}).encode() + b"\n" for _ in range(4000)))
    shards = open_corpus([str(path)]).shards()
    assert len(shards) >= 7
    assert shards == open_corpus([str(path)]).shards()
    assert max(shard.bytes for shard in shards) < 2 * min(shard.bytes for shard in shards)
    assert len({shard.name for shard in shards}) == len(shards)


def test_a_batch_is_a_few_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(json.dumps({"text": "word " * 20_000}).encode() + b"\n" for _ in range(150)))
    sizes = [len(batch.text) for batch in open_corpus([str(path)]).batches(ReadReport())]
    assert len(sizes) > 2
    assert max(sizes) < 8 << 20


def test_reading_text_and_json_loads_no_library_of_other_formats() -> None:
    code = (
        "import sys, corver.corpus; heavy = {'pyarrow', 'huggingface_hub', 'zstandard', 'torch', 'numba'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]")
