"""`corver index`: build, extend, describe and check the index of a corpus.

In: words of the command line. Out: what the builder and the manifest say. The commands decide nothing.
"""

from __future__ import annotations

import typer

from corver.cli.bars import quantity, shown_progress
from corver.cli.build import SourceFormat, add_command, build_command, merge_command
from corver.cli.contents import tell_contents
from corver.cli.count import count_command
from corver.cli.options import Directory, JsonFlag
from corver.cli.output import emit, emit_json, say

__all__ = ["SourceFormat", "index_app"]

index_app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Build, describe and check the index of a corpus."
)

index_app.command("build")(build_command)
index_app.command("add")(add_command)
index_app.command("merge")(merge_command)


@index_app.command("info")
def info_command(directory: Directory, json: JsonFlag = False) -> None:
    """Tell what is in an index.

    \b
    Examples:
      corver index info index/
      corver index info index/ --json
    """
    tell_contents(directory, json=json)


@index_app.command("verify")
def verify_command(directory: Directory, json: JsonFlag = False) -> None:
    """Read every byte of an index and compare it with its checksums.

    Exit code 1 when something is missing or differs.

    \b
    Example:
      corver index verify index/
    """
    from corver.index import verify_index

    with shown_progress() as progress:
        report = verify_index(directory, progress=lambda done, total: progress("verifying", done, total, "bytes"))
    if json:
        emit_json(
            {
                "index": str(directory),
                "ok": not report.problems,
                "files": report.files,
                "bytes": report.bytes,
                "problems": list(report.problems),
            },
            indent=2,
        )
    elif not report.problems:
        emit(f"good: {report.files} files, {quantity(report.bytes, 'bytes')}")
    for problem in report.problems:
        say(f"error: {problem}; rebuild the index")
    if report.problems:
        raise typer.Exit(1)


index_app.command("count")(count_command)
