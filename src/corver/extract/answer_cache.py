"""Answers of a model, kept on disk: what was asked once is not asked again.

In: keys and answers. Out: the answers kept. One SQLite file, safe under a kill and for several processes at a time; a
batch is kept whole or not at all. This module knows neither sentences nor triplets.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from corver.errors import InputError

__all__ = ["Answer", "AnswerCache"]

_FORMAT = 1
_PATIENCE = 60.0
"""Seconds to wait while another process writes."""
_AT_ONCE = 500
_OF_OTHERS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name != 'answers' AND name NOT LIKE 'sqlite%'"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. cut: it was stopped at its limit of tokens."""

    text: str
    cut: bool = False


class AnswerCache:
    """A file of answers by key. Raises InputError, in one line, when the file cannot serve."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._opened() as database:
            (known,) = database.execute("PRAGMA user_version").fetchone()
            if database.execute(_OF_OTHERS).fetchone():
                raise InputError(f"{path}: is a database of something else; name another file for the cache")
            if known not in (0, _FORMAT):
                raise InputError(f"{path}: this cache has format {known}, expected {_FORMAT}; name another file")
            database.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, text TEXT NOT NULL, cut INTEGER NOT NULL)"
            )
            database.execute(f"PRAGMA user_version = {_FORMAT}")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are there."""
        found: dict[bytes, Answer] = {}
        with self._opened() as database:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = database.execute(f"SELECT key, text, cut FROM answers WHERE key IN ({marks})", some)
                found |= {bytes(key): Answer(str(text), bool(cut)) for key, text, cut in rows}
        return found

    def put(self, answers: Mapping[bytes, Answer]) -> None:
        """Keep a batch of answers."""
        rows = [(key, _storable(answer.text), int(answer.cut)) for key, answer in answers.items()]
        with self._opened() as database:
            database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection and a transaction of its own: nothing is held between calls, so a fork can do no harm."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as database, database:
                yield database
        except sqlite3.Error as error:
            raise InputError(f"{self._path}: cannot serve as a cache of answers: {error}") from None


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
