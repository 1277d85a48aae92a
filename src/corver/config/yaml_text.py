"""The one reader of YAML: the safe loader, and no key twice in a mapping.

In: text, or a file. Out: plain values, or a ConfigError of one line that says where. PyYAML itself keeps the last of
two values of a key and says nothing, so the first is lost. This module knows no settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from corver.errors import ConfigError

__all__ = ["parse_yaml", "read_yaml"]


def read_yaml(path: Path) -> Any:
    """The values of a YAML file in UTF-8. Raises ConfigError that names the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder, expected a YAML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    try:
        return parse_yaml(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_yaml(text: str) -> Any:
    """The values of a YAML text. Raises ConfigError for what is no YAML and for a key that is written twice."""
    try:
        return _parsed(yaml.SafeLoader(text))  # which refuses unprintable characters at once
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"is not valid YAML: {' '.join(str(error).split())}") from None


def _parsed(loader: yaml.SafeLoader) -> Any:
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_repeats(loader, node)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_repeats(loader: yaml.SafeLoader, root: yaml.Node) -> None:
    """Raise ConfigError for the first key that stands twice in one mapping.

    `<<` takes keys over from elsewhere, and those may be written anew; that is no repeat.
    """
    seen: set[int] = set()
    waiting: list[tuple[yaml.Node, tuple[str, ...]]] = [(root, ())]
    while waiting:
        node, parents = waiting.pop()
        if id(node) in seen:  # an alias names it once more
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += [(item, parents) for item in reversed(node.value)]
        elif isinstance(node, yaml.MappingNode):
            waiting += reversed(_values(loader, node, parents))


def _values(
    loader: yaml.SafeLoader, mapping: yaml.MappingNode, parents: tuple[str, ...]
) -> list[tuple[yaml.Node, tuple[str, ...]]]:
    """The values of a mapping, each with the keys that lead to it."""
    lines: dict[Any, int] = {}
    found: list[tuple[yaml.Node, tuple[str, ...]]] = []
    for key, value in mapping.value:
        if not isinstance(key, yaml.ScalarNode):
            found.append((value, parents))
            continue
        # `1` and `0x1` are one key, `1` and `"1"` are two.
        meant = key.value if key.tag in _SPECIAL else loader.construct_object(key)
        path, line = (*parents, key.value), key.start_mark.line + 1
        if meant in lines:
            raise ConfigError(f"line {line}: {'.'.join(path)} is written twice (first in line {lines[meant]})")
        lines[meant] = line
        found.append((value, path))
    return found


_SPECIAL = ("tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")
"""Keys `<<` and `=`, which have no value of their own."""
