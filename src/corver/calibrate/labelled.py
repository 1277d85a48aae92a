"""Labelled sentences: what people filled in, joined with what the scorer said.

In: labelled sheets with their keys, or JSON Lines that carry a `label`. Out: a `LabelledSet`, and its columns as arrays
for one kind of score. Sentences of a stratified sample get the weight (sentences of the stratum) / (labelled sentences
of the stratum), so that weighted figures are those of all sentences that the sample was drawn from. This module
computes no statistic.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corver.calibrate.key import Key, find_key, read_key
from corver.calibrate.scored import as_number, iter_rows, one_scorer, sentence_id
from corver.calibrate.sheet import parse_label, read_sheet
from corver.errors import InputError, UsageError

__all__ = ["LabelledSentence", "LabelledSet", "load_labelled"]

ALONE = "none"
"""The name of the grouping in which every sentence stands for itself."""

_LEAST_WEIGHT = 1e-12
"""Squares of smaller ones, and of those above its inverse, would leave the range of numbers."""


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence, whether it is true, and its verdict.

    weight: for how many sentences it stands. group: what it is resampled with. stratum: of a stratified sample, else
    None. fields: the JSON of its verdict.
    """

    id: str
    truth: bool
    group: str
    fields: Mapping[str, Any]
    weight: float = 1.0
    stratum: str | None = None

    @property
    def status(self) -> str:
        return str(self.fields.get("status", "supported"))


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Labelled sentences in the order of their ids. name: of the files. left_out: why to how many."""

    name: str
    items: tuple[LabelledSentence, ...]
    scorer: str | None
    left_out: Mapping[str, int]

    @property
    def weighted(self) -> bool:
        """Whether it was drawn in strata, so that weights matter."""
        return any(item.weight != 1.0 for item in self.items)


def load_labelled(paths: Sequence[Path], *, key: Path | None = None, group: str | None = None) -> LabelledSet:
    """All labelled sentences of the files.

    paths: sheets (`.csv`), each with its key beside it unless `key` names one, or JSON Lines. group: the column of a
    sheet, or the field of its key or of a row, whose values are resampled together; by default the text a sentence
    stands in, `none` for every sentence by itself. The same sentence in two sheets counts once when its labels agree,
    or only one of them is true or false, and is left out when they contradict each other. Raises InputError for files
    that are no such thing, and when nothing is labelled.
    """
    left_out: Counter[str] = Counter()
    found: dict[str, LabelledSentence] = {}
    conflicts: set[str] = set()
    sizes: dict[str, float] = {}
    scorers: list[str | None] = []
    for path in paths:
        source = _Sheet(path, key, group) if path.suffix.casefold() == ".csv" else _Rows(path, group)
        for label, item in source.read():
            if label in (None, "unsure"):
                left_out["unsure" if label else "without a label"] += 1
            elif (known := found.get(item.id)) is not None and known.truth != item.truth:
                conflicts.add(item.id)
            else:
                found[item.id] = item
        sizes |= source.sizes
        scorers += source.scorers
    for identity in conflicts:
        del found[identity]
        left_out["with two different labels"] += 1
    name = ", ".join(path.name for path in paths)
    if not found:
        raise InputError(f"{name}: no sentence is labelled true or false")
    items = sorted(_weighted(found.values(), sizes), key=lambda item: item.id)
    return LabelledSet(name, tuple(items), one_scorer(scorers, where=name), dict(left_out))


def _weighted(items: Iterable[LabelledSentence], sizes: Mapping[str, float]) -> Iterator[LabelledSentence]:
    items = list(items)
    labelled = Counter(item.stratum for item in items)
    for item in items:
        if item.stratum is None or item.stratum not in sizes:
            yield item
        else:
            yield replace(item, weight=sizes[item.stratum] / labelled[item.stratum])


class _Sheet:
    """A labelled sheet and its key."""

    def __init__(self, path: Path, key: Path | None, group: str | None) -> None:
        self._path = path
        self._key: Key = read_key(key or find_key(path))
        self._group = group
        self.scorers = [self._key.scorer]
        # Strata of different drawings are different strata, whatever their names.
        self.sizes = {self._stratum(name): float(size) for name, size in self._key.strata.items()}

    def read(self) -> Iterator[tuple[str | None, LabelledSentence]]:
        for row in read_sheet(self._path):
            item = self._key.items.get(row.id)
            if item is None:
                raise InputError(f"{self._path}:{row.line}: the id {row.id} is not in {self._key.path}")
            group = self._group_of(row.id, {**item, **row.cells}, row.line)
            yield (
                row.label,
                LabelledSentence(
                    id=row.id,
                    truth=row.label == "true",
                    group=group,
                    fields=item["verdict"],
                    stratum=self._stratum(item["stratum"]),
                ),
            )

    def _stratum(self, name: str) -> str:
        return f"{self._key.path.resolve()}: {name}"

    def _group_of(self, identity: str, cells: Mapping[str, Any], line: int) -> str:
        if self._group == ALONE:
            return identity
        if self._group is None:
            return str(cells.get("text_sha256", identity))
        return _group_value(cells, self._group, f"{self._path}:{line}")


class _Rows:
    """JSON Lines: a labelled sentence a row, or scored texts whose sentences carry the labels."""

    def __init__(self, path: Path, group: str | None) -> None:
        self._path = path
        self._group = group
        self._seen: Counter[str] = Counter()
        self.scorers: list[str | None] = []
        self.sizes: dict[str, float] = {}

    def read(self) -> Iterator[tuple[str | None, LabelledSentence]]:
        scorers: set[str] = set()
        for path, number, row in iter_rows([self._path]):
            where = f"{path}:{number}"
            if "error" in row and "sentences" not in row:
                continue
            if isinstance(row.get("scorer"), str):
                scorers.add(row["scorer"])
            for fields in self._sentences(row, where):
                yield self._one(row, fields, where)
        self.scorers = [*sorted(scorers)]

    def _sentences(self, row: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
        sentences = row.get("sentences")
        if sentences is None:
            if "label" not in row:
                raise InputError(f'{where}: has no "label"')
            return [row]
        if not isinstance(sentences, list) or not all(isinstance(fields, dict) for fields in sentences):
            raise InputError(f'{where}: "sentences" is not a list of sentences')
        if "label" in row:
            if len(sentences) > 1:
                raise InputError(f'{where}: one "label" for {len(sentences)} sentences; give each sentence its own')
            return [{**fields, "label": row["label"]} for fields in sentences]
        return [fields for fields in sentences if "label" in fields]

    def _one(
        self, row: Mapping[str, Any], fields: Mapping[str, Any], where: str
    ) -> tuple[str | None, LabelledSentence]:
        try:
            label = parse_label(fields["label"])
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        weight = as_number(fields.get("weight", row.get("weight", 1.0)))
        if weight is None or not _LEAST_WEIGHT <= weight <= 1 / _LEAST_WEIGHT:
            raise InputError(f'{where}: "weight" is not a positive number, up to {1 / _LEAST_WEIGHT:g}')
        identity = self._identity(row, fields)
        if self._group == ALONE:
            group = identity
        elif self._group is None:
            group = sentence_id(row["text"], None, 0, 0) if isinstance(row.get("text"), str) else identity
        else:
            group = _group_value({**row, **fields}, self._group, where)
        return label, LabelledSentence(identity, label == "true", group, fields, weight)

    def _identity(self, row: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """That of the span where there is one; else a hash of the row, so that no order of rows matters."""
        text, start, end = row.get("text"), fields.get("start"), fields.get("end")
        if "sentences" in row and isinstance(text, str) and type(start) is int and type(end) is int:
            return sentence_id(text, row.get("question"), start, end)
        digest = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:16]
        self._seen[digest] += 1
        return f"r{digest}-{self._seen[digest]}"


def _group_value(cells: Mapping[str, Any], name: str, where: str) -> str:
    folded = {column.casefold(): value for column, value in cells.items()}
    value = folded.get(name.casefold())
    if value is None or value == "":
        raise UsageError(f"{where}: has no {name!r} to group by")
    return json.dumps(value, sort_keys=True, default=str)
