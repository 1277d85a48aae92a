"""The reader of questions: what it takes, and one line for what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corver.errors import InputError
from corver.evaluate.questions import Question, draw_questions, read_questions


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "q.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


GOOD = {"question": "Where?", "answers": ["Ulm"]}


def test_rows_become_questions(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"id": 7, "question": "Where?", "answers": ["Ulm", "Ulm, Germany"], "split": "a"},
        b"",
        {"question": "Who?", "answer": "Łódź", "split": "b"},
        {"id": "x", "question": "What?\u2028Which?", "answers": "one"},
    )
    first, second, third = read_questions(path)
    assert first == Question("7", "Where?", ("Ulm", "Ulm, Germany"))
    assert (second.question, second.answers, len(second.id)) == ("Who?", ("Łódź",), 12)
    assert third == Question("x", "What?\u2028Which?", ("one",))
    assert read_questions(path)[1].id == second.id
    assert [q.id for q in read_questions(path, split="a")] == ["7"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (b"nonsense", "not JSON"),
        (b'{"question": "a", ', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"question": "a", "answers": ["b"], "id": ' + b"1" * 5000 + b"}", "not JSON"),
        (b"[1]", "object"),
        (b"null", "object"),
        ({"answers": ["a"]}, "no question"),
        ({"question": "  ", "answers": ["a"]}, "no question"),
        ({"question": None, "answers": ["a"]}, "no question"),
        ({"question": 3, "answers": ["a"]}, r"question is no text \(int\)"),
        ({"question": ["a?"], "answers": ["a"]}, r"question is no text \(list\)"),
        ({"question": "a?"}, "answers"),
        ({"question": "a?", "answers": []}, "no answer"),
        ({"question": "a?", "answers": ["", " "]}, "no answer"),
        ({"question": "a?", "answers": [1]}, "answers"),
        ({"question": "a?", "answers": {"a": 1}}, "answers"),
        ({"question": "a \ud83d?", "answers": ["a"]}, "surrogate"),
        ({"question": "a?", "answers": ["a \udca9"]}, "surrogate"),
        ({"question": "a?", "answers": ["a"], "id": "\ud800"}, "surrogate"),
        ({"id": "one", **GOOD}, "twice"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, row: Any, told: str) -> None:
    path = written(tmp_path, {"id": "one", **GOOD}, row)
    with pytest.raises(InputError, match=told) as raised:
        read_questions(path)
    assert str(raised.value).startswith(f"{path}:2: ")
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(InputError, match="cannot be read"):
            read_questions(path)
    latin = written(tmp_path, GOOD, b'{"question": "\xff"}')
    with pytest.raises(InputError, match="UTF-8"):
        read_questions(latin)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert len(read_questions(path)) == 1


def test_nothing_left_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no question$"):
        read_questions(written(tmp_path))
    with pytest.raises(InputError, match="split 'test'"):
        read_questions(written(tmp_path, GOOD), split="test")


def test_the_draw_is_stable_and_grows(tmp_path: Path) -> None:
    rows = [{"id": f"n{number}", "question": f"Q {number}?", "answers": ["a"]} for number in range(60)]
    path = written(tmp_path, *rows)
    drawn = {limit: [q.id for q in read_questions(path, limit=limit)] for limit in (1, 10, 30, 60, 99)}
    assert [len(names) for names in drawn.values()] == [1, 10, 30, 60, 60]
    assert set(drawn[1]) < set(drawn[10]) < set(drawn[30])
    assert drawn[10] != [f"n{number}" for number in range(10)]
    order = [f"n{number}" for number in range(60)]
    assert all([name for name in order if name in names] == names for names in drawn.values())
    path = written(tmp_path, *rows[::-1])
    assert {q.id for q in read_questions(path, limit=10)} == set(drawn[10])


def test_draw_without_a_limit_keeps_all() -> None:
    questions = [Question(str(number), "?", ("a",)) for number in range(5)]
    assert draw_questions(questions, None) == questions
    assert len(draw_questions(questions, 2)) == 2
