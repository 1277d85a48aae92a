"""`corver count`: how often words stand together.

In: an index folder and words. Out: one number, or the same as JSON. Every argument is one clause;
an argument of several words is a phrase.
"""

from __future__ import annotations

from typing import Annotated

import typer

from corver.cli.options import Directory, JsonFlag, WindowOption, WordList
from corver.cli.output import emit, emit_json

__all__ = ["count_command"]


def count_command(
    directory: Directory,
    words: WordList,
    window: WindowOption = 1000,
    cap: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop counting at N.")] = None,
    json: JsonFlag = False,
) -> None:
    """Count how often words stand together within a window.

    Counts the places of the rarest word that have every other word within WINDOW words in the same document. Case,
    accents and punctuation do not matter, and nothing is a query language. "20+" means that counting stopped at a cap,
    "~20" that the engine estimated. DIR may also be a YAML file that describes an infini-gram index (docs/index.md).

    \b
    Examples:
      corver count index/ marie curie warsaw
      corver count index/ "New York" 1977 --window 100 --json
    """
    from corver.index.counters import open_counter

    with open_counter(directory) as counter:
        (count,) = counter.count_many([words], window=window, cap=cap)
    if json:
        approximate = {"approx": True} if count.approx else {}
        row = {"count": count.value, "capped": count.capped, "anchor": count.anchor, "window": window}
        emit_json(row | approximate)
    else:
        emit(f"{'~' if count.approx else ''}{count.value}{'+' if count.capped else ''}")
