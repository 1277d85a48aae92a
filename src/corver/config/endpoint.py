"""Settings of a model behind an address.

In: values. Out: a checked `EndpointConfig`. This module opens no connection and reads no key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from corver.config.base import ConfigModel, Positive

__all__ = ["EndpointConfig"]


class EndpointConfig(ConfigModel):
    """A model behind an address that speaks OpenAI's protocol (vLLM, SGLang, llama.cpp, a hosted service).

    base_url: usually ends in /v1. api_key_file: a file that holds the key; null sends none. The key itself stands in no
    configuration. timeout: seconds until an attempt is given up; retries: further attempts, with growing waits.
    concurrency: requests at a time. input_price, output_price: of a million tokens, for the sum of the costs; null when
    unknown. extra_body: further fields of every request, for what a server takes beyond the protocol.
    """

    base_url: str
    model: Annotated[str, Field(min_length=1)]
    api_key_file: Path | None = None
    timeout: Positive = 60.0
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    concurrency: Annotated[int, Field(gt=0, le=1000)] = 32
    input_price: Annotated[float, Field(ge=0)] | None = None
    output_price: Annotated[float, Field(ge=0)] | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            known = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
        except ValueError:
            known = None
        if not known:
            raise ValueError("expected an address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("the address must hold no user, password or query; a key belongs into api_key_file")
        return value.rstrip("/")
