"""The command line: `corver COMMAND …`.

In: arguments, files, standard input. Out: results on standard output, everything else on standard error, and an exit
code (0 good, 1 the work failed, 2 wrong use). Commands translate between a person and the library; none of them
knows how anything is counted, scored or trained, and each loads what it needs only when it runs.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line on the arguments of this process and exit."""
    from corver.cli.app import app

    app(prog_name="corver")
