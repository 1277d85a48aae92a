"""`corver train`, `zone`, `demo` and `report`: from a configuration to a run folder and its page.

In: a configuration file with overrides, or nothing for the demo. Out: files, and on standard output what came of it.
The training libraries are loaded only once the arguments have been found good.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corver.cli.bars import shown_progress
from corver.cli.options import JsonFlag, extra_needed
from corver.cli.output import emit, emit_json
from corver.cli.summary import read_summary, summary_table
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.config import RunConfig
    from corver.runs import RunFolder

__all__ = ["demo_command", "report_command", "train_command", "zone_command"]

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML file of a run.", show_default=False)]
RunDirectory = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)]


def train_command(context: typer.Context, config: ConfigFile, json: JsonFlag = False) -> None:
    """Train a model as a configuration says.

    Evaluates the raw model, trains it, evaluates it again with the same prompt, and writes the run folder. Every
    setting can be given on the line as --section.key VALUE, after CONFIG. A run that was stopped goes on where it was
    when it is started again with the same settings. Ends with a table of the raw and the trained model.

    \b
    Examples:
      corver train run.yaml
      corver train run.yaml --optimization.steps 40 --output runs/short
    """
    settings = _load(config, context.args)
    with extra_needed("train", "training"):
        from corver.train.run import train
    with shown_progress() as progress:
        folder = train(settings, progress=progress)
    _tell(folder, json=json)


def zone_command(
    context: typer.Context,
    config: ConfigFile,
    output: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="JSONL to write; else data.zone of CONFIG.", show_default=False),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, metavar="N", help="Answers to sample a question.")] = 16,
    temperature: Annotated[float, typer.Option(min=0.01, metavar="T", help="Sampling temperature.")] = 0.7,
    top_p: Annotated[float, typer.Option(min=0.01, max=1.0, metavar="P", help="Nucleus to sample from.")] = 0.95,
    batch: Annotated[int, typer.Option(min=1, metavar="B", help="Completions to sample at once.")] = 64,
) -> None:
    """Find the questions that a model sometimes answers right.

    Questions that are always or never right teach nothing; training keeps those between data.bounds. Uses the model,
    the prompt and the questions of CONFIG, takes overrides as `corver train` does, and goes on where an earlier search
    stopped. Writes the name of the file to standard output.

    \b
    Examples:
      corver zone run.yaml --to zone.jsonl
      corver zone run.yaml --to zone.jsonl --samples 8 --data.limit 500
    """
    settings = _load(config, context.args)
    target = output or settings.data.zone
    if target is None:
        raise UsageError(f"{config}: names no file for the zone: set data.zone or give --to FILE")
    with extra_needed("train", "finding the zone"):
        from corver.evaluate.questions import read_questions
        from corver.policy.generate import SamplingSettings
        from corver.policy.load import load_policy
        from corver.train.zone import find_zone
    questions = read_questions(settings.data.questions, split=settings.data.split, limit=settings.data.limit)
    sampling = SamplingSettings(
        temperature=temperature,
        top_p=top_p,
        max_tokens=settings.sampling.max_completion_tokens,
        samples=samples,
        batch=max(samples, batch),
        seed=settings.seed,
    )
    with shown_progress() as progress:
        find_zone(
            load_policy(settings.policy),
            questions,
            target,
            prompt=settings.policy.prompt,
            settings=sampling,
            judge_rule=settings.reward.judge.rule,
            template=settings.policy.chat_template_kwargs,
            progress=progress,
        )
    emit(str(target))


def demo_command(
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder for all of it.")] = Path("runs/demo"),
    steps: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Training steps; else as many as the recipe says.", show_default=False),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget an earlier training, keep its downloads.")] = False,
    json: JsonFlag = False,
) -> None:
    """Train a small model end to end, from nothing.

    Fetches a small model and a small corpus, builds the index, evaluates, trains, evaluates again. Takes some minutes
    on two cores. Stopped and started again, it goes on where it was. Ends with a table of the raw and the trained
    model; report.html in the run folder shows what happened.

    \b
    Examples:
      corver demo
      corver demo --output runs/quick --steps 5 --fresh
    """
    with extra_needed("train", "the demo"):
        from corver.demo.run import run_demo
    with shown_progress() as progress:
        folder = run_demo(output, steps=steps, fresh=fresh, progress=progress)
    _tell(folder, json=json)


def report_command(
    run: RunDirectory,
    curves: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the learning curves into FILE (.svg or .png).", show_default=False),
    ] = None,
) -> None:
    """Write the page of a run anew, or draw its learning curves.

    Works on a finished run and on one that is still at work. Writes the name of what it wrote to standard output.

    \b
    Examples:
      corver report runs/demo/run
      corver report runs/demo/run --curves curves.svg
    """
    with extra_needed("report", "a report"):
        from corver.report import save_curves, write_report
    from corver.runs import RunFolder

    folder = RunFolder(run)
    written = write_report(folder) if curves is None else save_curves(folder, curves)
    emit(str(written))


def _tell(folder: RunFolder, *, json: bool) -> None:
    """The end of a run: its table and where to look further."""
    summary = read_summary(folder.summary)
    if json:
        emit_json({"output": str(folder.path), **summary}, indent=2)
        return
    emit(summary_table(summary))
    emit(f"run     {folder.path}")
    emit(f"report  {folder.report}")


def _load(config: Path, overrides: list[str]) -> RunConfig:
    from corver.config import load_config

    if str(config).startswith("--"):
        raise UsageError(f"{config}: name the configuration file before its overrides")
    return load_config(config, overrides)
