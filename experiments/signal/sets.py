"""Labelled sentences to measure a signal on: CounterFact, FEVER and FActScore, in one shape.

In: a folder with counterfact-dev.jsonl, fever-dev.jsonl, factscore-chatgpt.jsonl and factscore-instructgpt.jsonl.
Out: `Labelled` sentences, a list a set. Groups are what must not leak between folds: relation, page, person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

Half: TypeAlias = Literal["explore", "report"]
MODELS = ("chatgpt", "instructgpt")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One sentence. true: its label. question: its prompt, if it has one. target: the object of a CounterFact pair."""

    text: str
    true: bool
    group: str
    question: str | None = None
    target: str | None = None


def half_of(group: str) -> Half:
    """The half that a group belongs to, by a hash of its name: constants are compared on `explore` alone."""
    return "report" if hashlib.sha256(f"corver-2026{group}".encode()).digest()[0] % 2 else "explore"


def load_sets(folder: Path, half: Half | None = None) -> dict[str, list[Labelled]]:
    """All sets by name; half: only the groups of that half."""
    sets = {
        "CounterFact": list(counterfact(folder)),
        "CounterFact, subject given": list(counterfact(folder, given=True)),
        "FEVER": list(fever(folder)),
        "FActScore sentences": list(factscore_sentences(folder)),
        "FActScore atomic facts": list(factscore_facts(folder)),
    }
    return {name: [item for item in items if half in (None, half_of(item.group))] for name, items in sets.items()}


def counterfact(folder: Path, *, given: bool = False) -> Iterator[Labelled]:
    for row in _rows(folder / "counterfact-dev.jsonl"):
        question = f"What is known about {row['subject']}?" if given else None
        yield Labelled(row["statement"], row["label"] == "1", row["relation"], question, row["target"])


def fever(folder: Path) -> Iterator[Labelled]:
    """SUPPORTS against REFUTES, without a prompt."""
    for row in _rows(folder / "fever-dev.jsonl"):
        if row["label"] in ("SUPPORTS", "REFUTES"):
            yield Labelled(row["claim"], row["label"] == "SUPPORTS", row["evidence_pages"][0])


def factscore_sentences(folder: Path) -> Iterator[Labelled]:
    """A sentence is true when all its relevant atomic facts are supported."""
    for row, sentence, facts in _annotations(folder):
        labels = [fact["label"] for fact in facts if fact["label"] in ("S", "NS")]
        if labels:
            yield Labelled(sentence["text"], all(label == "S" for label in labels), row["topic"], row["input"])


def factscore_facts(folder: Path) -> Iterator[Labelled]:
    for row, _, facts in _annotations(folder):
        for fact in facts:
            if fact["label"] in ("S", "NS"):
                yield Labelled(fact["text"], fact["label"] == "S", row["topic"], row["input"])


def _annotations(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, str]]]]:
    for model in MODELS:
        for row in _rows(folder / f"factscore-{model}.jsonl"):
            for sentence in row["annotations"] or []:
                yield row, sentence, sentence.get("human-atomic-facts") or []


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
