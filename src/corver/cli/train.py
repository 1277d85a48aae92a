"""`corver train`, `zone`, `demo` and `report`: from a configuration to a run folder and its page.

In: a configuration file with overrides, or nothing for the demo. Out: files, and on standard output what came of it.
The training libraries are loaded only once the arguments have been found good.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corver.cli.bars import shown_progress
from corver.cli.endpoints import (
    ConcurrencyOption,
    KeyFileOption,
    ServerOption,
    TopPOption,
    endpoint_config,
    goes_with,
)
from corver.cli.options import JsonFlag, extra_needed, finite
from corver.cli.output import emit, emit_json, say
from corver.cli.plan import plan_text
from corver.cli.summary import read_summary, summary_table
from corver.errors import CorverWarning, UsageError

if TYPE_CHECKING:
    from corver.config import RunConfig
    from corver.runs import RunFolder

__all__ = ["demo_command", "report_command", "train_command", "zone_command"]

ConfigFile = Annotated[
    Path,
    typer.Argument(metavar="CONFIG", help="YAML file of a run, or a recipe's name.", show_default=False),
]
RunDirectory = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)]


def train_command(
    context: typer.Context,
    config: ConfigFile,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, load no weights.")] = False,
    processes: Annotated[int, typer.Option(min=1, metavar="N", help="Of a dry run: processes of the run.")] = 1,
    json: JsonFlag = False,
) -> None:
    """Train a model as a configuration or a recipe says.

    Evaluates the raw model, trains it, evaluates it again with the same prompt, and writes the run folder. Every
    setting can be given on the line as --section.key VALUE, after CONFIG. A run that was stopped goes on where it was
    when it is started again with the same settings. Ends with a table of the raw and the trained model. Recipes for the
    models of the paper ship with corver: llama-3.2-3b, llama-3.1-8b, qwen3-4b, qwen3-8b, qwen3-14b, olmo-2-13b.

    \b
    Examples:
      corver train run.yaml
      corver train run.yaml --optimization.steps 40 --output runs/short
      corver train run.yaml --ablation A3 --output runs/spread
      corver train llama-3.2-3b --index index --output runs/llama
      corver train llama-3.2-3b --dry-run --policy.device cuda
    """
    if dry_run:
        _plan(_load(config, context, defaults=_PLACES), processes, json=json)
        return
    settings = _load(config, context)
    with extra_needed("train", "training"):
        from corver.train.processes import in_main_process, process_group
        from corver.train.run import train
    with process_group(), _told_warnings(), shown_progress() as progress:
        folder = train(settings, progress=progress)
        speaks = in_main_process()
    if speaks:
        _tell(folder, json=json)


def zone_command(
    context: typer.Context,
    config: ConfigFile,
    output: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="JSONL to write; else data.zone of CONFIG.", show_default=False),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, metavar="N", help="Answers to sample a question.")] = 16,
    temperature: Annotated[
        float, typer.Option(min=0.01, callback=finite, metavar="T", help="Sampling temperature.")
    ] = 0.7,
    top_p: TopPOption = 0.95,
    batch: Annotated[int, typer.Option(min=1, metavar="B", help="Completions to sample at once.")] = 64,
    endpoint: ServerOption = None,
    served_model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The model's name there; else policy.model.", show_default=False),
    ] = None,
    api_key_file: KeyFileOption = None,
    concurrency: ConcurrencyOption = 32,
) -> None:
    """Find the questions that a model sometimes answers right.

    Questions that are always or never right teach nothing; training keeps those between data.bounds. Uses the model,
    the prompt and the questions of CONFIG, takes overrides as `corver train` does, and goes on where an earlier search
    stopped. Writes the name of the file to standard output. Questions that a server leaves without an answer give exit
    code 1; the same command asks for them again.

    \b
    Examples:
      corver zone llama-3.2-3b --to zone.jsonl --data.limit 6000 --endpoint http://localhost:8000/v1
      corver zone run.yaml --to zone.jsonl
      corver zone run.yaml --to zone.jsonl --samples 8 --data.limit 500
    """
    settings = _load(config, context, defaults=_PLACES)
    target = output or settings.data.zone
    if target is None:
        raise UsageError(f"{config}: names no file for the zone: set data.zone or give --to FILE")
    with extra_needed("train", "finding the zone"):
        from corver.train.zone import find_zone
    from corver.evaluate.questions import draw_questions
    from corver.policy.sampling import SamplingSettings
    from corver.train.questions import read_mixture

    questions = list(read_mixture(settings.data.questions, split=settings.data.split).questions)
    questions = draw_questions(questions, settings.data.limit)
    sampling = SamplingSettings(
        temperature=temperature,
        top_p=top_p,
        max_tokens=settings.sampling.max_completion_tokens,
        samples=samples,
        batch=max(samples, batch) if endpoint is None else concurrency,
        seed=settings.seed,
    )
    with shown_progress() as progress:
        rows = find_zone(
            _asked(settings, endpoint, served_model, api_key_file, concurrency),
            questions,
            target,
            prompt=settings.policy.prompt,
            settings=sampling,
            judge_rule=settings.reward.judge.rule,
            template=settings.policy.chat_template_kwargs,
            progress=progress,
        )
    low, high = settings.data.bounds or (1, samples - 1)
    inside, always = (sum(a <= row.correct <= b for row in rows) for a, b in ((low, high), (samples, samples)))
    say(f"{inside} of {len(questions)} questions lie in the zone, {always} were always right")
    emit(str(target))


def _asked(
    settings: RunConfig, endpoint: str | None, served: str | None, api_key_file: Path | None, concurrency: int
) -> Any:
    """What is asked for samples: the configuration's model on this machine, or a server's."""
    if endpoint is None:
        goes_with("--endpoint", {"--served-model": served is not None, "--api-key-file": api_key_file is not None})
        with extra_needed("train", "finding the zone"):
            from corver.policy.load import load_policy
            from corver.policy.prompts import check_prompt
        policy = load_policy(settings.policy)
        check_prompt(policy.tokenizer, prompt=settings.policy.prompt, template=settings.policy.chat_template_kwargs)
        return policy
    from corver.endpoint import ChatEndpoint

    template = settings.policy.chat_template_kwargs
    config = endpoint_config(
        endpoint,
        model=served or settings.policy.model,
        api_key_file=api_key_file,
        concurrency=concurrency,
        # vLLM and SGLang hand these on to the model's chat template.
        extra_body={"chat_template_kwargs": template} if template else None,
    )
    asked = ChatEndpoint(config)
    asked.check()
    return asked


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


_PLACES = {"output": "run", "index": "index"}
"""What a dry run and a search for the zone do not need, and need not be told."""


def _load(config: Path, context: typer.Context, *, defaults: dict[str, str] | None = None) -> RunConfig:
    """The configuration under the words of the line that are no options of the command."""
    from corver.config import RunConfig
    from corver.train.recipe import load_recipe

    if str(config).startswith("--"):
        raise UsageError(f"{config}: name the configuration file before its overrides")
    options = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
    for word in context.args:
        name = word.partition("=")[0]
        setting = name.removeprefix("--").replace("-", "_").partition(".")[0]
        near = get_close_matches(name, options, n=1, cutoff=0.8)
        if near and name.startswith("--") and setting not in RunConfig.model_fields:
            raise UsageError(f"no such option: {name}; did you mean {near[0]}?")
    return load_recipe(config, context.args, defaults=defaults)


def _plan(settings: RunConfig, processes: int, *, json: bool) -> None:
    with extra_needed("train", "a dry run"):
        from corver.train.plan import plan_run
    plan = plan_run(settings, processes=processes)
    if json:
        emit_json(plan.to_json(), indent=2)
    else:
        emit(plan_text(plan))


@contextmanager
def _told_warnings() -> Iterator[None]:
    """Corver's own warnings as a line each; those of libraries as they come."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if issubclass(category, CorverWarning):
                say(f"note: {message}")
            else:
                others(message, category, *rest)

        warnings.showwarning = show  # type: ignore[assignment]  # called by position
        warnings.simplefilter("always", CorverWarning)
        yield
