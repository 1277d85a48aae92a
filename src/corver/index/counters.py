"""From a path to a counter: a folder is an index of corver, a YAML file describes an engine that somebody already has.

In: a path. Out: a `Counter`, to be used in a `with` statement. This module knows the settings of the engines and how
their tokenizers are loaded, not how they count.

The file of an infini-gram index on this machine, and one of its web API:

    engine: infinigram                  engine: infinigram_web
    directory: v4_pileval_llama/        index: v4_rpj_llama_s4
    tokenizer: llama/tokenizer.json
    eos_token_id: 2
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, ValidationError

from corver.config import ConfigModel, first_fault, read_yaml
from corver.errors import ConfigError, DependencyError, UsageError
from corver.index.cnf import Encode, Spellings, as_written, cased
from corver.index.infinigram import API_URL, InfinigramEngineCounter, InfinigramWebCounter, TokenType
from corver.index.query import Index
from corver.index.web import Patience
from corver.types import Counter

__all__ = ["EngineSettings", "WebSettings", "describes_counter", "open_counter"]

Spelling: TypeAlias = Literal["as_written", "cased"]
_SPELLINGS: dict[Spelling, Spellings] = {"as_written": as_written, "cased": cased}
_SUFFIXES = (".yaml", ".yml")


class EngineSettings(ConfigModel):
    """An infini-gram index on this machine.

    directory: of format 4. tokenizer: the `tokenizer.json` that it was built with. prefix: put before a text that is
    turned into ids, for tokenizers that tell a word inside a sentence by the space before it (" " for GPT-2's kind;
    SentencePiece adds its own). eos_token_id, token_type, vocabulary: as it was built with. max_clause_freq: sample
    clauses above it; null counts all.
    """

    engine: Literal["infinigram"]
    directory: Path
    tokenizer: Path
    prefix: str = ""
    eos_token_id: Annotated[int, Field(ge=0)]
    token_type: TokenType = "u16"  # noqa: S105
    vocabulary: Annotated[int, Field(gt=0)] = 65_535
    spellings: Spelling = "cased"
    max_clause_freq: Annotated[int, Field(gt=0)] | None = None
    threads: Annotated[int, Field(gt=0)] | None = None


class WebSettings(ConfigModel):
    """infini-gram's web API, or one of the same shape. index: its name there. per_second: requests started a second."""

    engine: Literal["infinigram_web"]
    index: str
    url: str = API_URL
    tokenizer: Path | None = None
    prefix: str = ""
    spellings: Spelling = "cased"
    max_clause_freq: Annotated[int, Field(gt=0)] = 500_000
    threads: Annotated[int, Field(gt=0)] = 4
    attempts: Annotated[int, Field(gt=0)] = 5
    timeout: Annotated[float, Field(gt=0)] = 30.0
    per_second: Annotated[float, Field(gt=0)] = 10.0


_ENGINES: dict[str, type[EngineSettings | WebSettings]] = {
    "infinigram": EngineSettings,
    "infinigram_web": WebSettings,
}


def describes_counter(path: Path) -> bool:
    """Whether a path names the description of an engine, not a folder of an index."""
    return path.suffix.lower() in _SUFFIXES and not path.is_dir()


@contextmanager
def open_counter(path: str | Path) -> Iterator[Counter]:
    """The counter that a path names, closed afterwards.

    Raises ConfigError for a description that is wrong, DependencyError when the engine's package is missing,
    IndexFormatError for a folder that is no index.
    """
    path = Path(path)
    if not describes_counter(path):
        with Index.open(path) as index:
            yield index
        return
    settings = _read(path)
    folder = path.resolve().parent
    if isinstance(settings, EngineSettings):
        yield InfinigramEngineCounter.open(
            folder / settings.directory,
            eos_token_id=settings.eos_token_id,
            encode=_encoder(folder / settings.tokenizer, settings.prefix),
            spellings=_SPELLINGS[settings.spellings],
            token_type=settings.token_type,
            vocabulary=settings.vocabulary,
            max_clause_freq=settings.max_clause_freq,
            threads=settings.threads,
        )
        return
    yield InfinigramWebCounter(
        settings.index,
        url=settings.url,
        encode=None if settings.tokenizer is None else _encoder(folder / settings.tokenizer, settings.prefix),
        spellings=_SPELLINGS[settings.spellings],
        max_clause_freq=settings.max_clause_freq,
        threads=settings.threads,
        patience=Patience(attempts=settings.attempts, timeout=settings.timeout, per_second=settings.per_second),
    )


def _read(path: Path) -> EngineSettings | WebSettings:
    raw = read_yaml(path)
    engine = raw.get("engine") if isinstance(raw, dict) else None
    if engine not in _ENGINES:
        raise ConfigError(f"{path}: engine: expected one of {', '.join(_ENGINES)}, found {engine!r}")
    try:
        return _ENGINES[engine].model_validate(raw)
    except ValidationError as error:
        key, told = first_fault(error, _ENGINES[engine])
        raise ConfigError(f"{path}: {key}: {told}") from None


def _encoder(path: Path, prefix: str) -> Encode:
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise DependencyError("this counter needs tokenizers: pip install 'corver[infinigram]'") from error
    if not path.is_file():
        raise ConfigError(f"{path}: no such tokenizer file; name the tokenizer.json that the index was built with")
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:
        if type(error) is not Exception:  # what the library raises for files that it cannot read
            raise
        raise UsageError(f"{path}: is no tokenizer.json: {' '.join(str(error).split())}") from None

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(prefix + text, add_special_tokens=False).ids
        return ids

    return encode
