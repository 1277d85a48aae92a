"""Chat completions from any server that speaks OpenAI's protocol: vLLM, SGLang, llama.cpp, or a hosted model.

In: an `EndpointConfig` and conversations (lists of {"role", "content"}). Out: for each, its replies, or why there is
none, in the order of the conversations; one that fails spoils no other. Requests run side by side; the `openai` library
sends them, waits and tries again. The key is read from its file and stands in no message. This module knows neither
what is asked nor what replies mean.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from corver.config import EndpointConfig
from corver.errors import ConfigError, DependencyError, EndpointError

__all__ = ["ChatEndpoint", "FailureReason", "Message", "Reply", "ReplyFailure", "Usage"]

Message: TypeAlias = Mapping[str, str]
FailureReason: TypeAlias = Literal["timeout", "connection", "rate_limit", "status", "malformed", "empty"]
_Result = TypeVar("_Result")

_DRIP = 2
"""A reply that comes in drops, so that no single wait is too long, is cut off after so many timeouts."""
_DETAIL = 300
_UNMADE = frozenset({404, 405, 501})
"""Statuses of a server that has no list of its models."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. finish: why it ended ("stop", "length" …), None when the server does not say.

    input_tokens, output_tokens: as the server counted them, None where it does not tell; with several samples in one
    request it tells only their sum, which stands in `ChatEndpoint.usage`.
    """

    text: str
    finish: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ReplyFailure:
    """Why there is no answer. detail: one line."""

    reason: FailureReason
    detail: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked so far. unmetered: answered requests whose tokens the server did not tell; they are in no sum.

    cost: in the currency of the prices, None when a price is not known.
    """

    requests: int = 0
    failures: int = 0
    unmetered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def __str__(self) -> str:
        """One line for people."""
        parts = [f"{self.requests:,} requests", f"{self.input_tokens:,} tokens read, {self.output_tokens:,} written"]
        parts += [f"{self.failures:,} failed"] if self.failures else []
        parts += [f"tokens of {self.unmetered:,} not told"] if self.unmetered else []
        parts += [f"cost {self.cost:,.4f}"] if self.cost is not None else []
        return ", ".join(parts)


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Tokens(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """What is read of a server's answer; everything else in it is ignored."""

    choices: list[_Choice]
    usage: _Tokens | None = None


@dataclass(frozen=True, slots=True)
class _Sampling:
    max_tokens: int
    temperature: float
    top_p: float
    seed: int | None
    stop: tuple[str, ...]


class ChatEndpoint:
    """A client of one model on one server. Safe to use from several threads, and inside a running event loop.

    Raises DependencyError without the `openai` library, ConfigError when the key cannot be read.
    """

    def __init__(self, config: EndpointConfig) -> None:
        try:
            self._openai: Any = import_module("openai")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "openai":
                raise
            raise DependencyError("an endpoint needs the openai library: pip install 'corver[endpoint]'") from error
        self.config = config
        self._key = _read_key(config)
        self._limit_name = "max_tokens"
        self._lock = threading.Lock()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """Totals since this object was made."""
        used, config = self._usage, self.config
        if config.input_price is None or config.output_price is None:
            return used
        cost = (used.input_tokens * config.input_price + used.output_tokens * config.output_price) / 1e6
        return Usage(used.requests, used.failures, used.unmetered, used.input_tokens, used.output_tokens, cost)

    def complete(
        self,
        conversations: Sequence[Sequence[Message]],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        samples: int = 1,
        seed: int | None = None,
        stop: Sequence[str] = (),
    ) -> list[list[Reply | ReplyFailure]]:
        """`samples` replies a conversation, in order, greedy unless a temperature is given.

        A server that ignores how many are wanted is asked again for the rest, with the seed moved on by those it has
        given.
        """
        if samples < 1 or max_tokens < 1:
            raise ValueError(f"samples and max_tokens must be 1 or more, not {samples} and {max_tokens}")
        sampling = _Sampling(max_tokens, temperature, top_p, seed, tuple(stop))
        return _wait_for(self._complete_all(conversations, samples, sampling))

    def check(self) -> None:
        """Make sure that the server answers and serves the model. Raises EndpointError in one line when it does not."""
        served = _wait_for(self._served())
        if served is not None and self.config.model not in served:
            names = ", ".join(served[:5]) + (" …" if len(served) > 5 else "") if served else "none"
            raise EndpointError(f"{self.config.base_url}: serves no model {self.config.model!r}, but {names}")

    async def _complete_all(
        self, conversations: Sequence[Sequence[Message]], samples: int, sampling: _Sampling
    ) -> list[list[Reply | ReplyFailure]]:
        slots = asyncio.Semaphore(self.config.concurrency)
        async with self._client() as client, asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    self._sample(client, slots, [_plain(message) for message in messages], samples, sampling)
                )
                for messages in conversations
            ]
        return [task.result() for task in tasks]

    async def _sample(
        self, client: Any, slots: asyncio.Semaphore, messages: list[dict[str, str]], samples: int, sampling: _Sampling
    ) -> list[Reply | ReplyFailure]:
        replies: list[Reply | ReplyFailure] = []
        async with slots:
            while len(replies) < samples:
                missing = samples - len(replies)
                try:
                    replies += (await self._request(client, messages, missing, len(replies), sampling))[:missing]
                except _FailedError as error:
                    replies += [error.failure] * missing
        return replies

    async def _request(
        self, client: Any, messages: list[dict[str, str]], number: int, offset: int, sampling: _Sampling
    ) -> list[Reply]:
        """The replies of one request, at least one. Raises _FailedError."""
        options: dict[str, Any] = {
            "model": self.config.model,
            "messages": messages,
            "temperature": sampling.temperature,
        }
        if sampling.top_p != 1.0:
            options["top_p"] = sampling.top_p
        if number > 1:
            options["n"] = number
        if sampling.seed is not None:
            options["seed"] = sampling.seed + offset
        if sampling.stop:
            options["stop"] = list(sampling.stop)
        try:
            body = await self._send(client, options, sampling.max_tokens)
            found = _read(body)
        except _FailedError:
            self._count(failures=1)
            raise
        inputs, outputs = (found.usage.prompt_tokens, found.usage.completion_tokens) if found.usage else (None, None)
        self._count(inputs, outputs)
        outputs = outputs if len(found.choices) == 1 else None
        return [Reply(_text(choice.message), choice.finish_reason, inputs, outputs) for choice in found.choices]

    async def _send(self, client: Any, options: dict[str, Any], limit: int) -> bytes:
        """The body of the server's answer. Newer models of some services know the limit by another name only."""
        create = client.chat.completions.with_raw_response.create
        extra = self.config.extra_body
        name = self._limit_name
        try:
            raw = await create(**options, **{name: limit}, extra_body=extra)
        except self._openai.BadRequestError as error:
            if name != "max_tokens" or "max_completion_tokens" not in str(error):
                raise self._failed(error) from None
            self._limit_name = "max_completion_tokens"
            return await self._send(client, options, limit)
        except (self._openai.OpenAIError, ValueError) as error:
            raise self._failed(error) from None
        return bytes(raw.content)

    async def _served(self) -> list[str] | None:
        """The names of the server's models, None when it answers without telling them."""
        async with self._client() as client:
            try:
                raw = await client.models.with_raw_response.list()
            except (self._openai.OpenAIError, ValueError) as error:
                failure = self._failed(error).failure
                if getattr(error, "status_code", None) not in _UNMADE:
                    raise EndpointError(self._in_words(failure)) from None
            else:
                return _model_names(bytes(raw.content))
        ask = [{"role": "user", "content": "Hello"}]
        ((reply,),) = await self._complete_all([ask], 1, _Sampling(1, 0.0, 1.0, None, ()))
        if isinstance(reply, ReplyFailure):
            raise EndpointError(self._in_words(reply))
        return None

    def _in_words(self, failure: ReplyFailure) -> str:
        hint = ""
        if "/v1" not in self.config.base_url and failure.detail.startswith("404"):
            hint = "; such addresses usually end in /v1"
        return f"{self.config.base_url}: no answer from model {self.config.model!r}: {failure.detail}{hint}"

    def _failed(self, error: Exception) -> _FailedError:
        """What went wrong, in one line in which the key does not stand."""
        openai = self._openai
        reason: FailureReason = "malformed"
        detail = " ".join(str(error).split()) or type(error).__name__
        # Older versions of the library wrap what their transport raises.
        if isinstance(error, openai.APITimeoutError) or isinstance(error.__cause__, openai.APITimeoutError):
            reason, detail = "timeout", f"no answer within {self.config.timeout:g} s"
        elif isinstance(error, openai.APIConnectionError):
            cause = " ".join(str(error.__cause__ or "").split())
            reason, detail = "connection", f"cannot connect{f' ({cause})' if cause else ''}"
        elif isinstance(error, openai.APIStatusError):
            reason = "rate_limit" if error.status_code == 429 else "status"
            detail = f"{error.status_code}: {_server_words(error.body) or detail}"
        if self._key:
            detail = detail.replace(self._key, "***")
        return _FailedError(ReplyFailure(reason, detail[:_DETAIL]))

    def _count(self, inputs: int | None = None, outputs: int | None = None, *, failures: int = 0) -> None:
        with self._lock:
            old = self._usage
            self._usage = Usage(
                requests=old.requests + 1,
                failures=old.failures + failures,
                unmetered=old.unmetered + int(not failures and (inputs is None or outputs is None)),
                input_tokens=old.input_tokens + (inputs or 0),
                output_tokens=old.output_tokens + (outputs or 0),
            )

    def _client(self) -> Any:
        """A client for one event loop. What it would take from the environment of other services is left out."""
        config, openai = self.config, self._openai
        base: Any = openai.DefaultAsyncHttpxClient

        class Bounded(base):  # type: ignore[misc]
            """Bounds the whole of an attempt; the library bounds only each wait in it."""

            async def send(self, request: Any, **options: Any) -> Any:
                try:
                    async with asyncio.timeout(_DRIP * config.timeout):
                        return await super().send(request, **options)
                except TimeoutError:
                    raise openai.APITimeoutError(request=request) from None

        client = openai.AsyncOpenAI(
            api_key=self._key or "EMPTY",
            base_url=config.base_url,
            timeout=config.timeout,
            max_retries=config.retries,
            default_headers={"Authorization": f"Bearer {self._key or 'EMPTY'}"},
            http_client=Bounded(),
        )
        client.organization = client.project = None
        return client


class _FailedError(Exception):
    def __init__(self, failure: ReplyFailure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


def _wait_for(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run it to its end; in a thread of its own where this one already runs an event loop, as notebooks do."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()


def _read_key(config: EndpointConfig) -> str | None:
    path = config.api_key_file
    if path is None:
        return None
    try:
        key = path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise ConfigError(f"{path}: cannot read the key of the endpoint: {reason}") from None
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise ConfigError(f"{path}: should hold the key of the endpoint and nothing else")
    return key


def _plain(message: Message) -> dict[str, str]:
    """A message that JSON can carry: halves of surrogate pairs become question marks."""
    return {name: value.encode("utf-8", "replace").decode("utf-8") for name, value in message.items()}


def _read(body: bytes) -> _Completion:
    try:
        found = _Completion.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        detail = f"the server's answer is no chat completion: {f'{where}: ' if where else ''}{first['msg']}"
        raise _FailedError(ReplyFailure("malformed", detail[:_DETAIL])) from None
    if not found.choices:
        raise _FailedError(ReplyFailure("empty", "the server's answer holds no choice"))
    return found


def _text(message: _Message) -> str:
    if message.content is not None:
        return message.content
    return message.refusal or ""


def _model_names(body: bytes) -> list[str] | None:
    try:
        return [str(model["id"]) for model in json.loads(body)["data"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _server_words(body: object) -> str:
    """The message in an error's body: {"message": …} of OpenAI, {"error": {"message": …}}, {"detail": …}."""
    while isinstance(body, dict):
        body = next((body[key] for key in ("error", "message", "detail") if key in body), "")
    return " ".join(body.split()) if isinstance(body, str) else ""
