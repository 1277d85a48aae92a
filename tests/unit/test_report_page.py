"""The report page: what it says of a finished, an unfinished and a hostile run, read back with an HTML parser."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from corver.errors import DependencyError, InputError
from corver.report import write_report
from corver.runs import RunFolder

HOSTILE = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>{{7*7}}&lt;\x00\x1b\u202e"
VOID = {"meta", "input", "br", "path", "circle", "line", "rect"}


class Page(HTMLParser):
    """Elements with their attributes, and all text outside style and script."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.source = path.read_text(encoding="utf-8")
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.raw: dict[str, str] = {}
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.text += data

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def having(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if name in (attributes.get("class") or "").split()]


def sentence(text: str, start: int, **values: Any) -> dict[str, Any]:
    row = {"start": start, "end": start + len(text), "text": text, "status": "supported", "words": ["a"], "count": 57}
    pair = {"head": "Ada", "relation": "wrote", "tail": "notes"}
    return row | {"pair": pair, "capped": False, "level": 3, "reward": 0.1} | values


def answer(number: int, text: str, *, label: str, level: int, reward: float) -> dict[str, Any]:
    completion = f"<think> {text} </think> <answer> x </answer>"
    scored = sentence(text, 8, level=level, reward=reward, count=(0, 2, 7, 57)[level])
    return {
        "id": f"q{number}",
        "question": f"Question {number}?",
        "answers": ["Yes", "Indeed"],
        "completion": completion,
        "cut_off": False,
        "tokens": 12,
        "label": label,
        "well_formed": True,
        "sentences": [scored],
    }


def write_rows(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def interval(value: float, half: float) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half}


def summary() -> dict[str, Any]:
    def side(reward: float, claims: float) -> dict[str, Any]:
        return {
            "accuracy": interval(0.25, 0.04),
            "sentence_reward": interval(reward, 0.01),
            "claims_per_completion": interval(claims, 0.1),
            "mean_length": interval(40.0, 2.0),
            "count_zero_share": {"value": 0.5, "low": None, "high": None},
        }

    return {
        "raw": side(-0.2, 2.0),
        "trained": side(-0.05, 2.1),
        "difference": {"sentence_reward": interval(0.15, 0.02), "accuracy": interval(0.0, 0.04)},
        "questions": 3,
        "seconds": {"train": 61.0},
        "fingerprints": {"index": "abc123"},
    }


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "my-run")
    folder.create()
    folder.config.write_text("policy: {model: some/model}\noptimization: {steps: 3}\nseed: 7\n")
    folder.summary.write_text(json.dumps(summary()))
    write_rows(folder.metrics, [{"step": n, "reward": n / 10, "corver/claims": 2.0, "kl": None} for n in (1, 2, 3)])
    levels = {"raw": [0, 3, 2], "trained": [3, 0, 2]}
    labels = {"raw": ["wrong", "correct", "wrong"], "trained": ["correct", "wrong", "not_attempted"]}
    for name in ("raw", "trained"):
        rows = [
            answer(
                n, f"Ada of the {name} model wrote notes.", label=label, level=level, reward=(-0.3, -0.1, 0, 0.1)[level]
            )
            for n, (label, level) in enumerate(zip(labels[name], levels[name], strict=True))
        ]
        write_rows(folder.evaluation(name), rows)
    text = "Ada wrote notes."
    samples = [
        {"step": n, "question": f"Trained on {n}?", "answers": [], "completion": text, "response": n - 1.0}
        | {"sentences": [sentence(text, 0)]}
        for n in (1, 2, 3)
    ]
    write_rows(folder.samples, samples)
    return folder


def test_page_is_whole_and_self_contained(run: RunFolder) -> None:
    assert write_report(run) == run.report
    page = Page(run.report)
    assert not page.unbalanced
    assert not page.open
    loading = {"src", "href", "srcset", "action", "style", "xlink:href", "data", "poster"}
    assert [attributes for _, attributes in page.elements if loading & set(attributes)] == []
    assert page.tags() & {"img", "link", "iframe", "object", "embed", "base", "a"} == set()
    assert "url(" not in page.raw["style"]
    assert "@import" not in page.raw["style"]
    assert [tag for tag, _ in page.elements].count("script") == 1


def test_policy_allows_exactly_the_pages_own_style_and_script(run: RunFolder) -> None:
    page = Page(write_report(run))
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a)
    for name in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in (policy or "")
    assert (policy or "").startswith("default-src 'none'")


def test_headline_verdicts_and_answers_are_told(run: RunFolder) -> None:
    page = Page(write_report(run))
    for words in (
        "my-run",
        "some/model",
        "Sentence reward rose",
        "Accuracy: no clear change",
        "−0.200",
        "+0.130 to +0.170",
        "Most improved",
        "No longer correct",
        "Ada of the trained model wrote notes.",
        "sentence reward +0.400",
        "First step (1)",
        "Last step (3)",
        "abc123",
        "count 57",
        "accepted: Yes · Indeed",
    ):
        assert words in page.text
    assert "not finished" not in page.text
    assert [a["class"] for a in page.having("in-lost")] == ["card in-worsened in-lost in-random in-wrong"]


def test_each_sentence_carries_its_level_as_text_and_its_place_in_the_list(run: RunFolder) -> None:
    page = Page(write_report(run))
    marked, listed = page.having("s"), page.having("said")
    assert len(marked) == len(listed) == 8
    assert {(a["class"] or "").split()[1] for a in marked} == {"t-worst", "t-zero", "t-positive"}
    names = {a["aria-label"] for tag, a in page.elements if tag == "sup"}
    assert names == {"count 0, reward −0.3", "count 5–19, reward 0", "count 20 or more, reward +0.1"}


def test_every_filter_shows_at_least_one_card(run: RunFolder) -> None:
    page = Page(write_report(run))
    radios = [a["id"] or "" for tag, a in page.elements if tag == "input"]
    assert radios[0] == "g-improved"
    for radio in radios:
        group = radio.removeprefix("g-")
        assert group == "all" or page.having(f"in-{group}"), radio
        assert group == "all" or f"#{radio}:checked ~ .cards > .card:not(.in-{group})" in page.raw["style"]


def test_fewer_claims_are_warned_of(run: RunFolder) -> None:
    changed = summary()
    changed["trained"]["claims_per_completion"] = interval(1.0, 0.1)
    run.summary.write_text(json.dumps(changed))
    page = Page(write_report(run))
    assert "A gain that comes with fewer claims" in page.text
    assert page.having("warning")


def test_unfinished_run_says_so_and_shows_what_there_is(run: RunFolder) -> None:
    run.summary.unlink()
    run.evaluation("trained").unlink()
    with run.metrics.open("a") as file:
        file.write('{"step": 4, "rewa')
    before = run.metrics.read_bytes()
    page = Page(write_report(run))
    assert "This run is not finished." in page.text
    assert "Response reward" in page.text
    assert "Trained on 1?" in page.text
    assert not page.having("headline")
    assert run.metrics.read_bytes() == before, "a report must not touch the files of a run at work"


def test_run_without_evaluation_is_not_called_unfinished(run: RunFolder) -> None:
    run.summary.write_text(json.dumps({"questions": 0, "seconds": {}, "fingerprints": {}}))
    page = Page(write_report(run))
    assert "This run was not evaluated." in page.text
    assert "This run is not finished." not in page.text


@pytest.mark.parametrize("name", ["config", "summary", "metrics", "samples"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00broken\n", b"[1, 2]\n", b"null\n", b"[" * 5000 + b"\n"])
def test_broken_files_do_not_stop_the_page(run: RunFolder, name: str, content: bytes) -> None:
    getattr(run, name).write_bytes(content)
    page = Page(write_report(run))
    assert not page.unbalanced
    assert "my-run" in page.text


def test_unreadable_lines_are_counted(run: RunFolder) -> None:
    with run.metrics.open("a") as file:
        file.write("{broken\n\n3\n")
    assert "metrics.jsonl: 2 lines are not JSON" in Page(write_report(run)).text


def test_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run folder"):
        write_report(RunFolder(tmp_path))


def test_missing_jinja2_names_the_extra(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(DependencyError, match=r"pip install 'corver\[report\]'"):
        write_report(run)


def hostile(value: Any) -> Any:
    """The same structure with every string, keys of open mappings too, made hostile."""
    if isinstance(value, dict):
        return {key: hostile(item) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return HOSTILE + "\ud800" if isinstance(value, str) else value


KEPT = ("id", "label", "status")


def hostile_rows(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    changed = []
    for row in rows:
        bad = hostile(row) | {key: row[key] for key in KEPT if key in row}
        bad["sentences"] = [
            hostile(s) | {"status": s["status"], "start": 0, "end": len(HOSTILE), "reason": HOSTILE}
            | {"units": [{"text": HOSTILE, "start": 0, "end": 3, "weight": 1, "score": 1, "share": 0.1}]}
            for s in row["sentences"]
        ]  # fmt: skip
        changed.append(bad)
    write_rows(path, changed)


def test_hostile_text_stays_text_in_every_field(run: RunFolder, tmp_path: Path) -> None:
    for path in (run.samples, run.evaluation("raw"), run.evaluation("trained")):
        hostile_rows(path)
    data = summary() | {"corpus": HOSTILE, "fingerprints": {HOSTILE: HOSTILE}, "seconds": {HOSTILE: 3.0}}
    run.summary.write_text(json.dumps(data))
    quoted = json.dumps(HOSTILE)
    lines = [f"policy: {{model: {quoted}, revision: {quoted}}}", f"index: {quoted}", f"{quoted}: {quoted}"]
    run.config.write_text(
        "\n".join([*lines, f"reward: {{extractor: {quoted}}}", f"# {HOSTILE[:60]}", f"seed: {quoted}"])
    )
    folder = RunFolder(run.path.rename(tmp_path / "<img src=x onerror=alert(1)>"))

    page = Page(write_report(folder))
    assert not page.unbalanced
    assert not page.open
    assert "img" not in page.tags()
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert "alert" not in page.raw["script"]
    assert [name for _, attributes in page.elements for name in attributes if name.startswith("on")] == []
    # Each of: title and heading, 3 cards a side with pair, words, units and reason, rollouts, config, facts.
    assert page.text.count("<img src=x onerror=alert(1)>") > 80
    assert page.text.count("<script>alert(2)</script>") > 50
    assert "{{7*7}}" in page.text
    assert all(ord(c) >= 32 or c in "\n\t" for c in page.text)
    assert "\u202e" not in page.text


def test_labels_and_statuses_from_a_stranger_are_not_trusted(run: RunFolder) -> None:
    rows = [answer(0, "Ada wrote.", label=HOSTILE, level=3, reward=0.1)]
    rows[0]["sentences"][0]["status"] = HOSTILE
    for name in ("raw", "trained"):
        write_rows(run.evaluation(name), rows)
    page = Page(write_report(run))
    assert [a["class"] for a in page.having("in-random")] == ["card in-random in-unlabelled"]
    assert "img" not in page.tags()


def test_large_run_gives_a_small_page(run: RunFolder) -> None:
    text = "Ada & <b> 'notes'. " * 40
    spans = [sentence(text[i * 19 : i * 19 + 18], i * 19) for i in range(40)]
    sample = json.dumps({"question": "Q?", "completion": text, "response": 1.0, "sentences": spans[:4]})
    run.samples.write_text("".join(f'{{"step": {n // 32 + 1}, {sample[1:]}\n' for n in range(20_000)))
    steps = [{"step": n, "reward": 0.1, "kl": 0.1, "corver/claims": 2.0} for n in range(20_000)]
    write_rows(run.metrics, steps)
    rows = [answer(n, text, label="correct", level=n % 4, reward=0.1) | {"sentences": spans} for n in range(300)]
    for row in rows:
        row["completion"] = "&" * 100_000
        row["sentences"] = [s | {"words": ["<" * 40] * 12, "reason": "'" * 400} for s in spans]
    for name in ("raw", "trained"):
        write_rows(run.evaluation(name), rows)
    path = write_report(run)
    assert path.stat().st_size < 3_000_000
    page = Page(path)
    assert page.having("card")
    assert "more characters" in page.text
