"""The reader of `corver score`: every line becomes an item, and nothing that is no text gets through."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corver.cli import texts
from corver.cli.texts import BadLine, InputText, read_texts
from corver.errors import InputError


def read(data: bytes, kind: texts.TextFormat = "auto") -> list[InputText | BadLine]:
    return list(read_texts(io.BytesIO(data), name="input", kind=kind))


def reason(data: bytes) -> str:
    """Why the second line is bad; the first makes the input JSON Lines."""
    good, bad = read(b'{"text": "a"}\n' + data)
    assert isinstance(good, InputText)
    assert isinstance(bad, BadLine)
    assert bad.line == 2
    return bad.reason


def test_plain_text_is_one_text_a_line_and_blank_lines_are_none() -> None:
    assert read(b"One.\n\n  \r\nTwo. Three.\r\nno end") == [
        InputText(1, "One."),
        InputText(4, "Two. Three."),
        InputText(5, "no end"),
    ]


def test_a_text_is_taken_as_it_stands() -> None:
    assert read(b"  Indented. \t\n") == [InputText(1, "  Indented. \t")]


def test_a_brace_on_the_first_line_that_is_not_blank_makes_it_json_lines() -> None:
    assert read(b'\n{"text": "a"}\n') == [InputText(2, "a")]
    assert read(b'a\n{"text": "a"}\n') == [InputText(1, "a"), InputText(2, '{"text": "a"}')]


def test_the_format_can_be_forced() -> None:
    assert read(b'{"text": "a"}', "text") == [InputText(1, '{"text": "a"}')]
    (bad,) = read(b"plain", "jsonl")
    assert isinstance(bad, BadLine)


def test_rows_carry_question_answers_and_id() -> None:
    row = {"id": 7, "completion": "x", "question": "q?", "answers": ["a", "b"], "other": None}
    assert read(json.dumps(row).encode()) == [InputText(1, "x", True, "q?", ("a", "b"), 7)]
    assert read(b'{"text": "x", "answers": "a"}') == [InputText(1, "x", answers=("a",))]
    assert read(b'{"text": null, "completion": "c"}') == [InputText(1, "c", True)]
    assert read(b'{"text": ""}') == [InputText(1, "")]


def test_chat_messages_give_what_the_assistant_says() -> None:
    row = {
        "completion": [
            {"role": "user", "content": "Where?"},
            {"role": "assistant", "content": "In Ulm."},
            {"role": "tool", "content": "noise"},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes, "}, {"type": "image"}, {"text": "Ulm."}]},
            {"role": "assistant", "content": None},
        ]
    }
    assert read(json.dumps(row).encode()) == [InputText(1, "In Ulm.\n\nYes, Ulm.\n\n", True)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"[1]", "is a list"),
        (b'"text"', "is a string"),
        (b"3", "is a number"),
        (b"true", "is a boolean"),
        (b"null", "is null"),
        (b"{}", 'neither "text" nor "completion"'),
        (b'{"text": 3}', '"text" is a number'),
        (b'{"text": ["a"]}', '"text" is a list'),
        (b'{"completion": {"role": "assistant"}}', '"completion" is an object'),
        (b'{"completion": []}', "no message of the assistant"),
        (b'{"completion": ["a"]}', "not of chat messages"),
        (b'{"completion": [{"role": 3}]}', "not of chat messages"),
        (b'{"completion": [{"role": "assistant", "content": 3}]}', "neither a string nor a list"),
        (b'{"completion": [{"role": "assistant", "content": [{"text": 3}]}]}', "not a string"),
        (b'{"text": "a", "question": 3}', '"question" is a number'),
        (b'{"text": "a", "answers": [1]}', '"answers" is not a list of strings'),
        (b'{"text": "a"', "is not JSON: Expecting ',' delimiter at character 13"),
        (b'{"text": "a", "id": NaN}', '"id" is nothing that JSON can hold'),
        (b'{"text": "a", "id": [1e999]}', '"id" is nothing that JSON can hold'),
        (b"\xff\xfe", "byte 1 is 0xff"),
        (b'{"text": "\xc3("}', "not valid UTF-8"),
        (b"[" * 100_000, "nesting too deep"),
        (b'{"text": ' + b"9" * 5000 + b"}", "number is too long"),
    ],
)
def test_a_bad_line_says_why(line: bytes, expected: str) -> None:
    assert expected in reason(line + b"\n")


def test_a_line_may_hold_a_million_characters_but_not_decide_how_much_memory_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (item,) = read(b"a" * 1_000_000)
    assert isinstance(item, InputText)
    assert len(item.text) == 1_000_000
    monkeypatch.setattr(texts, "_MAX_LINE", 1 << 20)
    long = b"b" * (3 << 20)
    assert read(b"one\n" + long + b"\ntwo") == [
        InputText(1, "one"),
        BadLine(2, "is longer than 1 MiB"),
        InputText(3, "two"),
    ]
    exact = b"c" * ((1 << 20) - 1) + b"\n"
    assert [item.line for item in read(exact + b"d") if isinstance(item, InputText)] == [1, 2]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "is empty"),
        (b"\n \r\n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x7fELF\x02\x01\x00\x00", "is binary"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"BZh91AY", "bzip2"),
        (b"PAR1\x15", "parquet"),
        ("Ulm".encode("utf-16"), "UTF-16"),
    ],
)
def test_input_that_is_no_text_is_refused_in_one_line(data: bytes, expected: str) -> None:
    with pytest.raises(InputError, match=expected) as caught:
        read(data)
    assert str(caught.value).startswith("input: ")
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read(b"\xef\xbb\xbfUlm.") == [InputText(1, "Ulm.")]
    assert read(b'\xef\xbb\xbf{"text": "a"}') == [InputText(1, "a")]


def test_a_nul_byte_further_in_spoils_its_line_only() -> None:
    assert read(b"one\nt\x00wo\nthree") == [InputText(1, "one"), BadLine(2, "holds a NUL byte"), InputText(3, "three")]


@given(st.binary(max_size=300))
def test_whatever_the_bytes_every_line_that_is_not_blank_is_accounted_for(data: bytes) -> None:
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    try:
        items = read(data)
    except InputError:
        head = data.split(b"\n")[0]
        assert not lines or b"\x00" in head or head.startswith(tuple(magic for magic, _ in texts._MAGIC))
        return
    assert len(items) == len(lines)
    assert [item.line for item in items] == sorted({item.line for item in items})


@given(st.lists(st.text(min_size=1), min_size=1))
def test_texts_come_through_json_lines_untouched(wanted: list[str]) -> None:
    data = "".join(json.dumps({"text": text}) + "\n" for text in wanted).encode()
    assert [item.text for item in read(data) if isinstance(item, InputText)] == wanted
