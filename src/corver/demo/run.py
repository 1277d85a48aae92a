"""The demo from nothing to a report: fetch, convert, index, train, evaluate.

In: an output folder and, if wanted, a number of steps. Out: the run folder. Each stage leaves its result behind under
its final name only when it is whole, so a demo that was killed goes on where it stopped. This module puts rooms
together; it knows no formula.
"""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path

from corver.config import RunConfig, load_config
from corver.corpus.opening import open_corpus
from corver.demo.assets import ARTICLES, MODEL, fetch, write_corpus
from corver.errors import AssetError, CorverError
from corver.index import BuildProgress, Index, build_index
from corver.progress import Progress, no_progress
from corver.runs import RunFolder

__all__ = ["MODEL_NAME", "demo_config", "run_demo"]

MODEL_NAME = "SmolLM2-135M-Instruct"


def run_demo(
    output: Path, *, steps: int | None = None, fresh: bool = False, progress: Progress = no_progress
) -> RunFolder:
    """Run the demo in `output`, or go on with it.

    steps: train so many steps instead of the recipe's. fresh: forget an earlier demo's training, keep its downloads.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssetError(f"{output}: cannot make the demo's folder: {error.strerror}") from None
    with RunFolder(output).locked():
        if fresh:
            shutil.rmtree(output / "run", ignore_errors=True)
        return _run(output, steps, progress)


def _run(output: Path, steps: int | None, progress: Progress) -> RunFolder:
    progress("fetching model", 0, 1, "files")
    weights = fetch(MODEL, output / "assets")
    progress("fetching model", 1, 1, "files")
    progress("fetching articles", 0, 1, "files")
    articles = fetch(ARTICLES, output / "assets")
    progress("fetching articles", 1, 1, "files")
    _build_index(articles, output, progress)
    _convert(weights, output / MODEL_NAME, progress)

    from corver.train.run import train

    return train(demo_config(output, steps=steps), progress=progress)


def demo_config(output: Path, *, steps: int | None = None) -> RunConfig:
    """The demo's recipe with its paths set to `output` and to the questions that ship with corver."""
    data = resources.files("corver.demo_data")
    overrides = {
        "output": output / "run",
        "index": output / "index",
        "policy.model": output / MODEL_NAME,
        "data.questions": data / "questions.jsonl",
        "data.zone": data / "zone.jsonl",
        "evaluation.questions": data / "questions.jsonl",
    }
    # As YAML strings: a path may hold what YAML takes for a comment, a mapping or a number.
    words = [f"--{key}={json.dumps(str(value), ensure_ascii=False)}" for key, value in overrides.items()]
    if steps is not None:
        words.append(f"--optimization.steps={steps}")
    with resources.as_file(data / "demo.yaml") as recipe:
        return load_config(recipe, words)


def _build_index(articles: Path, output: Path, progress: Progress) -> None:
    index = output / "index"
    try:
        Index.open(index).close()
    except CorverError:
        corpus = output / "articles.jsonl"
        write_corpus(articles, corpus)
        source = open_corpus([str(corpus)])
        shutil.rmtree(index, ignore_errors=True)

        def tell(state: BuildProgress) -> None:
            progress(state.stage, state.done, state.total, "bytes")

        build_index(source.shards(), index, sources=source.sources(), progress=tell)


def _convert(weights: Path, model: Path, progress: Progress) -> None:
    if model.exists():
        return
    from corver.policy.load import convert_gguf

    progress("converting model", 0, 1, "models")
    part = model.with_name(".model.part")
    shutil.rmtree(part, ignore_errors=True)
    convert_gguf(weights.parent, weights.name, part)
    part.rename(model)
    progress("converting model", 1, 1, "models")
