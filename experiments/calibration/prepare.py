"""Labelled data sets as texts to score, and what is known of their sentences.

In: a folder with `counterfact-dev.jsonl` (statement, label, relation), `fever-dev.jsonl` (claim, label, evidence_pages)
and `factscore-chatgpt.jsonl`, `factscore-instructgpt.jsonl` (output, topic, annotations). Out: for each set NAME.jsonl,
the input of `corver score`, and NAME.gold.jsonl, a label and a group (relation, page, person) for every sentence id.
A FActScore sentence is true when all its relevant atomic facts are supported.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from corver.calibrate.scored import sentence_id
from corver.text.sentences import split_sentences


class Labelled(NamedTuple):
    """A text with its question, its group, and the labels of its sentences by (start, end)."""

    text: str
    question: str | None
    group: str
    labels: dict[tuple[int, int], bool]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def counterfact(folder: Path) -> Iterator[Labelled]:
    for row in rows(folder / "counterfact-dev.jsonl"):
        text = row["statement"]
        yield Labelled(text, None, row["relation"], {(0, len(text)): row["label"] == "1"})


def fever(folder: Path) -> Iterator[Labelled]:
    for row in rows(folder / "fever-dev.jsonl"):
        if row["label"] in ("SUPPORTS", "REFUTES"):
            page = (row["evidence_pages"] or [row["claim"]])[0]
            yield Labelled(row["claim"], None, page, {(0, len(row["claim"])): row["label"] == "SUPPORTS"})


def factscore(folder: Path) -> Iterator[Labelled]:
    for name in ("chatgpt", "instructgpt"):
        for row in rows(folder / f"factscore-{name}.jsonl"):
            if row["annotations"]:
                question = row["input"].removeprefix("Question: ")
                yield Labelled(row["output"], question, row["topic"], sentence_labels(row))


def sentence_labels(row: dict[str, Any]) -> dict[tuple[int, int], bool]:
    """Sentences that annotation and splitter cut alike, and that have a relevant fact."""
    text, at = row["output"], 0
    spans = {(span.start, span.end) for span in split_sentences(text)}
    found = {}
    for sentence in row["annotations"]:
        start = text.find(sentence["text"].strip(), at)
        if start < 0:
            continue
        at = start + len(sentence["text"].strip())
        facts = [fact["label"] for fact in sentence["human-atomic-facts"] or [] if fact["label"] in ("S", "NS")]
        if facts and (start, at) in spans:
            found[start, at] = all(label == "S" for label in facts)
    return found


SETS = {"counterfact": counterfact, "fever": fever, "factscore": factscore}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name, read in SETS.items():
        texts, gold = [], {}
        for one in read(options.facts):
            texts.append({"text": one.text} | ({"question": one.question} if one.question else {}))
            for (start, end), label in one.labels.items():
                gold[sentence_id(one.text, one.question, start, end)] = {"label": label, "group": one.group}
        write(options.output / f"{name}.jsonl", texts)
        write(options.output / f"{name}.gold.jsonl", [{"id": identity, **row} for identity, row in gold.items()])
        true = sum(row["label"] for row in gold.values())
        print(f"{name}: {len(texts):,} texts, {len(gold):,} labelled sentences, {100 * true / len(gold):.1f} % true")


def write(path: Path, table: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")


if __name__ == "__main__":
    main()
