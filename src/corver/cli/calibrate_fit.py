"""`corver calibrate fit`: a map from score to probability, or the neutral point of a policy.

In: labelled sheets or JSON Lines; for --neutral scored texts. Out: JSON.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corver.cli.bars import shown_progress
from corver.cli.calibrate_tables import Draws, Folds, Group, Key, Method, ScoreName, Seed, estimate, grid, say_left_out
from corver.cli.contents import number_of
from corver.cli.files import not_over, writing
from corver.cli.options import JsonFlag, extra_needed
from corver.cli.output import emit, emit_json, json_line, say, table
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.calibrate.columns import Columns
    from corver.calibrate.maps import CalibrationMap

__all__ = ["fit_command"]

_SHOWN_COUNTS = (0, 1, 5, 20, 100, 1000)


def fit_command(
    labelled: Annotated[
        list[Path],
        typer.Argument(metavar="LABELLED", help="Labelled sheets or JSON Lines; for --neutral scored texts."),
    ],
    method: Method = "platt",
    score: ScoreName = "count",
    output: Annotated[
        Path | None, typer.Option(metavar="MAP.json", help="Write the map here.", show_default=False)
    ] = None,
    cross_validate: Annotated[
        bool, typer.Option("--cross-validate/--no-cross-validate", help="Check the map on labels it was not fitted on.")
    ] = True,
    folds: Folds = 5,
    neutral: Annotated[bool, typer.Option("--neutral", help="Measure the neutral point of a policy instead.")] = False,
    key: Key = None,
    group: Group = None,
    draws: Draws = 2000,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Fit a map from score to probability on labels of your own.

    Platt scaling suits a few hundred labels, isotonic regression a thousand or more. The map belongs to the scorer that
    scored the labels, and to texts like these: calibration does not carry over to others. corver score --calibration
    takes it.

    --neutral needs no labels: it takes what corver score --support profile wrote about the rollouts of the first policy
    and gives the median score of their details, for reward.profile.neutral in a recipe.

    \b
    Examples:
      corver calibrate fit sheet.csv --method platt --output map.json
      corver calibrate fit rollouts.scored.jsonl --neutral --json
    """
    not_over(output, *labelled, *([key] if key else []))
    if neutral:
        if key is not None or group is not None:
            raise UsageError("--neutral takes scored texts, which have no --key and no --group")
        return _neutral(labelled, output, json=json)
    from corver.calibrate.columns import columns_of, left_out_of
    from corver.calibrate.fit import fit_map, validated
    from corver.calibrate.labelled import load_labelled

    data = load_labelled(labelled, key=key, group=group)
    columns = columns_of(data, score)
    with extra_needed("calibrate", "a calibration map"):
        found = fit_map(columns, method, score, labelled=data)
        if cross_validate:
            found = validated(found, columns, labelled=data, folds=folds, draws=draws, seed=seed)
    _keep(found.to_json(), output)
    if json:
        emit_json(found.to_json(), indent=2)
    else:
        emit(_table(found, columns))
    if found.scorer is None:
        say("the labels do not say which scorer they were scored by; nothing can check later whether the map fits")
    if "reason" in found.validation:
        say(f"not cross-validated: {found.validation['reason']}")
    if found.method == "platt" and found.slope < 0:
        say("the probability falls as the score rises: this score misleads on these labels")
    say_left_out(left_out_of(data, score))
    return None


def _keep(row: dict[str, Any], output: Path | None) -> None:
    if output is not None:
        with writing(output) as write:
            write(json_line(row, indent=2))


def _table(found: CalibrationMap, columns: Columns) -> str:
    import numpy as np

    shown = (
        list(_SHOWN_COUNTS) if found.score == "count" else np.unique(np.quantile(columns.score_N, np.linspace(0, 1, 6)))
    )
    rows = [[found.score, "P(true)"]]
    for value, probability in zip(shown, found.probability(shown), strict=True):
        rows.append([f"{value:.4g}", f"{100 * probability:.1f} %"])
    lines = [grid(rows), ""]
    checks = found.validation
    if "ece" in checks:
        lines.append(
            f"on labels not seen, {checks['folds']} folds: ECE {checks['ece']:.3f} "
            f"(equal mass {checks['ece_equal_mass']:.3f}), Brier score {checks['brier']:.3f}"
        )
    return "\n".join([*lines, found.caution])


def _neutral(paths: list[Path], output: Path | None, *, json: bool) -> None:
    from corver.calibrate.neutral import neutral_of

    with shown_progress() as progress:
        found = neutral_of(paths, progress=progress)
    _keep(found.to_json(), output)
    if json:
        return emit_json(found.to_json(), indent=2)
    emit(
        table(
            [
                ("neutral point Z", estimate(found.value)),
                ("details", f"{found.units:,}"),
                ("texts", f"{found.texts:,}"),
                ("scorer", found.scorer or "unknown"),
            ]
        )
    )
    left = [(found.without_evidence, "without evidence: the corpus does not know their subjects"),
            (found.without_units, "without a name or a number to score")]  # fmt: skip
    for number, why in left:
        if number:
            say(f"left out: {number_of(number, 'text')} {why}")
    say(f"for a recipe: reward.profile.neutral: {found.value.value:.4f}")
    return None
