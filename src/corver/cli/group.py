"""Where every failure of a command ends: one line on standard error and an exit code.

In: whatever a command raises. Out: `corver: error: …` and 1 or 2 for a user's fault, 130 after Ctrl-C, 141 when the
reader of standard output went away (as for any program in a pipe), and for a fault of corver itself its type, a
request to report it, and a traceback under `--debug` only. This module knows no command.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from corver.cli.output import ReaderGoneError, say
from corver.errors import CorverError

__all__ = ["CorverGroup"]

# Newer versions of typer carry their own copy of click, older ones use the real one; this is the usage error of either.
_UsageError: Any = typer.BadParameter.__bases__[0]

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_DEBUG = "--debug"
_ORDER = ("demo", "doctor", "index", "count", "evidence", "score", "calibrate", "noise", "train", "zone", "eval",
          "report")  # fmt: skip
_MACHINE = (errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE)
"""Faults of the surroundings that may carry no file name: a full disk, too many open files, a closed stream."""


class CorverGroup(TyperGroup):
    """The root command: parses, runs, and turns exceptions into lines and exit codes."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The order in which a newcomer needs them; typer would put groups last."""
        known = super().list_commands(ctx)
        return sorted(known, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run and exit. `standalone_mode` is accepted for typer's sake: this group always exits."""
        words, debug = _without_debug(sys.argv[1:] if args is None else args)
        try:
            code = super().main(
                args=words,
                prog_name=prog_name or "corver",
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                obj={_DEBUG: debug},
                **extra,
            )
            code = code if isinstance(code, int) else 0
        except SystemExit:  # typer's own way out when its help text meets a closed pipe
            code = _PIPE_CLOSED
        except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  the outermost frame: nobody else can word it
            code = _report(error, debug=debug)
        raise SystemExit(_flushed(code))

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command. Its failures are worded here, before typer takes some of them for its own."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, _UsageError):
            raise
        except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  as above
            raise typer.Exit(_report(error, debug=ctx.find_root().obj[_DEBUG])) from None


def _without_debug(args: Sequence[str]) -> tuple[list[str], bool]:
    """`--debug` may stand anywhere before `--`: nobody knows beforehand which command will fail."""
    words = list(args)
    end = words.index("--") if "--" in words else len(words)
    head = [word for word in words[:end] if word != _DEBUG]
    return head + words[end:], len(head) < end


def _report(error: BaseException, *, debug: bool) -> int:
    """Say what happened in one line; the exit code that belongs to it."""
    if debug and sys.stderr is not None:
        traceback.print_exception(error)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        say("interrupted")
        return _INTERRUPTED
    if isinstance(error, ReaderGoneError):
        return _PIPE_CLOSED
    if isinstance(error, _UsageError):
        return _usage(error)
    if isinstance(error, CorverError):
        say(f"error: {error}")
        return error.exit_code
    if isinstance(error, MemoryError):
        say(f"error: out of memory{f' ({error})' if str(error) else ''}; give the work less at a time")
        return 1
    if isinstance(error, OSError) and (error.filename is not None or error.errno in _MACHINE):
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        say(f"error: {where}{error.strerror}")
        return 1
    say(f"error: unexpected {type(error).__name__}: {error}; this is a bug, please report it (--debug shows where)")
    return 1


def _usage(error: Any) -> int:
    """Wrong use: the parser's own sentence, and where to read more."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "corver"
    say(f"error: {error.format_message().rstrip('.')} (see {command} --help)")
    return int(error.exit_code)


def _flushed(code: int) -> int:
    """Flush standard output while a failure can still be told; the interpreter's own flush at exit could only complain.

    A pipe whose reader has gone keeps its rest in the buffer, so the descriptor is pointed at nothing.
    """
    if sys.stdout is None:  # closed before corver began; whoever wrote to it has been told
        return code
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return code or _PIPE_CLOSED
    except OSError as error:
        say(f"error: standard output: {error.strerror}")
        _drop_stdout()
        return code or 1
    return code


def _drop_stdout() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
