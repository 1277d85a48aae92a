"""Read a run folder as it is: finished, still being written, or damaged.

In: a RunFolder. Out: settings, summary and rows with their byte offsets, plus notes on what could not be read. Nothing
is written: unlike `corver.runs.read_jsonl`, which mends a torn file, this may look at a run that is at work. This
module knows the files, not what the numbers mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corver.config import parse_yaml
from corver.errors import ConfigError, InputError
from corver.report.values import integer, printable
from corver.runs import RunFolder

__all__ = ["RunFiles", "located_rows", "row_at"]

CONFIG_LIMIT = 1_000_000
CONFIG_SHOWN = 20_000


@dataclass(slots=True)
class RunFiles:
    """The small files of a run.

    name: of the folder. config, summary: {} when missing or unreadable. config_text: the YAML as it stands, cut after
    20,000 characters. metrics: one row a step in order of steps (of a step written twice, as after a resume, the last).
    notes: one line for each thing that could not be read.
    """

    name: str
    config: dict[str, Any] = field(default_factory=dict)
    config_text: str = ""
    summary: dict[str, Any] = field(default_factory=dict)
    metrics: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, folder: RunFolder) -> RunFiles:
        """Raises InputError when the folder is not there or holds no file of a run."""
        known = (folder.config, folder.summary, folder.metrics, folder.samples, folder.evaluation("raw"))
        if not any(path.is_file() for path in known):
            raise InputError(f"{folder.path}: is not a run folder: no config.yaml, metrics.jsonl or summary.json in it")
        files = cls(name=printable(folder.path.resolve().name) or "run")
        files._read_config(folder.config)
        files._read_summary(folder.summary)
        by_step: dict[int, dict[str, Any]] = {}
        for _, row in located_rows(folder.metrics, files.notes):
            step = integer(row.get("step"))
            if step is not None:
                by_step[step] = row
        files.metrics = [by_step[step] for step in sorted(by_step)]
        return files

    @property
    def finished(self) -> bool:
        """True when the run has written its summary, its last act."""
        return bool(self.summary)

    @property
    def evaluated(self) -> bool:
        """True when the raw and the trained model have both been evaluated."""
        return all(isinstance(self.summary.get(side), dict) for side in ("raw", "trained"))

    def _read_config(self, path: Path) -> None:
        if not path.is_file():
            self.notes.append(f"{path.name} is not there: settings are unknown")
            return
        with path.open("rb") as file:
            raw = file.read(CONFIG_LIMIT)
        text = raw.decode("utf-8", errors="replace")
        self.config_text = printable(text[:CONFIG_SHOWN])
        if len(text) > CONFIG_SHOWN:
            self.config_text += "\n… (cut here)"
        try:
            loaded = parse_yaml(text)
        except ConfigError:
            loaded = None
        if isinstance(loaded, dict):
            self.config = loaded
        else:
            self.notes.append(f"{path.name} is not a YAML mapping: settings are unknown")

    def _read_summary(self, path: Path) -> None:
        if not path.is_file():
            return
        try:
            loaded = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            loaded = None
        if isinstance(loaded, dict):
            self.summary = loaded
        else:
            self.notes.append(f"{path.name} is not a JSON object: results are unknown")


def located_rows(path: Path, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(byte offset, row) of each JSON object of a JSONL file; nothing when the file is not there.

    A last line without its newline is still being written and is left out; other broken lines are counted in `notes`.
    """
    if not path.is_file():
        return
    broken = offset = 0
    with path.open("rb") as file:
        for line in file:
            row = _decode(line) if line.endswith(b"\n") else None
            if row is not None:
                yield offset, row
            elif line.endswith(b"\n") and line.strip():
                broken += 1
            offset += len(line)
    if broken:
        notes.append(f"{path.name}: {broken:,} {'line is' if broken == 1 else 'lines are'} not JSON and left out")


def row_at(path: Path, offset: int) -> dict[str, Any]:
    """The row whose offset `located_rows` gave."""
    with path.open("rb") as file:
        file.seek(offset)
        return _decode(file.readline()) or {}


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
