"""The command line as a process: start-up, streams, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import corver

SOURCE = str(Path(corver.__file__).parents[1])
HEAVY = ("torch", "transformers", "numba", "pyarrow", "numpy")
COMMANDS = (
    (),
    ("demo",),
    ("doctor",),
    ("index",),
    ("index", "build"),
    ("index", "add"),
    ("index", "merge"),
    ("index", "info"),
    ("index", "verify"),
    ("index", "count"),
    ("count",),
    ("evidence",),
    ("score",),
    ("train",),
    ("zone",),
    ("report",),
)


def environment(**changes: str) -> dict[str, str]:
    path = os.pathsep.join(part for part in (SOURCE, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, "PYTHONPATH": path, **changes}


def python(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], env=environment(**changes), capture_output=True, text=True, timeout=120, check=False
    )


def cli(*words: str, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "corver.cli", *words],
        env=environment(),
        input=stdin,
        capture_output=True,
        timeout=120,
        cwd=cwd,
        check=False,
    )


def loaded_by(code: str) -> list[str]:
    """Which heavy libraries a piece of code loads."""
    done = python("-c", f"{code}\nimport sys, json\nprint(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


def test_importing_corver_loads_nothing_heavy() -> None:
    assert loaded_by("import corver") == []
    assert loaded_by("import corver; corver.Span(0, 3); corver.Count(1, False, 'a')") == []


def test_importing_corver_takes_less_than_0_3_s() -> None:
    """Best of several whole processes, since other programs may hold the cores."""
    best = float("inf")
    for _ in range(8):
        began = time.perf_counter()
        assert python("-c", "import corver").returncode == 0
        best = min(best, time.perf_counter() - began)
        if best < 0.3:
            return
    pytest.fail(f"python -c 'import corver' took {best:.2f} s at best")


@pytest.mark.parametrize("words", [command for command in COMMANDS if command != ("index",)], ids=" ".join)
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    arguments = [*words, "--help"]
    code = "from corver.cli.app import app\n"
    code += f"try:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code"
    assert loaded_by(code) == []


def test_help_is_fast() -> None:
    best = float("inf")
    for _ in range(8):
        began = time.perf_counter()
        assert cli("--help").returncode == 0
        best = min(best, time.perf_counter() - began)
        if best < 0.6:
            return
    pytest.fail(f"corver --help took {best:.2f} s at best")


def test_version_and_help_are_results() -> None:
    assert cli("--version").stdout.decode() == f"corver {corver.__version__}\n"
    done = cli("count", "--help")
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"Examples:" in done.stdout


def test_errors_stay_out_of_the_results() -> None:
    done = cli("train", "no-such.yaml")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"corver: error: no-such.yaml: no such configuration file\n"


def test_json_is_utf8_in_any_locale() -> None:
    code = "from corver.cli.output import emit_json; emit_json({'anchor': '\\u0142\\u00f3d\\u017a'})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="latin-1"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8")) == {"anchor": "łódź"}


def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "corver.cli", "--version"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"corver: error: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("words", "redirections", "line"),
    [
        ("--version", ">&-", "corver: error: standard output: Bad file descriptor"),
        ("score --index x", "<&-", "corver: error: standard input: is closed; name a file"),
    ],
)
def test_closed_and_strange_streams_are_one_line(words: str, redirections: str, line: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -m corver.cli {words} {redirections}"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1
    assert "report it" not in done.stderr


def test_without_standard_error_an_error_does_not_end_up_among_the_results() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -m corver.cli --debug count /no/index a b 2>&-"],
        env=environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_reader_that_went_away_is_no_fault() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "corver.cli", "--help"],
            env=environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write)
    assert done.returncode == 141
    assert done.stderr == b""


WAITING = """
import sys, typer
from corver.cli.group import CorverGroup
app = typer.Typer(cls=CorverGroup)
@app.callback()
def root() -> None: ...
@app.command()
def wait() -> None:
    import time
    print("ready", flush=True)
    time.sleep(60)
app(["wait"])
"""


def test_ctrl_c_is_one_line_and_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that started the tests in the background has told all of them to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr == b"corver: interrupted\n"
