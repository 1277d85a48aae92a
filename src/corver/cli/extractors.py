"""Options that choose what finds the pairs of a sentence, and the settings that they amount to.

In: words of the command line. Out: a RewardConfig, or wrong use with a line that names the option. This module knows no
command and loads no model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from corver.config import RewardConfig

__all__ = [
    "AliasesOption",
    "CacheOption",
    "DeviceOption",
    "EndpointOption",
    "Extraction",
    "ExtractorName",
    "ExtractorOption",
    "KeyOption",
    "ModelOption",
    "PronounsOption",
    "QuestionOption",
    "TemplateOption",
    "reward_config",
]

ExtractorName: TypeAlias = Literal["rules", "spacy", "quco"]

ExtractorOption = Annotated[ExtractorName, typer.Option(help="What finds the pairs in a sentence.")]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Of spacy: the pipeline. Of quco: a folder or hub id, or the model's name behind --endpoint.",
        show_default=False,
    ),
]
EndpointOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Of quco: a server of OpenAI's protocol that serves the model.", show_default=False
    ),
]
KeyOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Holds the key of --endpoint.", show_default=False)
]
TemplateOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Of quco: a prompt with one {} for the sentence.", show_default=False),
]
CacheOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Of quco: keeps the model's answers.", show_default=False)
]
DeviceOption = Annotated[
    Literal["auto", "cpu", "cuda", "mps"] | None,
    typer.Option(help="Of quco: where the model runs.", show_default="auto"),
]
PronounsOption = Annotated[
    bool,
    typer.Option("--pronouns/--no-pronouns", help="Put the last fitting subject in a pronoun's place, or leave it."),
]
QuestionOption = Annotated[
    bool,
    typer.Option(
        "--question-subject/--no-question-subject", help="Let a bare answer borrow the subject of its question."
    ),
]
AliasesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Names and their aliases, any of which may stand in a name's place.", show_default=False
    ),
]


@dataclass(frozen=True, slots=True)
class Extraction:
    """The options above, as they were given."""

    extractor: ExtractorName
    model: str | None
    endpoint: str | None
    api_key_file: Path | None
    template: Path | None
    cache: Path | None
    device: str | None
    pronouns: bool
    question_subject: bool
    aliases: Path | None


_OPTION_OF: Mapping[int | str, str] = {"base_url": "--endpoint", "model": "--model", "neutral": "--neutral"}
"""The options whose words the settings judge, by the names of their fields."""

_OF_QUCO = ("endpoint", "api_key_file", "template", "cache", "device")


def reward_config(given: Extraction, **others: Any) -> RewardConfig:
    """The settings of extraction and of counting. others: further fields of RewardConfig.

    Raises typer.BadParameter for options that do not go together.
    """
    from pydantic import ValidationError

    from corver.config import RewardConfig

    for name in _OF_QUCO:
        if getattr(given, name) is not None and given.extractor != "quco":
            raise typer.BadParameter("only the extractor quco has it", param_hint=f"--{name.replace('_', '-')}")
    if given.model is not None and given.extractor == "rules":
        raise typer.BadParameter("the extractor rules has no model", param_hint="--model")
    if given.api_key_file is not None and given.endpoint is None:
        raise typer.BadParameter("is the key of --endpoint, which is missing", param_hint="--api-key-file")
    if given.device is not None and given.endpoint is not None:
        raise typer.BadParameter("the server behind --endpoint decides that", param_hint="--device")
    values = {
        "extractor": given.extractor,
        "resolve_pronouns": given.pronouns,
        "question_subject": given.question_subject,
        "aliases": given.aliases,
        **_model_settings(given),
        **others,
    }
    try:
        return RewardConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        hint = next((_OPTION_OF[name] for name in reversed(first["loc"]) if name in _OPTION_OF), None)
        raise typer.BadParameter(first["msg"].removeprefix("Value error, "), param_hint=hint) from None


def _model_settings(given: Extraction) -> Mapping[str, Any]:
    if given.extractor == "spacy":
        return {"spacy": {} if given.model is None else {"model": given.model}}
    if given.extractor == "rules":
        return {}
    settings: dict[str, Any] = {"template": given.template, "cache": given.cache}
    if given.device is not None:
        settings["device"] = given.device
    if given.model is not None:
        settings["model"] = given.model
    if given.endpoint is not None:
        from corver.config import QucoConfig

        name = given.model or QucoConfig().model
        settings["endpoint"] = {"base_url": given.endpoint, "model": name, "api_key_file": given.api_key_file}
    return {"quco": settings}
