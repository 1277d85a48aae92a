"""`corver doctor`: what of this machine is fit, and what to do about the rest."""

from __future__ import annotations

import typer

from corver.cli.bars import shown_progress
from corver.cli.options import JsonFlag
from corver.cli.output import emit, emit_json, say

__all__ = ["doctor_command"]

_MARKS = {"ok": "ok", "note": "--", "warning": "!!", "failed": "FAILED"}


def doctor_command(json: JsonFlag = False) -> None:
    """Check this machine: libraries, cores, memory, accelerator, and a tiny run through everything.

    Takes some seconds. Exit code 1 when something required is broken.

    \b
    Examples:
      corver doctor
      corver doctor --json > doctor.json
    """
    from corver.doctor import examine

    with shown_progress() as progress:
        checks = examine(progress=progress)
    failed = [check.name for check in checks if check.verdict == "failed"]
    if json:
        emit_json({"ok": not failed, "checks": [check.to_json() for check in checks]}, indent=2)
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            emit(f"{_MARKS[check.verdict]:<6}  {check.name:<{width}}  {check.detail}")
            if check.cure:
                emit(f"{'':<6}  {'':<{width}}  -> {check.cure}")
    if failed:
        say(f"error: broken: {', '.join(failed)}")
        raise typer.Exit(1)
