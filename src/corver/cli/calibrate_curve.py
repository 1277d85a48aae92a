"""`corver calibrate curve`: what a score is worth, on labels.

In: labelled sheets or JSON Lines. Out: a table; with --output a folder of JSON and images.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corver.cli.bars import shown_progress
from corver.cli.calibrate_tables import (
    Draws,
    Folds,
    Group,
    Key,
    LabelledFiles,
    Method,
    ScoreName,
    Seed,
    estimate,
    grid,
    say_left_out,
)
from corver.cli.files import writing
from corver.cli.options import JsonFlag, extra_needed
from corver.cli.output import emit, emit_json, json_line, say, table

if TYPE_CHECKING:
    from corver.calibrate.labelled import LabelledSet
    from corver.calibrate.maps import CalibrationMap
    from corver.calibrate.study import Study

__all__ = ["curve_command"]


def curve_command(
    labelled: LabelledFiles,
    score: ScoreName = "count",
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for JSON, PNG and SVG.", show_default=False)
    ] = None,
    edges: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="Where bins above the first begin.", show_default=False)
    ] = None,
    jumps: Annotated[int, typer.Option(min=1, metavar="N", help="Thresholds to propose.")] = 2,
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="MAP.json", help="Check this map instead of cross-validating one.", show_default=False),
    ] = None,
    method: Method = "isotonic",
    folds: Folds = 5,
    bins: Annotated[int, typer.Option(min=1, metavar="N", help="Bins of the reliability diagram.")] = 10,
    key: Key = None,
    group: Group = None,
    draws: Draws = 2000,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Show how often sentences are true at each count, and how well the score ranks and can be calibrated.

    P(true) in each bin with Wilson intervals, weighted to all sentences that a stratified sample was drawn from; tests
    of monotonicity; the largest jumps as proposed thresholds; the area under the ROC curve; expected calibration error.
    With --output the folder gets curve.json, rates.json (error rates of each level, for corrections), and the images.

    \b
    Examples:
      corver calibrate curve sheet.csv --output calibration/
      corver calibrate curve labelled.jsonl --score reward --group relation
    """
    from corver.calibrate.columns import left_out_of
    from corver.calibrate.labelled import load_labelled
    from corver.calibrate.maps import CalibrationMap
    from corver.calibrate.study import Settings, study

    settings = Settings(
        edges=_edges(edges),
        jumps=jumps,
        bins=bins,
        method=method,
        folds=folds,
        draws=draws,
        permutations=draws,
        seed=seed,
    )
    data = load_labelled(labelled, key=key, group=group)
    known = None if calibration is None else CalibrationMap.load(calibration)
    if known is not None:
        _check(known, data)
    with extra_needed("calibrate", "the curve"), shown_progress() as progress:
        found = study(data, score, settings=settings, calibration=known, progress=progress)
    if output is not None:
        _write(found, output, draws=draws, seed=seed)
    if json:
        emit_json(found.to_json(), indent=2)
    else:
        emit(_table(found))
    say_left_out(left_out_of(data, score))


def _check(known: CalibrationMap, data: LabelledSet) -> None:
    if data.scorer is None:
        return say("the labels do not say which scorer they were scored by; the map may belong to another")
    warning = known.check(data.scorer)
    return say(warning) if warning else None


def _edges(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of numbers", param_hint="--edges") from None


def _write(found: Study, folder: Path, *, draws: int, seed: int) -> None:
    from corver.calibrate.columns import score_value
    from corver.calibrate.plots import curve_image, reliability_image
    from corver.calibrate.rates import rates_by_level

    folder.mkdir(parents=True, exist_ok=True)
    files = {"curve.json": json_line(found.to_json(), indent=2)}
    if any(score_value(item.fields, "level") is not None for item in found.labelled.items):
        rates = rates_by_level(found.labelled, draws=draws, seed=seed)
        files["rates.json"] = json_line(rates.to_json(), indent=2)
    files |= {"curve.png": curve_image(found, "png"), "curve.svg": curve_image(found, "svg")}
    if found.reliability:
        files |= {
            "reliability.png": reliability_image(found, "png"),
            "reliability.svg": reliability_image(found, "svg"),
        }
    for name, data in files.items():
        with writing(folder / name) as write:
            write(data)
    say(f"wrote {', '.join(files)} to {folder}")


def _table(found: Study) -> str:
    rows = [[found.score, "sentences", "share", "true"]]
    for one in [*found.bins, *found.states]:
        share = f"{100 * one.share:.1f} %" if one.size else "-"
        rows.append([one.name, f"{one.size:,}", share, estimate(one.probability, percent=True)])
    rows.append(["all with a verdict", f"{found.size:,}", "", estimate(found.base_rate, percent=True)])
    return "\n".join([grid(rows), "", table(_figures(found)), "", *_notes(found)])


def _figures(found: Study) -> list[tuple[str, str]]:
    rows = [("area under the ROC curve", found.reasons.get("auroc") or estimate(found.auroc))]
    tests = found.monotone
    if tests.reason is not None:
        rows.append(("monotone", f"not tested: {tests.reason}"))
    else:
        rows.append(("rises (isotonic against flat)", _p(tests.trend_p, tests.permutations)))
        rows.append(("falls anywhere (free against isotonic)", _p(tests.departure_p, tests.permutations)))
    for jump in found.jumps.proposed:
        again = f"in {100 * jump.stability:.0f} % of resamples"
        rows.append(
            (f"proposed threshold {jump.threshold:g}", f"{estimate(jump.rise, percent=True, sign=True)}, {again}")
        )
    if not found.jumps.proposed:
        rows.append(("proposed threshold", "none: nothing rises"))
    for one in found.reliability:
        right = estimate(one.ece_if_right)
        rows.append((f"ECE, {one.binning.replace('_', ' ')}", f"{one.ece:.3f} (were all right: {right})"))
    if not found.reliability:
        rows.append(("ECE", f"not measured: {found.reasons.get('reliability', 'no probabilities')}"))
    else:
        rows.append(("Brier score", f"{found.brier:.3f}"))
    return rows


def _p(value: float, permutations: int) -> str:
    """A p-value; the least that so many permutations can give is a bound."""
    return f"p {'≤' if value <= 1 / (1 + permutations) else '='} {value:.2g}"


def _notes(found: Study) -> list[str]:
    notes = [f"{found.labelled.name}: {found.size:,} labels, {found.true:,} true; 95 % intervals"]
    if found.labelled.weighted:
        notes.append("weighted to all sentences that the sample was drawn from")
    if found.reliability:
        notes.append(f"probabilities: {found.source}")
    notes.append("calibration does not carry over to other text")
    return notes
