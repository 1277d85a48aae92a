"""Tables, lines and options that the commands of `corver calibrate` share.

In: estimates and rows of text. Out: lines. This module knows no statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corver.cli.output import one_line, say

if TYPE_CHECKING:
    from corver.evaluate.stats import Estimate

__all__ = [
    "Draws",
    "Folds",
    "Group",
    "Key",
    "LabelledFiles",
    "Method",
    "ScoreName",
    "Seed",
    "estimate",
    "grid",
    "say_left_out",
    "shortened",
]

ScoreName: TypeAlias = Annotated[
    Literal["count", "level", "reward", "profile", "probability"],
    typer.Option(help="What the sentences are ranked by."),
]
Method: TypeAlias = Annotated[Literal["platt", "isotonic"], typer.Option(help="Kind of map.")]
LabelledFiles: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="LABELLED", help="Labelled sheets, or JSON Lines with a label.")
]
Key: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Key of the sheets, where it is not beside them.", show_default=False),
]
Group: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column whose rows belong together; else the text; none for no grouping.",
        show_default=False,
    ),
]
Folds: TypeAlias = Annotated[int, typer.Option(min=2, metavar="N", help="Parts for cross-validation.")]
Draws: TypeAlias = Annotated[int, typer.Option(min=100, metavar="N", help="Bootstrap resamples.")]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of the resamples.")]


def grid(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, the first to the left and the others to the right unless they are long words."""
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[at]) if at == 0 else cell.rjust(widths[at]) for at, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def estimate(value: Estimate, *, percent: bool = False, sign: bool = False) -> str:
    """`0.61 [0.55, 0.67]`, `61.2 % [55.0, 67.1]`, or a dash when there is nothing."""
    if math.isnan(value.value):
        return "-"
    scale, digits, unit = (100, 1, " %") if percent else (1, 3, "")
    plus = "+" if sign else ""
    middle = f"{value.value * scale:{plus}.{digits}f}{unit}"
    if math.isnan(value.low):
        return middle
    return f"{middle} [{value.low * scale:{plus}.{digits}f}, {value.high * scale:{plus}.{digits}f}]"


def say_left_out(left_out: Mapping[str, int]) -> None:
    """What had no part in the work: why to how many."""
    if left_out:
        say("left out: " + ", ".join(f"{number:,} {why}" for why, number in sorted(left_out.items())))


def shortened(text: str, width: int) -> str:
    """One line of at most `width` characters."""
    line = one_line(text)
    return line if len(line) <= width else line[: width - 1] + "…"
