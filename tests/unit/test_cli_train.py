"""`corver train`, `zone`, `demo` and `report` hand on what they were given; the work is tested where it lives."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import corver
from chat_server import Sent, chat, chat_server
from corver.cli.app import app
from corver.config import RunConfig
from corver.errors import TrainingError
from corver.policy import prompts
from corver.runs import RunFolder

SUMMARY = {"questions": 4, "raw": {"accuracy": {"value": 0.25, "low": 0.05, "high": 0.7}}}


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="corver")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.yaml"
    path.write_text("output: out\nindex: idx\npolicy: {model: ./model}\ndata: {questions: q.jsonl}\n")
    (tmp_path / "q.jsonl").write_text('{"id": "1", "question": "Where?", "answers": ["Ulm"]}\n')
    return path


def finished(folder: Path) -> RunFolder:
    run_folder = RunFolder(folder)
    run_folder.create()
    run_folder.summary.write_text(json.dumps(SUMMARY))
    return run_folder


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """Stands in for the trainer; keeps the configurations that it was called with."""
    calls: list[RunConfig] = []

    def train(config: RunConfig, *, progress: Any) -> RunFolder:
        calls.append(config)
        progress("training", 1, 1, "steps")
        return finished(config.output)

    monkeypatch.setitem(sys.modules, "corver.train.run", SimpleNamespace(train=train))
    return calls


def test_train_hands_overrides_on_and_ends_with_the_table(config: Path, trained: list[RunConfig]) -> None:
    result = run("train", str(config), "--optimization.steps", "7", "--reward.judge.wrong=-0.5", "--seed", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    (settings,) = trained
    assert (settings.optimization.steps, settings.reward.judge.wrong, settings.seed) == (7, -0.5, 3)
    assert settings.output == config.parent / "out"
    assert "25.0 % [5.0, 70.0]" in result.stdout
    assert result.stdout.splitlines()[-2:] == [
        f"run     {settings.output}",
        f"report  {settings.output / 'report.html'}",
    ]


def test_a_negative_number_may_be_a_word_of_its_own(config: Path, trained: list[RunConfig]) -> None:
    assert run("train", str(config), "--reward.judge.wrong", "-0.5").exit_code == 0
    assert trained[0].reward.judge.wrong == -0.5


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("train", "--dryrun"), "no such option: --dryrun; did you mean --dry-run?"),
        (("train", "--proceses", "2", "--dry-run"), "no such option: --proceses; did you mean --processes?"),
        (("zone", "--sample=8"), "no such option: --sample; did you mean --samples?"),
        (
            ("train", "--optimization.step", "8"),
            "--optimization.step: no such setting; did you mean optimization.steps?",
        ),
        (("train", "--output", "--dry-rum"), "no such option: --dry-rum; did you mean --dry-run?"),
    ],
)
def test_a_misspelt_option_or_setting_is_told_what_was_meant(
    config: Path, trained: list[RunConfig], words: tuple[str, ...], told: str
) -> None:
    result = run(words[0], str(config), *words[1:])
    assert (result.exit_code, result.stdout, trained) == (2, "", [])
    assert result.stderr == f"corver: error: {told}\n"


def test_train_gives_the_summary_as_json(config: Path, trained: list[RunConfig]) -> None:
    result = run("train", str(config), "--json")
    assert json.loads(result.stdout) == {"output": str(config.parent / "out"), **SUMMARY}


def test_a_run_that_fails_is_one_line(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def train(config: RunConfig, *, progress: Any) -> RunFolder:
        raise TrainingError(f"{config.output}: another run is at work in this folder")

    monkeypatch.setitem(sys.modules, "corver.train.run", SimpleNamespace(train=train))
    result = run("train", str(config))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"corver: error: {config.parent / 'out'}: another run is at work in this folder\n"


@pytest.mark.parametrize(
    ("words", "module", "work"),
    [
        (("train", "{config}"), "corver.train.run", "training"),
        (("zone", "{config}", "--to", "z.jsonl"), "corver.train.zone", "finding the zone"),
    ],
)
def test_without_torch_the_extra_is_named(
    config: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], module: str, work: str
) -> None:
    for package in ("train", "policy"):
        # What is imported anew hangs itself on the package; put back what hung there.
        monkeypatch.setattr(corver, package, getattr(corver, package, None), raising=False)
    for name in [name for name in sys.modules if name.startswith(("corver.train", "corver.policy"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run(*(word.format(config=config) for word in words))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"corver: error: {work} needs torch: pip install 'corver[train]'\n"


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stands in for the search; keeps what it was asked for."""
    seen: dict[str, Any] = {}

    def find_zone(source: object, questions: list[Any], output: Path, **settings: Any) -> list[Any]:
        seen.update(settings, source=source, questions=questions, output=output)
        return [SimpleNamespace(correct=correct, samples=8) for correct in (0, 1, 7, 8, 8)]

    monkeypatch.setitem(sys.modules, "corver.train.zone", SimpleNamespace(find_zone=find_zone))
    monkeypatch.setitem(
        sys.modules,
        "corver.policy.load",
        SimpleNamespace(load_policy=lambda policy: SimpleNamespace(name=policy.model, tokenizer=None)),
    )
    monkeypatch.setattr(prompts, "check_prompt", lambda *_, **__: None)
    return seen


def test_zone_samples_with_the_settings_of_the_run(config: Path, searched: dict[str, Any], tmp_path: Path) -> None:
    target = tmp_path / "zone.jsonl"
    result = run("zone", str(config), "--to", str(target), "--samples", "8", "--sampling.max_completion_tokens", "64")
    assert (result.exit_code, result.stdout) == (0, f"{target}\n")
    assert result.stderr == "corver: 2 of 1 questions lie in the zone, 2 were always right\n"
    assert searched["output"] == target
    assert searched["source"].name == str(config.parent / "model")
    assert [question.question for question in searched["questions"]] == ["Where?"]
    settings = searched["settings"]
    assert (settings.samples, settings.temperature, settings.top_p, settings.max_tokens) == (8, 0.7, 0.95, 64)
    assert searched["judge_rule"] == "lenient"


def test_zone_asks_a_server(config: Path, searched: dict[str, Any], tmp_path: Path) -> None:
    with chat_server(lambda body, number: chat("x"), models=Sent({"data": [{"id": "served"}]})) as server:
        words = ("zone", str(config), "--to", str(tmp_path / "z.jsonl"), "--samples", "8", "--endpoint", server.url)
        extra = ("--policy.chat_template_kwargs", "{enable_thinking: false}", "--concurrency", "3")
        result = run(*words, "--served-model", "served", *extra)
        assert result.exit_code == 0, result.stderr
        asked = searched["source"].config
        assert (asked.base_url, asked.model, asked.concurrency) == (server.url, "served", 3)
        assert asked.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
        assert searched["settings"].batch == 3
        unknown = run(*words)
    assert unknown.exit_code == 1
    assert "serves no model" in unknown.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--served-model", "m"), "goes with --endpoint"),
        (("--api-key-file", "f"), "goes with --endpoint"),
        (("--endpoint", "localhost"), "expected an address"),
        (("--endpoint", "http://127.0.0.1:9/v1", "--api-key-file", "none"), "cannot read the key"),
    ],
)
def test_zone_refuses_servers_that_it_cannot_ask(
    config: Path, searched: dict[str, Any], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    result = run("zone", str(config), "--to", str(tmp_path / "z.jsonl"), *words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert not searched


def test_zone_needs_to_know_where_to_write(config: Path) -> None:
    result = run("zone", str(config))
    assert result.exit_code == 2
    assert "set data.zone or give --to FILE" in result.stderr


def test_demo_hands_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple[Path, int | None, bool]] = []

    def run_demo(output: Path, *, steps: int | None, fresh: bool, progress: Any) -> RunFolder:
        calls.append((output, steps, fresh))
        return finished(output / "run")

    monkeypatch.setitem(sys.modules, "corver.demo.run", SimpleNamespace(run_demo=run_demo))
    result = run("demo", "--output", str(tmp_path), "--steps", "5", "--fresh")
    assert (result.exit_code, result.stderr) == (0, "")
    assert calls == [(tmp_path, 5, True)]
    assert result.stdout.splitlines()[-1] == f"report  {tmp_path / 'run' / 'report.html'}"


def test_report_writes_the_page_of_a_run(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    result = run("report", str(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{folder.report}\n"
    assert folder.report.read_text().startswith("<!")
