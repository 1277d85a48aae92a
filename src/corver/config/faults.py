"""What is wrong with settings, in one line that names the key.

In: what pydantic says of a mapping, and the model that it should have fitted. Out: the dotted key of the first fault
and what to say of it; an unknown key is told what it may have meant. This module knows no file.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

__all__ = ["first_fault"]

_NEAR = 0.6
"""How alike a name of the same section must be, as difflib counts; a name of another one, nearly the same."""
_NEAR_ELSEWHERE = 0.8
_SUGGESTED = 3


def first_fault(error: ValidationError, model: type[BaseModel]) -> tuple[str, str]:
    """The dotted key of the first fault, "" for the whole, and the rest of the line."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    told = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        meant = _meant(key, list(_settings(model)))
        told = "no such setting" + (f"; did you mean {' or '.join(meant)}?" if meant else "")
    if not key:  # a check across sections says itself which setting to change
        name, colon, rest = told.partition(": ")
        key, told = (name, rest) if colon and name in _settings(model) else (key, told)
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return key, told + more


def _meant(key: str, known: list[str]) -> list[str]:
    """Settings that have this name in another section, or one like it in the same; most likely first."""
    section, _, leaf = key.rpartition(".")
    by_leaf: dict[str, list[str]] = {}
    for name in known:
        by_leaf.setdefault(name.rpartition(".")[2], []).append(name)
    if leaf in by_leaf:
        return by_leaf[leaf][:_SUGGESTED]
    beside = [name for name in known if name.rpartition(".")[0] == section]
    leaves = [name.rpartition(".")[2] for name in beside]
    if near := get_close_matches(leaf, leaves, n=1, cutoff=_NEAR):
        return [beside[leaves.index(near[0])]]
    elsewhere = get_close_matches(leaf, by_leaf, n=1, cutoff=_NEAR_ELSEWHERE)
    return [name for near_leaf in elsewhere for name in by_leaf[near_leaf]][:_SUGGESTED]


def _settings(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Dotted names of all settings and sections of a model."""
    for name, field in model.model_fields.items():
        yield prefix + name
        for section in _models(field.annotation):
            yield from _settings(section, f"{prefix}{name}.")


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
