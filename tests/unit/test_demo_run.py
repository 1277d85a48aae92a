"""The demo's stages: each is done once, and a demo that was stopped goes on where it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corver.config import RunConfig
from corver.demo import run as demo
from corver.demo.assets import ARTICLES, MODEL, Asset
from corver.demo.run import demo_config, run_demo
from corver.errors import AssetError, TrainingError
from corver.index import Index
from corver.runs import RunFolder

TABLE = {"1": {"title": "Marie Curie", "extract": "Marie Curie was born in Warsaw."}}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the downloads, the conversion and the training; keeps what was done."""
    done: list[str] = []

    def fetch(asset: Asset, folder: Path) -> Path:
        target = folder / Path(asset.member).name
        if not target.exists():
            done.append("fetch")
            folder.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(TABLE) if asset is ARTICLES else "weights")
        return target

    def convert(folder: Path, name: str, output: Path) -> None:
        assert (folder / name).read_text() == "weights"
        done.append("convert")
        output.mkdir()
        (output / "config.json").write_text("{}")

    def train(config: RunConfig, *, progress: Any) -> RunFolder:
        done.append(f"train {config.optimization.steps}")
        folder = RunFolder(config.output)
        folder.create()
        folder.summary.write_text("{}")
        return folder

    build = demo.build_index

    def build_index(*words: Any, **options: Any) -> Any:
        done.append("index")
        return build(*words, **options)

    monkeypatch.setattr(demo, "fetch", fetch)
    monkeypatch.setattr(demo, "build_index", build_index)
    monkeypatch.setitem(sys.modules, "corver.policy.load", SimpleNamespace(convert_gguf=convert))
    monkeypatch.setitem(sys.modules, "corver.train.run", SimpleNamespace(train=train))
    return done


def test_all_stages_run_once(calls: list[str], tmp_path: Path) -> None:
    reports: list[tuple[str, int, int | None]] = []
    folder = run_demo(tmp_path / "demo", progress=lambda stage, done, total, unit: reports.append((stage, done, total)))
    recipe = demo_config(tmp_path).optimization.steps
    assert calls == ["fetch", "fetch", "index", "convert", f"train {recipe}"]
    assert folder.path == tmp_path / "demo" / "run"
    for stage in ("fetching model", "fetching articles", "converting model"):
        assert [done for name, done, total in reports if name == stage] == [0, 1]
    with Index.open(tmp_path / "demo" / "index") as index:
        assert index.count_many([("marie", "warsaw")])[0].value == 1
    calls.clear()
    run_demo(tmp_path / "demo", steps=7)
    assert calls == ["train 7"]


@pytest.mark.parametrize("stage", ["build_index", "train"])
def test_a_stopped_demo_goes_on(calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if stage == "train":
            patch.setitem(sys.modules, "corver.train.run", SimpleNamespace(train=stop))
        else:
            patch.setattr(demo, stage, stop)
        with pytest.raises(KeyboardInterrupt):
            run_demo(tmp_path / "demo", steps=3)
    calls.clear()
    run_demo(tmp_path / "demo", steps=3)
    assert calls == {"build_index": ["index", "convert", "train 3"], "train": ["train 3"]}[stage]


def test_a_stopped_conversion_is_begun_anew(calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(folder: Path, name: str, output: Path) -> None:
        output.mkdir()
        (output / "half.safetensors").touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "corver.policy.load", SimpleNamespace(convert_gguf=half))
        with pytest.raises(KeyboardInterrupt):
            run_demo(tmp_path / "demo", steps=3)
    calls.clear()
    run_demo(tmp_path / "demo", steps=3)
    assert calls == ["convert", "train 3"]
    model = Path(demo_config(tmp_path / "demo").policy.model)
    assert [path.name for path in model.iterdir()] == ["config.json"]


def test_a_damaged_index_is_built_again(calls: list[str], tmp_path: Path) -> None:
    run_demo(tmp_path / "demo", steps=3)
    for path in (tmp_path / "demo" / "index").rglob("*"):
        if path.is_file() and path.suffix == ".json":
            path.write_text("{")
    calls.clear()
    run_demo(tmp_path / "demo", steps=3)
    assert calls == ["index", "train 3"]


def test_fresh_forgets_the_training_alone(calls: list[str], tmp_path: Path) -> None:
    run_demo(tmp_path / "demo", steps=3)
    (tmp_path / "demo" / "run" / "metrics.jsonl").write_text("{}\n")
    calls.clear()
    run_demo(tmp_path / "demo", steps=3, fresh=True)
    assert calls == ["train 3"]
    assert not (tmp_path / "demo" / "run" / "metrics.jsonl").exists()


def test_two_demos_in_one_folder_exclude_each_other(calls: list[str], tmp_path: Path) -> None:
    (tmp_path / "demo" / "run").mkdir(parents=True)
    with RunFolder(tmp_path / "demo").locked(), pytest.raises(TrainingError, match="another run"):
        run_demo(tmp_path / "demo", fresh=True)
    assert calls == []
    assert (tmp_path / "demo" / "run").exists()


def test_a_file_in_the_way_is_one_line(calls: list[str], tmp_path: Path) -> None:
    (tmp_path / "demo").touch()
    with pytest.raises(AssetError, match="cannot make"):
        run_demo(tmp_path / "demo")


@pytest.mark.parametrize("name", ["demo", "my #1 demo", "a: b", "2024", "Łódź 🤣", "[x]", "~", 'it\'s "so"'])
def test_the_recipe_loads_with_any_folder(tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    config = demo_config(output, steps=9)
    assert (config.output, config.index) == (output / "run", output / "index")
    assert Path(config.policy.model).parent == output
    assert config.optimization.steps == 9
    assert config.data.zone is not None
    assert config.evaluation is not None
    for path in (*config.data.questions, config.data.zone, config.evaluation.questions):
        assert Path(path).is_file()


def test_the_recipe_resists_silence_and_holds_questions_out(tmp_path: Path) -> None:
    config = demo_config(tmp_path)
    assert config.credit.silence == "neutral"
    assert config.credit.lambda_c > 0
    assert config.data.split == "train"
    assert config.evaluation is not None
    assert config.evaluation.split == "heldout"
    assert MODEL.member.endswith(".gguf")
