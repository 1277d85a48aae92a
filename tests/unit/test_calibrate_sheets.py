"""From scored texts to sheets, and from filled sheets to labelled sentences."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from corver.calibrate.key import find_key, read_key, write_drawing
from corver.calibrate.labelled import LabelledSet, load_labelled
from corver.calibrate.sample import Drawing, count_bin, draw
from corver.calibrate.scored import ScoredSentence, iter_scored, sentence_id
from corver.calibrate.sheet import parse_label, read_sheet, sheet_bytes
from corver.errors import InputError, UsageError


def verdict(start: int, end: int, count: int | None, *, status: str | None = None, **more: Any) -> dict[str, Any]:
    level = None if count is None else sum(count >= edge for edge in (1, 5, 20))
    status = status or ("no_claim" if count is None else "supported" if count else "unsupported")
    return {"start": start, "end": end, "status": status, "count": count, "level": level, "reward": 0.0, **more}


def scored(text: str, count: int | None, *, question: str | None = None, **more: Any) -> ScoredSentence:
    fields = verdict(0, len(text), count, **more)
    return ScoredSentence(sentence_id(text, question, 0, len(text)), text, question, "abc", None, fields)


def population() -> list[ScoredSentence]:
    """200 sentences at count 0, 40 at 3, 7 at 50, 5 without a claim."""
    counts: list[int | None] = [0] * 200 + [3] * 40 + [50] * 7 + [None] * 5
    return [scored(f"Sentence {number}.", count) for number, count in enumerate(counts)]


def fill(sheet: Path, labels: dict[str, str], output: Path | None = None, **columns: str) -> Path:
    """Write labels into a sheet by id, as an annotator does."""
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"), newline="")))
    output = output or sheet
    with output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=[*rows[0], *columns])
        writer.writeheader()
        writer.writerows({**row, "label": labels.get(row["id"], ""), **columns} for row in rows)
    return output


# -- drawing -----------------------------------------------------------------------------------------------------------


def test_every_level_gives_its_share_and_says_how_large_it_is() -> None:
    drawing = draw(population(), per_stratum=10)
    assert drawing.strata == {"level 0": (200, 10), "level 1": (40, 10), "level 3": (7, 7)}
    assert list(drawing.strata) == ["level 0", "level 1", "level 3"]
    assert len(drawing.sentences) == 27
    assert drawing.left_out == {"no_claim": 5}
    assert drawing.scorer == "abc"


def test_states_are_strata_when_they_are_asked_for() -> None:
    drawing = draw(population(), per_stratum=3, states=["no_claim"], by="count")
    assert drawing.strata == {"count 0": (200, 3), "count 1–4": (40, 3), "count 20+": (7, 3), "no_claim": (5, 3)}


def test_the_order_of_the_input_draws_nothing_else_and_the_seed_does() -> None:
    ids = [{one.id for one in draw(order, per_stratum=10).sentences} for order in (population(), population()[::-1])]
    assert ids[0] == ids[1]
    assert {one.id for one in draw(population(), per_stratum=10, seed=1).sentences} != ids[0]


def test_a_larger_drawing_keeps_the_smaller_one() -> None:
    few, many = ({one.id for one in draw(population(), per_stratum=n).sentences} for n in (5, 30))
    assert few < many


def test_the_same_sentence_counts_once() -> None:
    drawing = draw([scored("Same.", 0), scored("Same.", 0), scored("Same.", 0, question="Other?")], per_stratum=9)
    assert drawing.strata == {"level 0": (2, 2)}
    assert drawing.left_out == {"repeated": 1}


def test_rewards_without_levels_are_drawn_by_fifths_in_which_ties_stay_together() -> None:
    sentences = [scored(f"S {n}.", 1, level=None, reward=reward) for n, reward in enumerate([0.0] * 40 + [0.1] * 60)]
    with pytest.raises(InputError, match="--by reward"):
        draw(sentences, per_stratum=5)
    drawing = draw([scored(f"S {n}.", 1, level=None, reward=n / 100) for n in range(100)], per_stratum=5, by="reward")
    assert drawing.strata == {f"reward {fifth} of 5": (20, 5) for fifth in range(1, 6)}
    tied = draw(sentences, per_stratum=5, by="reward")
    assert sorted(size for size, _ in tied.strata.values()) == [40, 60]


def test_nothing_to_draw_from_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to label"):
        draw([scored("Hm.", None)], per_stratum=5)
    with pytest.raises(InputError, match="has a level; draw --by reward"):
        draw([scored("A.", 1, level=None)], per_stratum=5)
    with pytest.raises(InputError, match=r"has a reward$"):
        draw([scored("A.", 1, reward=None)], per_stratum=5, by="reward")


def test_two_scorers_do_not_mix() -> None:
    other = ScoredSentence("x", "B.", None, "def", None, verdict(0, 2, 1))
    with pytest.raises(InputError, match="2 scorers"):
        draw([scored("A.", 1), other], per_stratum=5)


@pytest.mark.parametrize(
    ("count", "name"),
    [(0, "0"), (1, "1–4"), (4, "1–4"), (5, "5–9"), (10, "10–19"), (19, "10–19"), (20, "20+"), (10**9, "20+")],
)  # fmt: skip
def test_bins_of_counts_are_the_published_ones(count: int, name: str) -> None:
    assert count_bin(count) == name


def test_scored_texts_are_read_with_their_rows(tmp_path: Path) -> None:
    text = "Curie won. She left."
    row = {
        "id": 7,
        "question": "Who?",
        "scorer": "abc",
        "text": text,
        "sentences": [verdict(0, 10, 3), verdict(11, 20, None)],
    }
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps(row) + '\n{"line": 2, "error": "no JSON"}\n\n', encoding="utf-8")
    skipped: dict[str, int] = {}
    first, second = iter_scored([path], skipped=skipped)
    assert (first.span, first.source, first.question, first.scorer, first.status) == (
        (0, 10),
        7,
        "Who?",
        "abc",
        "supported",
    )
    assert (first.id[17:], second.id[17:]) == ("-0-10", "-11-20")
    assert first.id[:17] == second.id[:17]
    assert skipped == {"error": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "1: is not JSON"),
        ("[1]", "1: expected an object"),
        ('{"text": "A."}', "1: is no scored text"),
        ('{"text": "A.", "sentences": [{"start": 0, "end": 9, "status": "supported"}]}', "outside its text"),
        ('{"text": "A.", "sentences": [{"start": 2, "end": 1, "status": "supported"}]}', "lacks"),
        ('{"text": "A.", "sentences": [{"start": 0, "end": 1, "status": "good"}]}', "lacks"),
        ("", "is empty"),
    ],
)
def test_what_is_no_scored_text_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=message) as caught:
        list(iter_scored([path]))
    assert str(path) in str(caught.value)


# -- sheets ------------------------------------------------------------------------------------------------------------


def test_a_sheet_shows_the_sentence_in_its_context_and_no_score() -> None:
    text = "Before it. Marie Curie won. After it."
    fields = verdict(11, 27, 57)
    sheet = sheet_bytes([ScoredSentence("t1-11-27", text, "Who won?", "abc", None, fields)], before=4, after=6)
    [row] = csv.DictReader(io.StringIO(sheet.decode()))
    assert row["sentence"] == "Marie Curie won."
    assert row["context"] == "…it. ⟦Marie Curie won.⟧ After…"
    assert (row["question"], row["label"], row["scorer"]) == ("Who won?", "", "abc")
    assert "57" not in sheet.decode()
    shown = sheet_bytes([ScoredSentence("t1-11-27", text, None, "abc", None, fields)], with_scores=True)
    assert next(csv.DictReader(io.StringIO(shown.decode())))["count"] == "57"


@pytest.mark.parametrize("text", ["=1+1", "+44 20", "-5 is less.", "@home", "\t=1", "＝1", " =HYPERLINK()"])
def test_no_cell_begins_a_formula(text: str) -> None:
    sheet = sheet_bytes([scored(text, 0, question=text)])
    [row] = csv.DictReader(io.StringIO(sheet.decode(), newline=""))
    assert row["sentence"] == "'" + text
    assert row["question"] == "'" + text
    assert not any(cell.lstrip(" '").startswith("=") and not cell.startswith("'") for cell in row.values())


def test_line_breaks_quotes_and_any_unicode_come_back(tmp_path: Path) -> None:
    text = 'He said "né à Łódź",\nthen 🤣; \ud800 and \x00.'
    path = tmp_path / "sheet.csv"
    path.write_bytes(sheet_bytes([scored(text, 0)], byte_order_mark=True))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    [row] = read_sheet(path)
    assert row.cells["sentence"] == text.replace("\ud800", "?").replace("\x00", "\ufffd")
    assert row.label is None


def test_a_sentence_longer_than_a_cell_is_cut_and_says_so() -> None:
    [row] = csv.DictReader(io.StringIO(sheet_bytes([scored("a" * 40_000, 0)]).decode()))
    assert len(row["sentence"]) == 32_000
    assert row["sentence"].endswith("…")


@pytest.mark.parametrize(
    ("cell", "label"),
    [("TRUE", "true"), ("falsch", "false"), (" Yes ", "true"), ("0", "false"), ("1.0", "true"), ("?", "unsure"),
     ("", None), ("  ", None), (True, "true"), (0, "false"), (None, None)],
)  # fmt: skip
def test_labels_have_the_spellings_of_people_and_spreadsheets(cell: Any, label: str | None) -> None:
    assert parse_label(cell) == label


def test_a_label_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('id,sentence,label\na,"two\nlines",true\nb,c,maybe\n')
    with pytest.raises(InputError, match=r"sheet.csv:4: 'maybe' is no label"):
        read_sheet(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no column id and no column label"),
        (b"id,text\na,b\n", "no column label"),
        (b"id,label\n", "has no rows"),
        (b"id,label\na,true\na,true\n", ":3: the id a stands in line 2 already"),
        (b"id,label\n,true\n", ":2: has no id"),
        (b"id,label,Label\na,true,false\n", "more than one column label"),
        (b'id,label\n"a,true\n', "is not CSV"),
        (b"id,label\n\xff,true\n", "not UTF-8"),
        (b"PK\x03\x04", "save the sheet as CSV"),
    ],
)
def test_what_is_no_sheet_is_told_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_sheet(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_sheets_of_any_locale_are_read(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"Id{delimiter}Label\na{delimiter}WAHR\n", encoding="utf-8-sig")
    [row] = read_sheet(path)
    assert (row.id, row.label) == ("a", "true")


# -- keys --------------------------------------------------------------------------------------------------------------


def written(
    folder: Path, *, annotators: int = 1, per_stratum: int = 10, seed: int = 0
) -> tuple[list[Path], Path, Drawing]:
    drawing = draw(population(), per_stratum=per_stratum, seed=seed, states=["no_claim"])
    sheets, key = write_drawing(drawing, folder / "sheet.csv", annotators=annotators)
    return sheets, key, drawing


def test_annotators_get_the_same_sentences_in_orders_of_their_own(tmp_path: Path) -> None:
    sheets, key, drawing = written(tmp_path, annotators=2)
    assert [path.name for path in sheets] == ["sheet.1.csv", "sheet.2.csv"]
    one, two = ([row.id for row in read_sheet(path)] for path in sheets)
    assert one != two
    assert set(one) == set(two) == set(read_key(key).items) == set(drawing.stratum_of)
    assert all(find_key(path) == key for path in sheets)
    assert find_key(tmp_path / "sheet.filled.csv") == key


def test_a_labelled_sheet_is_never_overwritten(tmp_path: Path) -> None:
    [sheet], key, drawing = written(tmp_path)
    fill(sheet, dict.fromkeys(drawing.stratum_of, "true"))
    before = sheet.read_bytes(), key.read_bytes()
    written(tmp_path)  # the same drawing: nothing to lose, and nothing lost
    assert (sheet.read_bytes(), key.read_bytes()) == before
    with pytest.raises(UsageError, match="another drawing"):
        written(tmp_path, seed=1)
    key.unlink()
    with pytest.raises(UsageError, match="holds 32 labels of another drawing"):
        written(tmp_path, seed=1)
    assert sheet.read_bytes() == before[0]
    assert not key.exists()


def test_a_file_that_is_no_sheet_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("my notes")
    with pytest.raises(UsageError, match="is no sheet of corver"):
        written(tmp_path)
    assert (tmp_path / "sheet.csv").read_text() == "my notes"


@pytest.mark.parametrize(
    "content", ["{}", "nonsense", '{"format": "corver calibration key", "version": 1, "items": {"a": 1}}']
)
def test_what_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "sheet.key.json"
    path.write_text(content)
    with pytest.raises(InputError, match=str(path)):
        read_key(path)


@pytest.mark.parametrize("size", [0, -3, 1.5, "12", math.inf, 10**400])
def test_a_key_whose_strata_have_no_size_is_damaged(tmp_path: Path, size: Any) -> None:
    _, key, _ = written(tmp_path)
    row = json.loads(key.read_text())
    row["strata"]["level 0"]["sentences"] = size
    key.write_text(json.dumps(row))
    with pytest.raises(InputError, match="is damaged"):
        read_key(key)


# -- labelled sets -----------------------------------------------------------------------------------------------------


def test_labels_meet_their_verdicts_and_stand_for_their_stratum(tmp_path: Path) -> None:
    [sheet], _, drawing = written(tmp_path)
    zero = sorted(name for name, stratum in drawing.stratum_of.items() if stratum == "level 0")
    labels = dict.fromkeys(drawing.stratum_of, "true") | {zero[0]: "unsure", zero[1]: "", zero[2]: "false"}
    found = load_labelled([fill(sheet, labels)])
    assert found.left_out == {"unsure": 1, "without a label": 1}
    weights = {item.fields["level"]: item.weight for item in found.items}
    assert weights == {0: 200 / 8, 1: 40 / 10, 3: 1.0, None: 1.0}
    assert [item.id for item in found.items if not item.truth] == [zero[2]]
    assert sum(item.weight for item in found.items) == pytest.approx(252)
    assert (found.scorer, found.weighted) == ("abc", True)


def test_two_sheets_of_one_drawing_give_each_sentence_once(tmp_path: Path) -> None:
    sheets, _, drawing = written(tmp_path, annotators=2)
    ids = sorted(drawing.stratum_of)
    fill(sheets[0], dict.fromkeys(ids, "true"))
    fill(sheets[1], dict.fromkeys(ids, "true") | {ids[0]: "false"})
    found = load_labelled(sheets)
    assert len(found.items) == len(ids) - 1
    assert found.left_out == {"with two different labels": 1}


def test_a_column_of_the_sheet_or_of_the_key_groups(tmp_path: Path) -> None:
    [sheet], _, drawing = written(tmp_path)
    labels = dict.fromkeys(drawing.stratum_of, "true")
    filled = fill(sheet, labels, tmp_path / "sheet.filled.csv", Relation="born in")
    assert {item.group for item in load_labelled([filled], group="relation").items} == {'"born in"'}
    assert len({item.group for item in load_labelled([filled]).items}) == len(labels)
    with pytest.raises(UsageError, match="'page' to group by"):
        load_labelled([filled], group="page")


def test_an_id_that_the_key_lacks_is_named(tmp_path: Path) -> None:
    [sheet], _, _ = written(tmp_path)
    sheet.write_text("id,label\nt0-0-1,true\n")
    with pytest.raises(InputError, match=r"sheet.csv:2: the id t0-0-1 is not in"):
        load_labelled([sheet])


def test_a_sheet_without_its_key_says_where_it_should_be(tmp_path: Path) -> None:
    (tmp_path / "alone.csv").write_text("id,label\na,true\n")
    with pytest.raises(InputError, match=r"alone\.key\.json is not beside it"):
        load_labelled([tmp_path / "alone.csv"])


def rows_of(path: Path, *rows: dict[str, Any], **options: Any) -> LabelledSet:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load_labelled([path], **options)


def test_labels_may_stand_in_json_lines(tmp_path: Path) -> None:
    text = "Curie won. She left."
    found = rows_of(
        tmp_path / "labelled.jsonl",
        {"label": True, "count": 3, "relation": "P1"},
        {"label": True, "count": 3, "relation": "P1"},
        {"scorer": "abc", "text": text, "relation": "P2",
         "sentences": [{**verdict(0, 10, 5), "label": "false"}, verdict(11, 20, 7)]},
        {"scorer": "abc", "text": "One.", "label": 1, "relation": "P3", "sentences": [verdict(0, 4, 9)]},
        {"line": 3, "error": "no text"},
        group="relation",
    )  # fmt: skip
    assert sorted((item.fields["count"], item.truth) for item in found.items) == [
        (3, True),
        (3, True),
        (5, False),
        (9, True),
    ]
    assert {item.group for item in found.items} == {'"P1"', '"P2"', '"P3"'}
    assert (found.scorer, found.weighted) == ("abc", False)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"count": 1}, 'has no "label"'),
        ({"label": "perhaps", "count": 1}, "is no label"),
        ({"label": True, "weight": 0}, "not a positive number"),
        ({"label": True, "weight": 10**400}, "not a positive number"),
        ({"label": True, "weight": 1e200}, "not a positive number"),
        ({"label": True, "text": "A. B.", "sentences": [verdict(0, 2, 1), verdict(3, 5, 1)]}, "one \"label\" for 2"),
        ({"label": "", "count": 1}, "no sentence is labelled"),
    ],
)  # fmt: skip
def test_rows_without_a_proper_label_are_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows_of(tmp_path / "labelled.jsonl", row)
