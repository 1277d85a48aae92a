"""From a YAML file and words of a command line to a `RunConfig`.

In: a path, and `--key value` overrides with dotted keys. Out: a checked configuration whose relative paths are taken
from the file's own folder. Unknown keys, wrong types and contradictions are a ConfigError of one line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corver.config.faults import first_fault
from corver.config.run import RunConfig
from corver.config.yaml_text import parse_yaml, read_yaml
from corver.errors import ConfigError

__all__ = ["load_config", "parse_overrides"]


def load_config(
    path: Path,
    overrides: Sequence[str] = (),
    *,
    folder: Path | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> RunConfig:
    """Read a run's YAML file. Relative paths in it are taken from `folder`, the file's own if that is None.

    overrides: `--key value` or `--key=value` words with dotted keys, values in YAML notation; paths among them are
    taken from the working directory. defaults: of keys that neither the file nor an override gives. Raises ConfigError
    with one line that names the file and the key, or the key of the override.
    """
    raw = read_yaml(path)
    if raw is None:
        raise ConfigError(f"{path}: the file is empty; a run needs output, index, policy and data")
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: expected a mapping of settings, found {type(raw).__name__}")
    _anchor_paths(raw, path.resolve().parent if folder is None else folder)
    given = parse_overrides(overrides)
    for dotted, value in given.items():
        _set_dotted(raw, dotted, value)
    return _validate({**(defaults or {}), **raw}, path, given)


def parse_overrides(words: Sequence[str]) -> dict[str, Any]:
    """`--a.b value` and `--a.b=value` words as a mapping from dotted key to YAML value."""
    values: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        key, equals, text = word[2:].partition("=")
        if not word.startswith("--") or not key:
            raise ConfigError(f"expected --key value, found {word!r}")
        if not equals:
            if not rest:
                raise ConfigError(f"--{key} needs a value")
            text = rest.pop(0)
        try:
            values[key.replace("-", "_")] = parse_yaml(text)
        except ConfigError as error:
            raise ConfigError(f"--{key}: {text!r} {error}") from None
    return values


_PATHS = (
    ("output",),
    ("index",),
    ("reward", "aliases"),
    ("reward", "quco", "template"),
    ("reward", "quco", "cache"),
    ("reward", "quco", "endpoint", "api_key_file"),
    ("data", "questions"),
    ("data", "exclude"),
    ("data", "zone"),
    ("evaluation", "questions"),
    ("credit", "noise", "rates"),
    ("credit", "noise", "sentences"),
    ("credit", "appeals", "endpoint", "api_key_file"),
)


def _anchor_paths(raw: dict[str, Any], folder: Path) -> None:
    for *parents, leaf in _PATHS:
        node = _section(raw, parents)
        value = node.get(leaf) if isinstance(node, dict) else None
        if isinstance(node, dict) and isinstance(value, str):
            node[leaf] = _anchored(value, folder)
        elif isinstance(node, dict) and isinstance(value, list):
            node[leaf] = [_anchored(one, folder) if isinstance(one, str) else one for one in value]
    for section in (("policy",), ("reward", "spacy"), ("reward", "quco")):
        node = _section(raw, section)
        if isinstance(node, dict) and isinstance(node.get("model"), str) and node["model"].startswith((".", "~")):
            node["model"] = os.path.normpath(folder / _expanded(node["model"]))


def _section(raw: dict[str, Any], parents: Sequence[str]) -> Any:
    node: Any = raw
    for parent in parents:
        node = node.get(parent) if isinstance(node, dict) else None
    return node


def _anchored(path: str, folder: Path) -> str:
    return path if path.startswith("hf://") else os.path.normpath(folder / _expanded(path))


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigError(f"{path}: there is no such home folder") from None


def _set_dotted(raw: dict[str, Any], dotted: str, value: Any) -> None:
    *parents, leaf = dotted.split(".")
    node = raw
    for parent in parents:
        below = node.setdefault(parent, {})
        if not isinstance(below, dict):
            raise ConfigError(f"--{dotted}: {parent} is not a section")
        node = below
    node[leaf] = value


def _validate(raw: Mapping[str, Any], path: Path, given: Mapping[str, Any]) -> RunConfig:
    try:
        return RunConfig.model_validate(raw)
    except ValidationError as error:
        key, told = first_fault(error, RunConfig)
        # `--a.b` may be at fault in a.b, in a.b.c, and in a: where there is no such section.
        on_the_line = key and any(f"{key}.".startswith(f"{name}.") or name.startswith(f"{key}.") for name in given)
        where = f"--{key}" if on_the_line else f"{path}: {key or '(whole file)'}"
        raise ConfigError(f"{where}: {told}") from None
