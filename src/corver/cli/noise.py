"""`corver noise`: how often a verifier errs, and rewards of levels that allow for it.

In: words of the command line. Out: rates as tables or JSON, and the files that a run's configuration names. The
commands decide nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from corver.cli.calibrate_tables import grid
from corver.cli.options import JsonFlag, finite
from corver.cli.output import emit, emit_json, say, table

if TYPE_CHECKING:
    from corver.evaluate.verifier import VerifierRates

__all__ = ["noise_app"]

noise_app = typer.Typer(add_completion=False, rich_markup_mode=None, help="Measure how often a verifier errs.")

Output = Annotated[Path | None, typer.Option(metavar="RATES.json", help="Write them here too.", show_default=False)]


@noise_app.command("measure")
def measure_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Judged answers: JSON Lines, CSV, TSV or parquet.")],
    judge: Annotated[
        Literal["lenient", "words", "paper", "math"] | None,
        typer.Option(help="Grade the answers with this rule of corver's; else read verdicts.", show_default=False),
    ] = None,
    verifier_field: Annotated[str, typer.Option(metavar="NAME", help="Field of the verifier's verdict.")] = "verifier",
    truth_field: Annotated[str, typer.Option(metavar="NAME", help="Field of the people's label.")] = "truth",
    interval: Annotated[
        Literal["wilson", "exact"], typer.Option(help="95 % interval: Wilson's, or Clopper and Pearson's.")
    ] = "wilson",
    output: Output = None,
    json: JsonFlag = False,
) -> None:
    """Error rates of a verifier on answers that people have judged.

    ρ0 is the share of wrong answers that it accepts, ρ1 the share of right answers that it rejects. A row holds the
    people's label in "truth" and the verifier's in "verifier"; with --judge it holds "prediction" and "answers" (and
    "question") instead of the latter. credit.noise.rates of a run takes the file that --output writes.

    \b
    Examples:
      corver noise measure judged.jsonl --judge words --output rates.json
      corver noise measure verdicts.csv --verifier-field checker --truth-field human --interval exact
    """
    from corver.evaluate.verifier import measure_verifier

    rates = measure_verifier(
        file, rule=judge, verifier_field=verifier_field, truth_field=truth_field, interval=interval
    )
    if output is not None:
        rates.save(output)
        say(f"wrote {output}")
    if json:
        emit_json(rates.to_json())
        _warn_of(rates)
        return
    rows = [("verifier", rates.verifier), ("right answers", str(rates.right)), ("wrong answers", str(rates.wrong))]
    if rates.skipped:
        rows.append(("rows skipped", str(rates.skipped)))
    rows += [
        ("ρ0, wrong accepted", _shown(rates.false_positive)),
        ("ρ1, right rejected", _shown(rates.false_negative)),
    ]
    emit(table(rows))
    _warn_of(rates)


@noise_app.command("levels")
def levels_command(
    rates_file: Annotated[
        Path, typer.Argument(metavar="RATES.json", help="Sentence rates that corver calibrate curve wrote.")
    ],
    true: Annotated[float, typer.Option(callback=finite, help="What a true sentence shall be paid in the mean.")] = 0.1,
    false: Annotated[
        float, typer.Option(callback=finite, help="What a false sentence shall be paid in the mean.")
    ] = -0.3,
    json: JsonFlag = False,
) -> None:
    """Rewards of the levels that are right in the mean, beside the paper's.

    A level is a verdict that errs at known rates. The rewards shown pay true sentences --true and false ones --false in
    the mean, with the least variance; credit.noise.sentences of a run takes the same file. Levels that do not tell true
    sentences from false ones are refused, and those that may not are warned of.

    \b
    Example:
      corver noise levels calibration/rates.json --true 0.1 --false -0.3
    """
    if not true > false:
        raise typer.BadParameter("must be more than --false", param_hint="--true")
    from corver.calibrate.rates import SentenceRates
    from corver.config import LevelsConfig
    from corver.credit.levels import level_means, unbiased_levels

    rates = SentenceRates.load(rates_file)
    caution = rates.caution()
    share, eta = [level.share for level in rates.levels], [level.probability.value for level in rates.levels]
    corrected = unbiased_levels(share, eta, true=true, false=false)
    known = LevelsConfig().rewards
    paper = [known[level.level] if level.level < len(known) else float("nan") for level in rates.levels]
    rows: list[dict[str, Any]] = [
        {"level": level.level, "share": level.share, "true": value, "paper": old, "corrected": float(new)}
        for level, value, old, new in zip(rates.levels, eta, paper, corrected, strict=True)
    ]
    if json:
        means = {"paper": level_means(share, eta, paper), "corrected": [true, false]}
        emit_json({"levels": rows, "means": means, "caution": caution})
    else:
        emit(_levels_table(rows, level_means(share, eta, paper), (true, false)))
    if caution is not None:
        say(f"warning: {caution}")


def _levels_table(rows: list[dict[str, Any]], paid: tuple[float, float], wanted: tuple[float, float]) -> str:
    cells = [["level", "share", "P(true)", "paper", "corrected"]]
    for row in rows:
        numbers = [f"{row[name]:.3f}" for name in ("share", "true")] + [
            f"{row[name]:+.3f}" for name in ("paper", "corrected")
        ]
        cells.append([str(row["level"]), *numbers])
    cells += [
        [f"mean of {name}", "", "", f"{old:+.3f}", f"{new:+.3f}"]
        for name, old, new in zip(("true", "false"), paid, wanted, strict=True)
    ]
    return grid(cells)


def _warn_of(rates: VerifierRates) -> None:
    if rates.false_positive.value + rates.false_negative.value >= 1:
        say("warning: ρ0 + ρ1 >= 1: such a verifier says nothing about what is right, and no run will take these rates")
    elif (caution := rates.caution()) is not None:
        say(f"warning: {caution}")


def _shown(estimate: Any) -> str:
    return f"{estimate.value:.4f}  [{estimate.low:.4f}, {estimate.high:.4f}]"
