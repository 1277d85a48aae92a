"""The tree of commands.

In: the command modules. Out: `app`. Importing this loads no more than typer and the command signatures; every command
loads its own libraries when it runs.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corver import __version__
from corver.cli.calibrate import calibrate_app
from corver.cli.count import count_command
from corver.cli.doctor import doctor_command
from corver.cli.eval import eval_command
from corver.cli.evidence import evidence_command
from corver.cli.group import CorverGroup
from corver.cli.index import index_app
from corver.cli.noise import noise_app
from corver.cli.options import PASS_THROUGH
from corver.cli.output import emit, say
from corver.cli.score import score_command
from corver.cli.train import demo_command, report_command, train_command, zone_command

__all__ = ["app"]

app = typer.Typer(
    cls=CorverGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        emit(f"corver {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when corver itself fails.")] = False,
) -> None:
    """Verifiable rewards for facts: count in a corpus, score sentences, train language models.

    \b
    A first walk:
      corver doctor                                  is this machine fit?
      corver index build wiki.parquet --output index/
      corver count index/ marie curie warsaw
      echo "Marie Curie was born in Warsaw." | corver score --index index/
      corver demo                                    train a small model, end to end

    Results go to standard output, everything else to standard error. Exit codes: 0 good, 1 the work failed, 2 wrong
    use.
    """
    if context.invoked_subcommand is None:
        say("error: name a command (see corver --help)")
        raise typer.Exit(2)


app.command("demo")(demo_command)
app.add_typer(index_app, name="index")
app.command("count")(count_command)
app.command("evidence")(evidence_command)
app.command("score")(score_command)
app.add_typer(calibrate_app, name="calibrate")
app.add_typer(noise_app, name="noise")
_pass_through: dict[str, Any] = {"context_settings": PASS_THROUGH}
app.command("train", **_pass_through)(train_command)
app.command("zone", **_pass_through)(zone_command)
app.command("eval")(eval_command)
app.command("report")(report_command)
app.command("doctor")(doctor_command)
