"""The model card and the curves as images."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from corver.errors import DependencyError, InputError, UsageError
from corver.report import save_curves, write_card
from corver.runs import RunFolder

HOSTILE = "<img src=x onerror=alert(1)> [a](http://b) | `x` **b** www.c.d"


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run $x^2 $ <b>")
    folder.create()
    folder.adapter.mkdir()
    folder.config.write_text("policy: {model: some/model-1}\nindex: /home/someone/secret/wiki\nseed: 7\n")
    sides = {"accuracy": {"value": 0.25, "low": 0.2, "high": 0.3}, "claims_per_completion": {"value": 2.0}}
    fewer = sides | {"claims_per_completion": {"value": 1.0}}
    folder.summary.write_text(json.dumps({"raw": sides, "trained": fewer, "questions": 40}))
    folder.metrics.write_text("".join(f'{{"step": {n}, "reward": {n / 10}, "kl": null}}\n' for n in range(1, 6)))
    return folder


def front_matter(card: str) -> dict[str, object]:
    _, head, _ = card.split("---\n", 2)
    loaded = yaml.safe_load(head)
    assert isinstance(loaded, dict)
    return loaded


def test_card_tells_model_results_and_warning(run: RunFolder) -> None:
    card = write_card(run).read_text(encoding="utf-8")
    assert front_matter(card)["base_model"] == "some/model-1"
    assert front_matter(card)["library_name"] == "peft"
    assert "**some/model-1** trained with corver for 5 steps" in card
    assert "25.0\u202f% [20.0\u202f%, 30.0\u202f%]" in card
    assert "- **Fewer claims.** Claims a completion −50.0\u202f%" in card
    assert "| count 0 | −0.3 |" in card
    assert 'from_pretrained("some/model-1")' in card
    assert "not finished" not in card


def test_card_gives_away_no_local_path(run: RunFolder) -> None:
    run.config.write_text("policy: {model: /home/someone/models/own-model}\nindex: /home/someone/secret/wiki\n")
    card = write_card(run).read_text(encoding="utf-8")
    assert "someone" not in card
    assert "own-model" in card
    assert "base_model" not in front_matter(card)


def test_card_of_a_run_at_work(run: RunFolder) -> None:
    run.summary.unlink()
    run.adapter.rmdir()
    card = write_card(run).read_text(encoding="utf-8")
    assert "This run is not finished" in card
    assert "Results" not in card
    assert "PeftModel" not in card


def test_card_escapes_markdown_and_html(run: RunFolder) -> None:
    quoted = json.dumps(HOSTILE)
    run.config.write_text(f"policy: {{model: {quoted}, gguf_file: {quoted}}}\nreward: {{rule: {quoted}}}\n")
    summary = json.loads(run.summary.read_text()) | {"fingerprints": {HOSTILE: HOSTILE + "\ud800\n# x"}}
    run.summary.write_text(json.dumps(summary))
    card = write_card(run).read_text(encoding="utf-8")
    body = card.split("---\n", 2)[2]
    assert "<" not in body
    assert "&lt;img src=x" in body
    assert "](http" not in body
    assert " www.c" not in body
    assert "\n# x" not in body
    assert "base_model" not in front_matter(card)
    assert "gguf_file" not in body
    for line in body.splitlines():
        if line.startswith("| Rule"):
            assert line.replace("\\|", "").count("|") == 3


def test_curves_as_png_and_svg(run: RunFolder, tmp_path: Path) -> None:
    png, svg = save_curves(run, tmp_path / "a.png"), save_curves(run, tmp_path / "a.svg")
    assert png.read_bytes().startswith(b"\x89PNG")
    drawing = ElementTree.parse(svg)
    text = " ".join("".join(element.itertext()) for element in drawing.iter("{http://www.w3.org/2000/svg}text"))
    assert "run $x^2 $ <b>" in text
    assert "Response reward" in text
    assert svg.read_bytes() == save_curves(run, tmp_path / "b.svg").read_bytes(), "the same run gives the same file"


def test_curves_refuse_other_suffixes_and_runs_without_metrics(run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        save_curves(run, tmp_path / "a.pdf")
    run.metrics.unlink()
    with pytest.raises(InputError, match="no metrics"):
        save_curves(run, tmp_path / "a.png")


def test_missing_matplotlib_names_the_extra(run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DependencyError, match=r"pip install 'corver\[report\]'"):
        save_curves(run, tmp_path / "a.png")


def test_card_needs_no_optional_library(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jinja2", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    assert write_card(run).is_file()
