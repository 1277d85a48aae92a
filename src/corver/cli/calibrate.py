"""`corver calibrate`: from scored texts to sheets, labels, agreement, curves and maps.

In: words of the command line. Out: what the room `calibrate` says, as tables or JSON. The commands decide nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from corver.cli.bars import shown_progress
from corver.cli.calibrate_agree import agree_command
from corver.cli.calibrate_curve import curve_command
from corver.cli.calibrate_fit import fit_command
from corver.cli.calibrate_tables import grid, say_left_out
from corver.cli.options import JsonFlag
from corver.cli.output import emit, emit_json, say
from corver.errors import UsageError

__all__ = ["calibrate_app"]

calibrate_app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Label sentences, and learn what their scores are worth."
)


@calibrate_app.command("sample")
def sample_command(
    scored: Annotated[list[Path], typer.Argument(metavar="SCORED", help="JSON Lines that corver score wrote.")],
    output: Annotated[Path, typer.Option(metavar="SHEET.csv", help="The sheet to label.", show_default=False)],
    per_level: Annotated[int, typer.Option(min=1, metavar="N", help="Sentences to draw from each level.")] = 100,
    by: Annotated[
        Literal["level", "count", "reward"],
        typer.Option(help="Draw from each level, each bin of the count, or each fifth of the rewards."),
    ] = "level",
    state: Annotated[
        list[str] | None,
        typer.Option(metavar="STATE", help="Draw from no_claim or no_evidence as well.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other sentences.")] = 0,
    annotators: Annotated[int, typer.Option(min=1, max=99, metavar="N", help="Sheets to write.")] = 1,
    before: Annotated[int, typer.Option(min=0, metavar="N", help="Characters of context before a sentence.")] = 300,
    after: Annotated[int, typer.Option(min=0, metavar="N", help="Characters of context after it.")] = 100,
    excel: Annotated[bool, typer.Option("--excel", help="Begin the file with the mark that Excel asks for.")] = False,
    with_scores: Annotated[
        bool, typer.Option("--with-scores", help="Show count, level and reward; annotators are then not blind.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Draw sentences to label by hand.

    Writes SHEET.csv, with an empty column "label" to fill with true, false or unsure, and SHEET.key.json, which ties
    its rows to counts and levels; these are left out of the sheet so that they lead nobody. The same input and seed
    draw the same sentences. With --annotators 2 there are SHEET.1.csv and SHEET.2.csv, in different orders. A sheet
    that holds labels is never overwritten.

    \b
    Examples:
      corver calibrate sample scores.jsonl --output sheet.csv --per-level 150
      corver calibrate sample scores.jsonl --output sheet.csv --annotators 2 --state no_claim --excel
    """
    from corver.calibrate.key import sheet_paths, write_drawing
    from corver.calibrate.sample import draw
    from corver.calibrate.scored import iter_scored

    if output.suffix.casefold() != ".csv":
        raise UsageError(f"{output}: the sheet's name must end in .csv")
    if not output.parent.is_dir():
        raise UsageError(f"{output.parent}: no such folder")
    for name in state or []:
        if name not in ("no_claim", "no_evidence"):
            raise UsageError(f"--state {name}: choose no_claim or no_evidence")
    skipped: dict[str, int] = {}
    with shown_progress() as progress:
        sentences = iter_scored(scored, skipped=skipped, progress=progress)
        drawing = draw(sentences, per_stratum=per_level, by=by, states=state or [], seed=seed)
    kept = [path for path in sheet_paths(output, annotators) if path.exists()]
    sheets, key = write_drawing(
        drawing,
        output,
        annotators=annotators,
        before=before,
        after=after,
        byte_order_mark=excel,
        with_scores=with_scores,
    )
    strata = {name: {"sentences": size, "drawn": drawn} for name, (size, drawn) in drawing.strata.items()}
    left_out = {**drawing.left_out, **({"rows with an error": skipped["error"]} if skipped else {})}
    if json:
        names = [str(path) for path in sheets]
        emit_json({"sheets": names, "key": str(key), "scorer": drawing.scorer, "strata": strata, "left_out": left_out})
    else:
        rows = [[name, f"{one['sentences']:,}", f"{one['drawn']:,}"] for name, one in strata.items()]
        emit(grid([["stratum", "sentences", "drawn"], *rows]))
    say_left_out(left_out)
    if drawing.scorer is None:
        say("the scored texts do not say which scorer made them; a map fitted on these labels will not know either")
    if kept:
        say(f"left as it was, with the same sentences: {', '.join(map(str, kept))}; remove it to have it written anew")
    wrote = ", ".join(str(path) for path in sheets if path not in kept)
    say(f"{f'wrote {wrote}; ' if wrote else ''}keep {key} beside {'it' if annotators == 1 else 'them'}")


calibrate_app.command("agree")(agree_command)
calibrate_app.command("curve")(curve_command)
calibrate_app.command("fit")(fit_command)
