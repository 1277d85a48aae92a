"""A run folder on disk: what lies where, written so that a kill at any moment loses at most the line in progress.

In: a folder path. Out: paths, locked ownership, JSONL rows and whole files written by rename. This module knows the
layout, not the meaning of what is in it. Layout:

    config.yaml  state.json  metrics.jsonl  summary.json  README.md  report.html
    adapter/  checkpoints/  evaluation/raw.jsonl  evaluation/trained.jsonl  samples.jsonl
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corver.errors import InputError, TrainingError

__all__ = ["RunFolder", "append_jsonl", "claim_file", "key_file", "read_document", "read_jsonl", "write_text"]


class RunFolder:
    """Paths of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.state = path / "state.json"
        self.metrics = path / "metrics.jsonl"
        self.summary = path / "summary.json"
        self.card = path / "README.md"
        self.report = path / "report.html"
        self.adapter = path / "adapter"
        self.checkpoints = path / "checkpoints"
        self.samples = path / "samples.jsonl"

    def evaluation(self, name: str) -> Path:
        """Answers of the `raw` or the `trained` model."""
        return self.path / "evaluation" / f"{name}.jsonl"

    def create(self) -> None:
        """Make the folder. Raises TrainingError where it cannot be written."""
        try:
            (self.path / "evaluation").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{self.path}: cannot make the run folder: {error.strerror}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Own the folder: a second run in it is refused while this one lives; the lock dies with the process."""
        import fcntl

        try:
            handle = os.open(self.path / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise TrainingError(f"{self.path}: cannot write in the run folder: {error.strerror}") from None
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TrainingError(f"{self.path}: another run is at work in this folder") from None
            yield
        finally:
            os.close(handle)


def append_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows, one JSON object a line, flushed to disk; NaN and infinities become null."""
    # Escaped to ASCII: a completion may hold lone surrogates and every kind of line separator.
    text = "".join(json.dumps(_finite(row)) + "\n" for row in rows)
    with path.open("a", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def read_jsonl(path: Path, *, mend: bool = True) -> list[dict[str, Any]]:
    """Rows of a JSONL file; [] if it is not there.

    A last line without its newline that is no whole object was cut off by a kill and is left out. mend: make the file
    end with the last whole row, so that rows can be appended. Any other line that is not a JSON object raises
    InputError.
    """
    if not path.exists():
        return []
    raw = path.read_bytes()
    whole, newline, last = raw.rpartition(b"\n")
    if _is_object(last):
        whole, newline = raw, b"\n"
    if last and mend:
        write_bytes(path, whole + newline)
    rows = []
    for number, line in enumerate(whole.split(b"\n") if whole else [], start=1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}: is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}: expected a JSON object")
        rows.append(row)
    return rows


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def read_document(path: Path, *, kind: str, version: int, maker: str) -> dict[str, Any]:
    """A JSON file that says what it is: an object with `format` and `version`.

    maker: what writes such files, for the message. Raises InputError when it cannot be read, or is something else.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: holds no {kind} (not JSON); {maker} writes such files") from None
    if not isinstance(row, dict) or row.get("format") != kind:
        raise InputError(f"{path}: holds no {kind}; {maker} writes such files")
    if row.get("version") != version:
        raise InputError(f"{path}: holds a {kind} of version {row.get('version')}, this corver reads version {version}")
    return row


def claim_file(output: Path, key: Mapping[str, Any]) -> None:
    """Make sure that `output`, a file that several sittings append to, depends on `key` in all of them.

    key: what JSON can hold, kept beside `output`. Raises InputError when rows are there that were made with another
    key, or with none that is known.
    """
    if output.is_dir():
        raise InputError(f"{output}: is a folder; name a file")
    beside = key_file(output)
    if output.exists():
        known = _known_key(beside, output)
        changed = sorted(name for name in {*known, *key} if known.get(name) != key.get(name))
        if changed:
            raise InputError(f"{output}: was made with another {', '.join(changed)}; remove it to start anew")
    write_text(beside, json.dumps(dict(key), indent=2) + "\n")


def key_file(output: Path) -> Path:
    """Where the key of `output` is kept."""
    return output.with_suffix(".key.json")


def _known_key(beside: Path, output: Path) -> dict[str, Any]:
    try:
        known = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = None
    if not isinstance(known, dict):
        raise InputError(
            f"{output}: does not say what it was made with ({beside.name}); name another file, or remove it"
        )
    return known


def write_text(path: Path, text: str) -> None:
    """Write a whole file under another name, then rename it."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file under another name, then rename it."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
