"""Other names of the same thing, for queries that should find it under any of them.

In: a file of names with their aliases. Out: for the words of a subject or object, clauses in which each word may be
replaced by an alias that stands as a phrase: (united or "usa") and (states or "usa"). A name without aliases gives its
words, as the paper has it. This module knows neither pairs nor counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from corver.errors import InputError
from corver.reward.content import is_pronoun
from corver.text.stopwords import ARTICLES, STOPWORDS
from corver.text.words import words
from corver.types import AnyOf, Clause, Phrase

__all__ = ["Aliases"]

_MOST = 64
"""Aliases of one name; more would make a query slow and say little."""


class Aliases:
    """Names and their aliases, compared by folded words without a leading article.

    An alias stands for its name too, and hence for the name's other aliases, unless it is one of several names: who
    "Washington" is, the table cannot tell. An alias that is a letter or a small word once folded ("U.S." is "us") would
    be found everywhere, and is left out of queries.
    """

    def __init__(self, table: Mapping[str, Iterable[str]]) -> None:
        own: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
        for name, others in table.items():
            names = [key for key in (_key(one) for one in (name, *others)) if key]
            if not _key(name) or len(names) < 2:
                continue
            own.setdefault(names[0], {}).update(dict.fromkeys(names))
        meant: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for key, group in own.items():
            for one in group:
                meant.setdefault(one, []).append(key)
        self._groups = {
            one: tuple(own[one] if one in own else own[keys[0]])
            for one, keys in meant.items()
            if one in own or len(keys) == 1
        }

    @classmethod
    def load(cls, path: Path) -> Aliases:
        """Read JSON Lines of {"name": …, "aliases": […]}, or lines of name and aliases parted by tabs.

        Raises InputError that names file and line.
        """
        table: dict[str, list[str]] = {}
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise InputError(f"{path}: cannot read the aliases: {reason}") from None
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                name, others = _row(line, f"{path}:{number}")
                if len(others) > _MOST:
                    raise InputError(f"{path}:{number}: {len(others)} aliases of {name!r}; {_MOST} are the most")
                table.setdefault(name, []).extend(others)
        if not table:
            raise InputError(f"{path}: holds no name")
        return cls(table)

    def clauses(self, name: str, content: Sequence[str]) -> tuple[Clause, ...]:
        """The clauses for a subject or object, `content` being its content words."""
        group = self._groups.get(_key(name), ())
        others = [one for one in group if one != _key(name) and not set(content) <= set(one) and not _is_small(one)]
        if not others:
            return tuple(content)
        phrases = [alias[0] if len(alias) == 1 else Phrase(alias) for alias in others]
        return tuple(AnyOf((word, *(phrase for phrase in phrases if phrase != word))) for word in content)

    def fingerprint(self) -> str:
        """16 hex digits over all groups."""
        rows = sorted((one, sorted(group)) for one, group in self._groups.items())
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def __len__(self) -> int:
        return len(self._groups)


def _key(name: str) -> tuple[str, ...]:
    spelled = tuple(words(name))
    return spelled[1:] if len(spelled) > 1 and spelled[0] in ARTICLES else spelled


def _is_small(alias: tuple[str, ...]) -> bool:
    if len(alias) > 1:
        return all(word in STOPWORDS for word in alias)
    return alias[0] in STOPWORDS or is_pronoun(alias[0]) or (len(alias[0]) == 1 and alias[0].isalpha())


def _row(line: str, where: str) -> tuple[str, list[str]]:
    if not line.lstrip().startswith("{"):
        name, *others = (part.strip() for part in line.split("\t"))
        if not others:
            raise InputError(f"{where}: expected a name and its aliases, parted by tabs, or a JSON object")
        return name, [other for other in others if other]
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not valid JSON: {error}") from None
    name, others = row.get("name"), row.get("aliases")
    if not isinstance(name, str) or not _all_strings(others):
        raise InputError(f'{where}: expected {{"name": "…", "aliases": ["…"]}}')
    return name, list(others)


def _all_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
