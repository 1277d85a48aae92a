"""Parquet shards: every kind of text column, damaged text, row groups, missing columns."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corver.corpus import Document, ReadReport, open_corpus
from corver.corpus import parquet as room
from corver.errors import CorpusError

TEXTS = ["Marie Curie was born in Warsaw.", "", "né à Łódź 🤣", None, " \n\u00a0", "x" * 5000]
KEPT = ["Marie Curie was born in Warsaw.", "né à Łódź 🤣", "x" * 5000]


def write(path: Path, text: pa.Array, *, group: int = 1000, **other: pa.Array) -> str:
    columns = {"id": pa.array(range(len(text))), **other, "text": text}
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return str(path)


def read(*sources: str, **options: str) -> tuple[list[Document], ReadReport]:
    report = ReadReport()
    batches = list(open_corpus(list(sources), **options).batches(report))  # type: ignore[arg-type]
    return [batch.document(number) for batch in batches for number in range(len(batch))], report


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_every_kind_of_text_column_gives_the_same_documents(tmp_path: Path, kind: pa.DataType) -> None:
    text = pa.array(TEXTS, type=pa.string())
    text = text.dictionary_encode() if pa.types.is_dictionary(kind) else text.cast(kind)
    documents, report = read(write(tmp_path / "a.parquet", text, title=pa.array([f"t{i}" for i in range(6)])))
    assert [document.text for document in documents] == KEPT
    assert [document.title for document in documents] == ["t0", "t2", "t5"]
    assert (report.documents, report.empty, report.failed) == (3, 3, {})


def test_wikipedia_schema_with_ids_of_any_type(tmp_path: Path) -> None:
    other = {"url": pa.array(["u0", "u1"]), "title": pa.array([7, None])}
    documents, _ = read(write(tmp_path / "a.parquet", pa.array(["one", "two"]), **other))
    assert documents == [Document("7", "one", "u0"), Document("", "two", "u1")]


def test_a_missing_text_column_is_an_error_that_names_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1], "body": ["x"]}), path)
    with pytest.raises(CorpusError, match=r"no column 'text'; the columns are: id, body"):
        open_corpus([str(path)])
    documents, _ = read(str(path), text_field="body")
    assert documents == [Document("", "x", "")]


def test_a_text_column_of_numbers_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds int64, not text"):
        open_corpus([write(tmp_path / "a.parquet", pa.array([1, 2]))])


def test_invalid_utf8_is_counted_with_its_row_and_the_rest_is_kept(tmp_path: Path) -> None:
    raw = pa.array([b"good", b"b\xffd", b"", b"fine"])
    broken = pa.Array.from_buffers(pa.string(), 4, raw.buffers())
    title = pa.Array.from_buffers(pa.string(), 4, pa.array([b"a", b"b", b"c", b"\xff"]).buffers())
    for column in (raw, broken):
        path = write(tmp_path / "a.parquet", column, title=title)
        documents, report = read(path)
        assert [(document.title, document.text) for document in documents] == [("a", "good"), ("\ufffd", "fine")]
        assert report.failed == {"not valid UTF-8": 1}
        assert report.empty == 1
        assert report.examples == [f"{path}:row 1: not valid UTF-8"]


@pytest.mark.parametrize("group", [1, 7, 1000])
def test_shards_tile_the_rows_in_order(tmp_path: Path, group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_WHOLE_GROUP", 500)
    texts = [f"document {number} " + "word " * (number % 13) for number in range(200)]
    path = Path(write(tmp_path / "a.parquet", pa.array(texts), group=group))
    shards = room.plan_parquet(path, "a", room.Fields(), target_bytes=600)
    assert len(shards) > 3
    assert len({shard.name for shard in shards}) == len(shards)
    got = []
    for shard in pickle.loads(pickle.dumps(shards)):
        for batch in shard.batches(ReadReport()):
            got += [batch.document(number).text for number in range(len(batch))]
    assert got == texts
    assert sum(shard.bytes for shard in shards) <= path.stat().st_size


def test_a_sliced_batch_starts_its_offsets_at_zero(tmp_path: Path) -> None:
    text = pa.chunked_array([pa.array(["a" * 10, "b" * 20, None, "c" * 30]).slice(1), pa.array(["d"])])
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": text}), path)
    (batch,) = open_corpus([str(path)]).batches(ReadReport())
    assert batch.offsets.tolist() == [0, 20, 50, 51]
    assert batch.offsets.dtype == np.int64
    assert batch.text.tobytes() == b"b" * 20 + b"c" * 30 + b"d"


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_a_clear_error(tmp_path: Path, keep: float) -> None:
    path = Path(write(tmp_path / "a.parquet", pa.array(["word " * 50] * 50)))
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * keep)])
    with pytest.raises(CorpusError, match=r"a\.parquet"):
        open_corpus([str(path)])


def test_a_damaged_page_is_a_clear_error(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.parquet", pa.array([f"{number} words" * 9 for number in range(500)])))
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2
    raw[middle - 300 : middle] = bytes(300)
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match=r"a\.parquet: not a readable parquet file"):
        list(open_corpus([str(path)]).batches(ReadReport()))


def test_only_nulls_give_no_document_and_that_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", pa.nulls(3, pa.string()))
    with pytest.raises(CorpusError, match=r"no document in it \(3 empty\)"):
        read(path)


def test_records_and_bytes_come_from_the_footer(tmp_path: Path) -> None:
    corpus = open_corpus([write(tmp_path / "a.parquet", pa.array(["word " * 100] * 30), group=10)])
    assert corpus.records == 30
    assert corpus.bytes == (tmp_path / "a.parquet").stat().st_size
    assert corpus.text_bytes > 0
