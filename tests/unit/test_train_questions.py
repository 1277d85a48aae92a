"""Questions in the schemas they are published in, mixed, and freed of what an evaluation asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from corver.config import RunConfig
from corver.corpus.hub import HubFile, HubListing
from corver.errors import ConfigError, CorpusError, InputError
from corver.evaluate.questions import Question
from corver.train.data import read_run_questions
from corver.train.overlap import without_overlap
from corver.train.questions import read_mixture

CURIE = "where was marie curie born"


def lines(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def parquet(path: Path, **columns: list[Any]) -> str:
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def as_pairs(source: str, **options: Any) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.question, one.answers) for one in read_mixture([source], **options).questions]


def test_nq_open_as_json_lines_and_as_parquet(tmp_path: Path) -> None:
    rows = [(CURIE, ["Warsaw", "Warszawa"]), ("who wrote faust", ["Goethe"])]
    text = lines(tmp_path / "nq.jsonl", *({"question": asked, "answer": golds} for asked, golds in rows))
    table = parquet(tmp_path / "nq.parquet", question=[row[0] for row in rows], answer=[row[1] for row in rows])
    expected = [(asked, tuple(golds)) for asked, golds in rows]
    assert as_pairs(text) == as_pairs(table) == expected


def test_web_questions_as_on_the_hub_and_as_first_published(tmp_path: Path) -> None:
    hub = parquet(tmp_path / "wq.parquet", url=["u"], question=["what does people in curacao speak?"],
                  answers=[["Papiamento Creole Language", "Dutch Language"]])  # fmt: skip
    target = '(list (description "Papiamento Creole Language") (description "Dutch Language"))'
    old = tmp_path / "wq.json"
    old.write_text(json.dumps([{"url": "u", "utterance": "what does people in curacao speak?", "targetValue": target}]))
    assert as_pairs(hub) == as_pairs(str(old))
    odd = '(list (description Lawyer) (description "The \\"Boss\\"") (description "A (B)"))'
    source = lines(tmp_path / "odd.jsonl", {"utterance": "who?", "targetValue": odd})
    assert as_pairs(source) == [("who?", ("Lawyer", 'The "Boss"', "A (B)"))]


def test_tables_with_one_answer_or_a_list_of_them(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(
        '\ufeffquestion,answers,split\n"Who, then?","[""A"", ""B""]",train\nWhere?,Ulm,dev\n'
    )
    (tmp_path / "q.tsv").write_text("id\tquestion\tanswer\n7\tWho, then?\tA\n")
    assert as_pairs(str(tmp_path / "q.csv")) == [("Who, then?", ("A", "B")), ("Where?", ("Ulm",))]
    assert as_pairs(str(tmp_path / "q.csv"), split="dev") == [("Where?", ("Ulm",))]
    assert [one.id for one in read_mixture([str(tmp_path / "q.tsv")]).questions] == ["7"]


class OneHub:
    """A hub with two files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fetched: list[str] = []

    def listing(self, dataset: str, revision: str | None) -> HubListing:
        assert dataset == "google-research-datasets/nq_open"
        names = ("README.md", "nq_open/train-00000-of-00001.parquet", "nq_open/validation-00000-of-00001.parquet")
        return HubListing("c" * 40, tuple(HubFile(name) for name in names))

    def download(self, dataset: str, commit: str, path: str) -> Path:
        self.fetched.append(path)
        return Path(parquet(self.folder / "fetched.parquet", question=[CURIE], answer=[["Warsaw"]]))


def test_a_hubs_files_are_chosen_by_the_recipes_pattern(tmp_path: Path) -> None:
    hub = OneHub(tmp_path)
    source = "hf://datasets/google-research-datasets/nq_open/*train-*.parquet"
    mixture = read_mixture([source], hub=hub)
    assert hub.fetched == ["nq_open/train-00000-of-00001.parquet"]
    assert mixture.read == {source: 1}
    assert mixture.questions[0].answers == ("Warsaw",)


def test_several_sources_give_each_question_once_with_all_its_answers(tmp_path: Path) -> None:
    first = lines(
        tmp_path / "a.jsonl",
        {"id": 1, "question": CURIE, "answer": "Warsaw"},
        {"id": 2, "question": "A b?", "answer": "x"},
    )
    second = lines(tmp_path / "b.jsonl", {"id": 1, "question": "Who wrote Faust?", "answer": "Goethe"},
                   {"id": 9, "question": "Where was Marie Curie born?", "answers": ["Warsaw", "Warszawa"]})  # fmt: skip
    mixture = read_mixture([first, second])
    assert [one.question for one in mixture.questions] == [CURIE, "A b?", "Who wrote Faust?"]
    assert mixture.questions[0].answers == ("Warsaw", "Warszawa")
    assert [one.id for one in mixture.questions[:2]] == ["1", "2"]
    assert mixture.questions[2].id not in ("1", "2")
    assert (mixture.repeated, mixture.read) == (1, {first: 2, second: 2})
    assert read_mixture([first, second]) == mixture


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.jsonl", '{"question": "Who?", "answer": "x"}\n{"answer": "x"}\n', r"a\.jsonl:2: has no question"),
        ("a.jsonl", '{"question": "Who?"}\n', r"a\.jsonl:1: answers must be"),
        ("a.jsonl", '{"question": "Who?", "answer": []}\n', r"a\.jsonl:1: has no answer"),
        ("a.jsonl", '{"question": "Who?", "targetValue": "(list)"}\n', r"a\.jsonl:1: has no answer"),
        ("a.jsonl", "nonsense\n", r"a\.jsonl:1: is not JSON"),
        ("a.jsonl", "", r"a\.jsonl: holds no question"),
        (
            "a.jsonl",
            '{"id": 1, "question": "A?", "answer": "x"}\n{"id": 1, "question": "B?", "answer": "x"}\n',
            "twice",
        ),
        ("a.json", '["Who?"]', r"a\.json: entry 1: expected an object"),
        ("a.json", "[1, ", r"a\.json: is not JSON"),
        ("a.csv", "text\nWho?\n", r"a\.csv:2: has no question"),
        ("a.parquet", "nonsense", r"a\.parquet: cannot be read as parquet"),
    ],
)
def test_what_is_no_question_is_one_line_that_says_where(tmp_path: Path, name: str, content: str, told: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises((InputError, CorpusError), match=told) as raised:
        read_mixture([str(tmp_path / name)])
    assert "\n" not in str(raised.value)


def test_missing_files_folders_and_bytes_are_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xff"}\n')
    for path, told in ((tmp_path / "none.jsonl", "no such file"), (tmp_path, "is a folder"),
                       (tmp_path / "latin.jsonl", "not UTF-8")):  # fmt: skip
        with pytest.raises(InputError, match=told):
            read_mixture([str(path)])


def asked(*texts: str) -> list[Question]:
    return [Question(str(number), text, ("x",)) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    "pair",
    [
        ("where was marie curie born", "Where was Marie Curie born?"),
        ("What is the capital of Łódź province", "what is the capital of lodz province"),
        ("who is the voice of kitt?", "who was the voice of kitt?"),
        ("when was the last time the mets won", "when's the last time the mets won?"),
        ("how many titles do the rangers have in the elm league", "how many elm league titles does the rangers have"),
        ("which movies has taylor lautner made", "what movie has taylor lautner made"),
    ],
)
def test_questions_that_are_the_same_or_alike(pair: tuple[str, str]) -> None:
    kept, overlap = without_overlap(asked(pair[0]), asked(pair[1]))
    assert kept == []
    assert overlap.same + len(overlap.alike) == 1
    assert not overlap.alike or overlap.alike[0] == pair


@pytest.mark.parametrize(
    "pair",
    [
        ("where was marie curie born", "when was marie curie born"),
        ("who won the world cup in 2014", "who won the world cup in 2018"),
        ("who won super bowl 50", "who won super bowl 51"),
        ("who wrote hamlet", "who wrote macbeth"),
        ("who was newton", "who is euler"),
        ("what is it", "what was that"),
        ("who plays the king in season one", "who plays the king in season nine"),
    ],
)
def test_questions_that_only_look_alike_stay(pair: tuple[str, str]) -> None:
    kept, overlap = without_overlap(asked(pair[0]), asked(pair[1]))
    assert [one.question for one in kept] == [pair[0]]
    assert (overlap.same, overlap.alike) == (0, ())


def run_config(questions: Any, **more: Any) -> RunConfig:
    data = {"questions": questions} | more.pop("data", {})
    return RunConfig.model_validate({"output": "o", "index": "i", "policy": {"model": "m"}, "data": data} | more)


def test_a_run_reports_what_it_left_out(tmp_path: Path) -> None:
    texts = ["Where was Marie Curie born?", "who wrote faust in german", "Who painted it first?", "Who sang it last?"]
    train = lines(
        tmp_path / "t.jsonl", *({"id": f"q{n}", "question": text, "answer": "x"} for n, text in enumerate(texts))
    )
    dev = lines(
        tmp_path / "d.jsonl",
        {"question": "where was marie curie born", "answer": "x"},
        {"question": "Why?", "answer": "x"},
    )
    other = lines(tmp_path / "o.jsonl", {"question": "Who wrote Faust, in German?", "answer": "x"},
                  {"question": "who wrote the faust in the german", "answer": "x"})  # fmt: skip
    zone = lines(tmp_path / "z.jsonl", *({"id": f"q{n}", "correct": n, "samples": 16} for n in range(4)))
    config = run_config(
        train,
        data={"exclude": [other], "zone": zone, "bounds": [1, 2]},
        evaluation={"questions": dev, "limit": 1},
    )
    found = read_run_questions(config)
    assert [one.id for one in found.training] == ["q2"]
    assert len(found.evaluation) == 1
    assert found.report == {
        "read": {train: 4},
        "repeated": 0,
        "held_out": {"questions": 4, "same": 2, "alike": 0, "alike_pairs": []},
        "in_zone": 1,
        "training": 1,
    }


def test_what_was_not_drawn_for_the_evaluation_is_not_trained_on_either(tmp_path: Path) -> None:
    rows = [{"question": f"Who is number {n}?", "answer": "x"} for n in range(6)]
    config = run_config(
        lines(tmp_path / "t.jsonl", *rows), evaluation={"questions": lines(tmp_path / "d.jsonl", *rows), "limit": 2}
    )
    with pytest.raises(ConfigError, match="every training question is also an evaluation question"):
        read_run_questions(config)
