"""`corver eval`: how well a model answers questions, greedily or by samples.

In: a model on this machine or behind an endpoint, and a file of questions. Out: a table or JSON on standard output, and
a JSONL file of all answers, which the same command continues. The libraries are loaded once the arguments are good.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from corver.cli.output import emit, emit_json, say, table
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.config import EndpointConfig, PolicyConfig
    from corver.evaluate.figures import Figures
    from corver.evaluate.session import EvaluationResult
    from corver.evaluate.stats import Estimate

__all__ = ["eval_command", "figures_table"]

_SAMPLED_TEMPERATURE = 0.7


def eval_command(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Folder or hub id, or a model's name at --endpoint.", show_default=False),
    ],
    questions: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Questions: JSONL, JSON, CSV, TSV or parquet.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSONL for the answers; else MODEL-FILE.jsonl here.", show_default=False),
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only questions of this split.", show_default=False)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw so many questions.", show_default=False)
    ] = None,
    adapter: Annotated[
        Path | None, typer.Option(metavar="DIR", help="LoRA adapter, as a run saves it.", show_default=False)
    ] = None,
    revision: Annotated[
        str | None, typer.Option(metavar="REV", help="Revision of a hub id.", show_default=False)
    ] = None,
    gguf_file: Annotated[
        str | None, typer.Option(metavar="NAME", help="Weights from this file of MODEL.", show_default=False)
    ] = None,
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"], typer.Option(help="Numbers to compute in.")
    ] = "auto",
    device: Annotated[Literal["auto", "cpu", "cuda", "mps"], typer.Option(help="Where to compute.")] = "auto",
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
    ] = False,
    endpoint: ServerOption = None,
    api_key_file: KeyFileOption = None,
    concurrency: ConcurrencyOption = 32,
    prompt: Annotated[Literal["instruct", "few_shot"], typer.Option(help="Prompt, as in training.")] = "instruct",
    samples: Annotated[int, typer.Option(min=1, metavar="N", help="Answers a question; several give Pass@k.")] = 1,
    at: Annotated[
        list[int] | None, typer.Option("--at", min=1, metavar="K", help="Pass@K; may be repeated.", show_default=False)
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            callback=finite,
            metavar="T",
            help="0 is greedy; else 0 for one sample, 0.7 for more.",
            show_default=False,
        ),
    ] = None,
    top_p: TopPOption = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, metavar="N", help="Longest completion.")] = 1000,
    batch: Annotated[int, typer.Option(min=1, metavar="N", help="Completions to make at once.")] = 32,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of sampling and of the bootstrap.")] = 42,
    judge: Annotated[
        Literal["lenient", "words", "paper", "math"], typer.Option(help="Rule that compares answers.")
    ] = "lenient",
    index: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Score the sentences by this index too.", show_default=False),
    ] = None,
    bootstrap: Annotated[int, typer.Option(min=100, metavar="N", help="Draws of the bootstrap.")] = 10_000,
    json: JsonFlag = False,
) -> None:
    """Evaluate a model on questions: accuracy, refusals, format, Pass@k, with intervals.

    Asks with the prompt of training and judges the <answer> block. FILE may be corver's own, or PopQA, SimpleQA,
    TruthfulQA, TriviaQA, NQ-Open or WebQuestions as published; with PopQA's s_pop, accuracy by quartile of popularity
    comes too. The answers go to a file; an evaluation that was stopped goes on where it was. Questions that an endpoint
    leaves without an answer count nowhere and give exit code 1; the same command asks for them again.

    \b
    Examples:
      corver eval model/ --questions popqa.tsv
      corver eval model/ --adapter runs/demo/run/adapter --questions heldout.jsonl --index index/
      corver eval my-model --endpoint http://localhost:8000/v1 --questions nq.jsonl --samples 16
    """
    from corver.config import JudgeConfig, RewardConfig
    from corver.evaluate.session import EvaluationJob, evaluate_model
    from corver.policy.sampling import SamplingSettings

    chosen = _model(
        model, endpoint=endpoint, adapter=adapter, revision=revision, gguf_file=gguf_file, dtype=dtype, device=device,
        trust_remote_code=trust_remote_code, api_key_file=api_key_file, concurrency=concurrency,
    )  # fmt: skip
    if temperature is None:
        temperature = 0.0 if samples == 1 else _SAMPLED_TEMPERATURE
    if samples > 1 and temperature == 0:
        raise UsageError("--samples with --temperature 0 would give the same answer every time")
    target = output or Path(f"{Path(model).name}-{questions.stem}.jsonl")
    job = EvaluationJob(
        model=chosen,
        questions=questions,
        output=target,
        sampling=SamplingSettings(
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            samples=samples,
            batch=max(batch, samples),
            seed=seed,
        ),
        prompt=prompt,
        adapter=adapter,
        split=split,
        limit=limit,
        reward=RewardConfig(judge=JudgeConfig(rule=judge)),
        index=index,
        ks=tuple(sorted(set(at or ()))),
        bootstrap=bootstrap,
    )
    with extra_needed("train", "evaluating a model on this machine"), shown_progress() as progress:
        result = evaluate_model(job, progress=progress)
    _tell(result, {"model": model, "file": str(questions), "judge": judge, "output": str(target)}, json=json)


def _model(
    name: str, *, endpoint: str | None, adapter: Path | None, api_key_file: Path | None, concurrency: int, **local: Any
) -> PolicyConfig | EndpointConfig:
    """What is asked: a server's model or one on this machine."""
    from corver.config import PolicyConfig

    if endpoint is None:
        goes_with("--endpoint", {"--api-key-file": api_key_file is not None})
        return PolicyConfig(model=name, **local)
    given = {"adapter": adapter, **local}
    goes_with(
        "a model on this machine, not with --endpoint",
        {f"--{key.replace('_', '-')}": value not in (None, False, "auto") for key, value in given.items()},
    )
    return endpoint_config(endpoint, model=name, api_key_file=api_key_file, concurrency=concurrency)


def _tell(result: EvaluationResult, about: Mapping[str, str], *, json: bool) -> None:
    if json:
        emit_json({**about, **result.figures.to_json(), "failed": result.failures}, indent=2)
    else:
        emit(figures_table(result.figures))
        emit(f"answers  {about['output']}")
    if result.failures:
        number = sum(result.failures.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(result.failures.items()))
        say(f"error: {number} answers could not be had ({reasons}); run the command again to ask for them")
        raise typer.Exit(1)


_SHARES = (
    ("accuracy", "accuracy"),
    ("accuracy_attempted", "accuracy of attempts"),
    ("not_attempted_rate", "not attempted"),
    ("format_rate", "well formed"),
    ("count_zero_share", "claims at count 0"),
)
_NUMBERS = (
    ("sentence_reward", "mean sentence reward", 3),
    ("claims_per_completion", "claims a completion", 2),
    ("mean_length", "mean length, tokens", 1),
)


def figures_table(figures: Figures) -> str:
    """The figures as lines of names and values, each value with its 95 % interval."""
    summary = figures.summary
    rows = [(name, _share(summary[key])) for key, name in _SHARES if key in summary]
    rows += [(name, _number(summary[key], digits)) for key, name, digits in _NUMBERS if key in summary]
    rows += [(f"Pass@{k}", _share(estimate)) for k, estimate in figures.pass_at.items()]
    for place, band in enumerate(figures.popularity, start=1):
        name = f"popularity {place}: {band.low:,.0f} to {band.high:,.0f}"
        rows.append((name, f"{_share(band.accuracy)}  ({band.questions} questions)"))
    samples = f", {figures.samples} samples each" if figures.samples > 1 else ""
    return f"{table(rows)}\n{figures.questions} questions{samples}, 95 % intervals"


def _share(estimate: Estimate) -> str:
    return _number(estimate, 1, scale=100, unit=" %")


def _number(estimate: Estimate, digits: int, *, scale: float = 1, unit: str = "") -> str:
    if estimate.to_json()["value"] is None:
        return "-"
    value, low, high = (f"{number * scale:.{digits}f}" for number in (estimate.value, estimate.low, estimate.high))
    return f"{value}{unit} [{low}, {high}]"
