"""A model behind an endpoint, as `corver eval` and `corver zone` ask for it on the command line.

In: the words of --endpoint, --api-key-file and --concurrency. Out: an EndpointConfig, or wrong use with a line that
names the option. This module asks no server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corver.cli.options import finite
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.config import EndpointConfig

__all__ = ["ConcurrencyOption", "KeyFileOption", "ServerOption", "TopPOption", "endpoint_config", "goes_with"]

ServerOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Ask a server of OpenAI's protocol instead.", show_default=False),
]
KeyFileOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File that holds the server's key.", show_default=False)
]
ConcurrencyOption = Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="Requests at a time.")]
TopPOption = Annotated[
    float, typer.Option(min=0.01, max=1.0, callback=finite, metavar="P", help="Nucleus to sample from.")
]


def goes_with(what: str, options: Mapping[str, bool]) -> None:
    """Raise UsageError for the first option that was given (True) and only goes with `what`."""
    for option, given in options.items():
        if given:
            raise UsageError(f"{option} goes with {what}")


def endpoint_config(
    url: str, *, model: str, api_key_file: Path | None, concurrency: int, extra_body: Mapping[str, Any] | None = None
) -> EndpointConfig:
    """The endpoint's settings. Raises UsageError for an address, or a model's name, that is none."""
    from pydantic import ValidationError

    from corver.config import EndpointConfig

    try:
        return EndpointConfig(
            base_url=url,
            model=model,
            api_key_file=api_key_file,
            concurrency=concurrency,
            extra_body=dict(extra_body or {}),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = f"--endpoint {url}" if first["loc"] == ("base_url",) else f"--endpoint {url}: {first['loc'][0]}"
        raise UsageError(f"{option}: {first['msg'].removeprefix('Value error, ')}") from None
