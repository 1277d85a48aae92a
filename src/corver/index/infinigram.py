"""Counts from an infini-gram index that somebody already has: its engine on this machine, or its web API.

In: queries. Out: `Count`s by the `Counter` protocol, so that a scorer takes them in place of an `Index`. They differ
from corver's own (docs/index.md, "Other counters"): the window is in tokens and is measured between neighbouring
clauses, and a clause above `max_clause_freq` is sampled. A count that may rest on a sample says `approx`, also where
infini-gram itself does not.

Sources: infini-gram (Liu et al. 2024, arXiv 2401.17377), its package 2.6 and its API documentation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from corver.errors import DependencyError, IndexFormatError, UsageError
from corver.index.cnf import (
    CnfCounter,
    Encode,
    Frequency,
    Spellings,
    Tally,
    Terms,
    as_written,
    cased,
    read_tally,
    usual_threads,
)
from corver.index.web import JsonClient, Patience

__all__ = ["API_URL", "InfinigramEngineCounter", "InfinigramWebCounter", "TokenType"]

TokenType: TypeAlias = Literal["u8", "u16", "u32"]

API_URL = "https://api.infini-gram.io/"
"""The public endpoint that infini-gram's documentation names."""

_ALL = 1 << 40  # a clause frequency that no index reaches: nothing is sampled
_API_CLAUSE_FREQ = 500_000  # the most that the public API allows
_PROBE = "Marie Curie was born in Warsaw in 1867."
_ENDS = 1 << 16


class CnfEngine(Protocol):
    """What is used of `infini_gram.engine.InfiniGramEngine`."""

    def find(self, input_ids: list[int]) -> Any: ...

    def count_cnf(self, cnf: list[list[list[int]]], max_clause_freq: int, max_diff_tokens: int) -> Any: ...


class InfinigramEngineCounter(CnfCounter):
    """Counts with infini-gram's engine on this machine.

    engine: an opened InfiniGramEngine; `open` makes one. name: tells the index apart in fingerprints. encode: text to
    its token ids. spellings: `as_written` for an index of folded words, `cased` for one of ordinary text.
    max_clause_freq: sample clauses above it; None counts all of them, however long it takes.
    """

    def __init__(
        self,
        engine: CnfEngine,
        *,
        name: str,
        encode: Encode,
        spellings: Spellings = as_written,
        max_clause_freq: int | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(encode=encode, spellings=spellings, threads=threads or usual_threads())
        self._engine = engine
        self._name = name
        self._most = _checked(max_clause_freq, _ALL)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        eos_token_id: int,
        encode: Encode,
        spellings: Spellings = as_written,
        token_type: TokenType = "u16",  # noqa: S107
        vocabulary: int = 65_535,
        max_clause_freq: int | None = None,
        threads: int | None = None,
    ) -> InfinigramEngineCounter:
        """Open an index folder of format 4. eos_token_id, token_type, vocabulary: as it was built with.

        Raises DependencyError without the package, IndexFormatError when the folder is no such index.
        """
        if not 0 <= eos_token_id < vocabulary:
            raise UsageError(f"eos_token_id must lie between 0 and {vocabulary - 1}, not {eos_token_id}")
        name = _index_name(Path(folder))
        try:
            library = import_module("infini_gram.engine")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "infini_gram":
                raise
            raise DependencyError("this counter needs infini_gram: pip install 'corver[infinigram]'") from error
        engine: CnfEngine = library.InfiniGramEngine(
            index_dir=str(folder), eos_token_id=eos_token_id, vocab_size=vocabulary, version=4, token_dtype=token_type
        )
        return cls(
            engine, name=name, encode=encode, spellings=spellings, max_clause_freq=max_clause_freq, threads=threads
        )

    def fingerprint(self) -> str:
        """32 hexadecimal digits of the index, the options, and the token ids of one sentence in all its spellings."""
        return _fingerprint("engine", self._name, self._most, self._spellings, self._encode)

    def _frequency(self, terms: Terms) -> Frequency:
        total, by_shard = 0, [0]
        for term in terms:
            answer = self._engine.find(input_ids=list(_ids(term)))
            total += read_tally(answer, "cnt").value
            segments = answer.get("segment_by_shard", ())
            by_shard += [0] * (len(segments) - len(by_shard))
            for number, (start, end) in enumerate(segments):
                by_shard[number] += end - start
        # The engine samples in each shard by itself and flags it only from twice its limit on.
        return Frequency(total, sampled=max(by_shard) > self._most // len(by_shard))

    def _together(self, clauses: Sequence[Terms], window: int) -> Tally:
        cnf = [[list(_ids(term)) for term in terms] for terms in clauses]
        return read_tally(self._engine.count_cnf(cnf=cnf, max_clause_freq=self._most, max_diff_tokens=window))


class InfinigramWebCounter(CnfCounter):
    """Counts with infini-gram's web API, the public one or one of the same shape.

    index: its name there. encode: text to token ids; None sends text, which the server tokenizes. spellings: the public
    indexes hold ordinary text, so `cased`. max_clause_freq: the server samples clauses above it. threads: requests
    under way at once. The public server allows windows up to 1000 and four clauses a query; beyond, a count fails.
    """

    def __init__(
        self,
        index: str,
        *,
        url: str = API_URL,
        encode: Encode | None = None,
        spellings: Spellings = cased,
        max_clause_freq: int = _API_CLAUSE_FREQ,
        threads: int = 4,
        headers: Mapping[str, str] | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(encode=encode, spellings=spellings, threads=threads)
        self._index = index
        self._client = JsonClient(url, headers=headers, patience=patience)
        self._most = _checked(max_clause_freq, _ALL)

    def fingerprint(self) -> str:
        """32 hexadecimal digits of address, index and options. What the server holds under that name is its affair."""
        return _fingerprint("web", f"{self._client.name} {self._index}", self._most, self._spellings, self._encode)

    def _frequency(self, terms: Terms) -> Frequency:
        tally = self._ask([terms], None)
        # The limit holds for each shard, shards are uneven, and the server does not flag samples of more than half.
        sampled = tally.value > self._most // 2
        return Frequency(tally.value, tally.approx or (sampled and len(terms) > 1), sampled)

    def _together(self, clauses: Sequence[Terms], window: int) -> Tally:
        return self._ask(clauses, window)

    def _ask(self, clauses: Sequence[Terms], window: int | None) -> Tally:
        content: dict[str, Any] = {"index": self._index, "query_type": "count"}
        simple = len(clauses) == 1 and len(clauses[0]) == 1
        if self._encode is None:
            content["query"] = " AND ".join(" OR ".join(str(term) for term in terms) for terms in clauses)
        else:
            ids = [[list(_ids(term)) for term in terms] for terms in clauses]
            content["query_ids"] = ids[0][0] if simple else ids
        if not simple:  # the server takes these for conjunctions and alternatives only
            content["max_clause_freq"] = self._most
            if window is not None:
                content["max_diff_tokens"] = window
        return read_tally(self._client.post(content))


def _checked(most: int | None, default: int) -> int:
    if most is not None and most < 1:
        raise UsageError(f"a max_clause_freq of {most} makes no sense; it must be 1 or more")
    return default if most is None else most


def _ids(term: str | tuple[int, ...]) -> tuple[int, ...]:
    assert not isinstance(term, str)
    return term


def _fingerprint(kind: str, name: str, most: int, spellings: Spellings, encode: Encode | None) -> str:
    spelled = list(spellings(_PROBE))
    tokens = None if encode is None else [list(map(int, encode(text))) for text in spelled]
    basis = json.dumps(["infini-gram", kind, name, most, spelled, tokens])
    return hashlib.sha256(basis.encode()).hexdigest()[:32]


def _index_name(folder: Path) -> str:
    """Names, sizes and ends of the files of an index. The engine itself ends the process when one is missing."""
    if not folder.is_dir():
        raise IndexFormatError(f"{folder} is no folder; name the folder of an infini-gram index")
    files = {kind: sorted(folder.glob(f"{kind}.*")) for kind in ("tokenized", "table", "offset")}
    if not files["tokenized"] or len({len(paths) for paths in files.values()}) > 1:
        found = ", ".join(f"{len(paths)} {kind}" for kind, paths in files.items())
        raise IndexFormatError(f"{folder} is no infini-gram index, which has as many files of each kind: {found}")
    digest = hashlib.sha256()
    for path in (path for paths in files.values() for path in paths):
        size = path.stat().st_size
        with open(path, "rb") as file:
            first = file.read(_ENDS)
            file.seek(max(0, size - _ENDS))
            digest.update(f"{path.name} {size}".encode() + first + file.read(_ENDS))
    return digest.hexdigest()
