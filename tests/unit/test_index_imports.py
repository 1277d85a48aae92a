"""What importing the index room loads, and what opening an index costs."""

from __future__ import annotations

import subprocess
import sys


def loaded(code: str) -> set[str]:
    """Top-level modules that a fresh process has after some code."""
    script = f"import sys\n{code}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_the_room_loads_no_compiler() -> None:
    names = loaded("import corver.index, corver.text.words, corver.text.stopwords")
    assert "corver" in names
    assert not names & {"numba", "llvmlite", "torch", "pyarrow"}


def test_the_handle_and_the_builder_can_be_named_without_a_compiler() -> None:
    assert "numba" not in loaded("from corver.index import Index, VerifyReport, verify_index")
