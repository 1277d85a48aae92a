"""`corver calibrate agree`: how far two annotators agree.

In: two labelled sheets. Out: kappa, the table of labels, and the sentences they disagree on.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corver.cli.calibrate_tables import Draws, Seed, estimate, grid, shortened
from corver.cli.files import not_over, writing
from corver.cli.options import JsonFlag, extra_needed
from corver.cli.output import emit, emit_json, say, table
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.calibrate.agreement import Agreement

__all__ = ["agree_command"]

_SHOWN = 10


def agree_command(
    first: Annotated[Path, typer.Argument(metavar="A.csv", help="Sheet of one annotator.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B.csv", help="Sheet of the other.", show_default=False)],
    weights: Annotated[
        Literal["none", "linear", "quadratic"], typer.Option(help="Cost of a disagreement between ordered labels.")
    ] = "none",
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…", help="Labels of your own, in order; else true, false, unsure.", show_default=False
        ),
    ] = None,
    disagreements: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write all disagreements here.", show_default=False)
    ] = None,
    draws: Draws = 2000,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Tell how far two annotators agree: Cohen's kappa with a 95 % bootstrap interval.

    Both sheets must hold the same ids. Rows that one of them left empty are counted and have no part in it.

    \b
    Examples:
      corver calibrate agree sheet.1.csv sheet.2.csv
      corver calibrate agree ada.csv ben.csv --labels low,middle,high --weights linear
    """
    from corver.calibrate.agreement import agreement, read_pair
    from corver.calibrate.sheet import LABELS

    names = None if labels is None else [name.strip() for name in labels.split(",") if name.strip()]
    if weights != "none" and names is None:
        raise UsageError(f"--weights {weights} needs the order of the labels: give --labels")
    not_over(disagreements, first, second)
    with extra_needed("calibrate", "agreement"):
        pairs = read_pair(first, second, labels=names)
        found = agreement(pairs, labels=names or LABELS, weighting=weights, draws=draws, seed=seed)
    if disagreements is not None:
        with writing(disagreements) as write:
            write(_csv(found))
    if json:
        emit_json(found.to_json(), indent=2)
        return
    emit(_table(found))
    if first.resolve() == second.resolve():
        say(f"{first} was named twice: a sheet agrees with itself")
    if found.unlabelled:
        say(f"{found.unlabelled:,} rows were not labelled by both")
    for one in found.disagreements[:_SHOWN]:
        emit(f"{one.id}  {one.first} / {one.second}  {shortened(one.text, 90)}")
    if len(found.disagreements) > _SHOWN:
        where = f"see {disagreements}" if disagreements else "--disagreements FILE writes all"
        say(f"{len(found.disagreements) - _SHOWN:,} more disagreements; {where}")


def _table(found: Agreement) -> str:
    kappa = found.reason or estimate(found.kappa)
    head = table(
        [
            ("sentences", f"{found.size:,}"),
            ("raw agreement", estimate(found.raw, percent=True)),
            ("kappa" if found.weighting == "none" else f"kappa, {found.weighting} weights", kappa),
        ]
    )
    rows = [[label, *(f"{number:,}" for number in row)] for label, row in zip(found.labels, found.table, strict=True)]
    note = ""
    if found.reason is None and found.undefined_draws:
        note = f"\nnot defined in {100 * found.undefined_draws:.1f} % of the resamples, which the interval leaves out"
    return f"{head}{note}\n\n" + grid([["first, then second", *found.labels], *rows])


def _csv(found: Agreement) -> bytes:
    from corver.calibrate.sheet import safe_cell

    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(["id", "first", "second", "sentence"])
    for one in found.disagreements:
        writer.writerow([safe_cell(cell) for cell in (one.id, one.first, one.second, one.text)])
    return out.getvalue().encode("utf-8")
