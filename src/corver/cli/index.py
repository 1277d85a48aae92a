"""`corver index`: build, describe and check the index of a corpus.

In: sources of text, an index folder. Out: an index folder; what is in it, as a table or as JSON.
"""

from __future__ import annotations

import typer

from corver.cli.count import count_command

__all__ = ["index_app"]

index_app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Build, describe and check the index of a corpus."
)
index_app.command("count")(count_command)
