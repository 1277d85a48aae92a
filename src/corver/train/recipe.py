"""Recipes: those that ship with corver, by name, and any YAML file, by path.

In: what stands in the place of CONFIG on a command line. Out: a RunConfig. A recipe that ships says everything but what
differs from user to user: the index, the output and the evaluation; its paths are taken from the working directory.
This module loads no training library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from corver.config import RunConfig, load_config
from corver.errors import ConfigError

__all__ = ["load_recipe", "recipe_names"]


def recipe_names() -> list[str]:
    """Names of the recipes that ship with corver, in order."""
    files = (resources.files("corver.train") / "recipes").iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml"))


def load_recipe(recipe: Path, overrides: Sequence[str] = (), *, defaults: Mapping[str, Any] | None = None) -> RunConfig:
    """The configuration of a YAML file, or of a recipe that ships with corver where there is no such file.

    overrides, defaults: as in `load_config`. Raises ConfigError that names the recipes where neither is there.
    """
    if recipe.exists() or recipe.suffix in (".yaml", ".yml") or recipe.parent != Path():
        return load_config(recipe, overrides, defaults=defaults)
    name = str(recipe).lower()
    if name not in recipe_names():
        raise ConfigError(
            f"{recipe}: no such configuration file, and no recipe of that name ({', '.join(recipe_names())})"
        )
    with resources.as_file(resources.files("corver.train") / "recipes" / f"{name}.yaml") as path:
        return load_config(path, overrides, folder=Path.cwd(), defaults=defaults)
