"""What extractors find, how fast, and how safely they lend names.

    python benchmarks/extraction.py coverage PAIRS PATTERNS [--extractor rules --extractor spacy] [--fold all|odd|even]
    python benchmarks/extraction.py speed PAIRS PATTERNS [--extractor rules --extractor spacy]
    python benchmarks/extraction.py pronouns BIOGRAPHIES… [--extractor rules]
    python benchmarks/extraction.py questions [--gold QUESTIONS.tsv] [QUESTIONS.jsonl …]

coverage: subjects and objects put into patterns ("[X] was born in [Y]."); the share of sentences whose query, by rule
`first`, holds the content words of both. PAIRS: JSON Lines of relation, subject, object; PATTERNS: JSON from a relation
to its patterns. Each pair meets one pattern, drawn by seed. Intervals: 95 %, bootstrap over patterns. --fold keeps the
patterns with an odd or even hash: what was changed while looking at one half is reported on the other.
speed: sentences a second on one core, CPU time, best of five rounds.
pronouns: texts about one person ("topic", "output"); what share of sentences has a subject with and without
resolve_pronouns, and how often a name put in for a pronoun is that person's.
questions: bare answers to questions; how often question_subject finds a subject, and, where a column `subj` tells whom
the question asks about (TSV of PopQA), how often it is that one.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table

from corver.evaluate.stats import ratio_estimate, wilson
from corver.extract.passages import PronounRule
from corver.extract.rules import RulesExtractor
from corver.extract.subjects import is_resolvable
from corver.reward.content import content_words
from corver.reward.select import claims_of
from corver.text.sentences import split_sentences
from corver.types import Extractor, Passage


@dataclass(frozen=True, slots=True)
class Case:
    sentence: str
    pattern: str
    subject: str
    object: str


def make(name: str, *, pronouns: PronounRule = "last_subject", lend: bool = False) -> Extractor:
    """`rules`, `spacy`, or `spacy:PIPELINE`."""
    kind, _, model = name.partition(":")
    if kind == "rules":
        return RulesExtractor(resolve_pronouns=pronouns, question_subject=lend)
    from corver.extract.spacy import SpacyExtractor

    chosen = {"model": model} if model else {}
    return SpacyExtractor(**chosen, resolve_pronouns=pronouns, question_subject=lend)


def read_cases(arguments: argparse.Namespace) -> list[Case]:
    patterns: dict[str, list[str]] = json.loads(arguments.patterns.read_text(encoding="utf-8"))
    rng = random.Random(arguments.seed)
    cases = []
    for line in arguments.pairs.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not patterns.get(row["relation"]):
            continue
        pattern = rng.choice(patterns[row["relation"]])
        text = pattern.replace("[X]", row["subject"]).replace("[Y]", row["object"])
        cases.append(Case(text[0].upper() + text[1:], pattern, row["subject"], row["object"]))
    rng.shuffle(cases)
    wanted = {"all": (0, 1), "even": (0,), "odd": (1,)}[arguments.fold]
    kept = [case for case in cases if hashlib.sha256(case.pattern.encode()).digest()[0] % 2 in wanted]
    return kept[: arguments.limit]


def covers(extractor: Extractor, cases: Sequence[Case]) -> tuple[list[bool], list[bool]]:
    """For each case, whether its query holds both sides, and whether it has a query at all."""
    rows = extractor.extract([Passage((case.sentence,)) for case in cases])
    covered, claimed = [], []
    for case, (extraction,) in zip(cases, rows, strict=True):
        claims = claims_of(extraction.pairs, "first")
        asked = set(claims[0].words) if claims else set()
        covered.append(set(content_words(case.subject)) | set(content_words(case.object)) <= asked)
        claimed.append(bool(claims))
    return covered, claimed


def by_pattern(cases: Sequence[Case], covered: Sequence[bool]) -> tuple[np.ndarray, np.ndarray]:
    sums: dict[str, list[int]] = {}
    for case, good in zip(cases, covered, strict=True):
        tally = sums.setdefault(case.pattern, [0, 0])
        tally[0] += good
        tally[1] += 1
    both = np.array(list(sums.values()), dtype=float)
    return both[:, 0], both[:, 1]


def coverage(arguments: argparse.Namespace) -> None:
    cases = read_cases(arguments)
    rows = []
    for name in arguments.extractor:
        covered, claimed = covers(make(name), cases)
        estimate = ratio_estimate(*by_pattern(cases, covered), draws=10_000, seed=1)
        rows.append(
            (name, f"{estimate.value:.2%}", f"{estimate.low:.2%} … {estimate.high:.2%}", f"{np.mean(claimed):.2%}")
        )
        if arguments.misses:
            show_misses(name, cases, covered, arguments.misses)
    patterns = len({case.pattern for case in cases})
    title = f"{len(cases):,} sentences of {patterns} patterns ({arguments.fold})"
    print_table(title, ("extractor", "both sides in the query", "95 %", "any query"), rows)


def show_misses(name: str, cases: Sequence[Case], covered: Sequence[bool], count: int) -> None:
    """The patterns with the most misses, each with one of them."""
    missed: dict[str, list[Case]] = {}
    for case, good in zip(cases, covered, strict=True):
        if not good:
            missed.setdefault(case.pattern, []).append(case)
    for pattern, some in sorted(missed.items(), key=lambda item: -len(item[1]))[:count]:
        (row,) = make(name).extract([Passage((some[0].sentence,))])
        pairs = [(pair.head, pair.relation, pair.tail) for pair in row[0].pairs[:2]]
        print(f"{len(some):5} {pattern}  {some[0].sentence!r} {pairs}")


def speed(arguments: argparse.Namespace) -> None:
    cases = read_cases(arguments)
    passages = [Passage((case.sentence,)) for case in cases]
    rows = []
    for name in arguments.extractor:
        extractor = make(name)
        extractor.extract(passages[:100])
        times = []
        for _ in range(5):
            started = time.process_time()
            extractor.extract(passages)
            times.append(time.process_time() - started)
        rows.append((name, f"{len(passages) / min(times):,.0f}"))
    print_table(f"{len(passages):,} sentences", ("extractor", "sentences/s a core"), rows)


def pronouns(arguments: argparse.Namespace) -> None:
    passages, people = [], []
    for path in arguments.texts:
        for line in path.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            text = row["output"]
            passages.append(Passage(tuple(span.of(text) for span in split_sentences(text))))
            people.append(frozenset(content_words(row["topic"])))
    sentences = sum(len(passage.sentences) for passage in passages)
    rows = []
    for name in arguments.extractor:
        plain, resolved = (make(name, pronouns=rule).extract(passages) for rule in ("off", "last_subject"))
        subjects = [sum(bool(claims_of(e.pairs, "first")) for row in rows_ for e in row) for rows_ in (plain, resolved)]
        right = wrong = left = 0
        for before, after, person in zip(plain, resolved, people, strict=True):
            for old, new in zip(before, after, strict=True):
                if not old.pairs or not is_resolvable(old.pairs[0].head):
                    continue
                if is_resolvable(new.pairs[0].head):
                    left += 1
                elif person & set(content_words(new.pairs[0].head)):
                    right += 1
                else:
                    wrong += 1
        share = wilson(right, right + wrong)
        rows.append(
            (
                name,
                *(f"{wilson(n, sentences).value:.1%}" for n in subjects),
                right + wrong + left,
                f"{share.value:.1%} ({share.low:.1%} … {share.high:.1%})",
                wrong,
                left,
            )
        )
    head = ("extractor", "claim, off", "claim, on", "pronoun first", "of resolved: the person", "another", "left")
    print_table(f"{sentences:,} sentences of {len(passages)} texts", head, rows)


def questions(arguments: argparse.Namespace) -> None:
    rows = []
    for path in arguments.gold:
        with path.open(encoding="utf-8", newline="") as stream:
            gold = list(csv.DictReader(stream, delimiter="\t"))
        asked = [(row["question"], json.loads(row["possible_answers"])[0], row["subj"]) for row in gold]
        rows += [asked_row(path.stem, name, asked) for name in arguments.extractor]
    for path in arguments.questions:
        read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        plain = [(row["question"], (row.get("answers") or row["answer"])[0], None) for row in read]
        rows += [asked_row(path.stem, name, plain) for name in arguments.extractor]
    head = ("questions", "extractor", "number", "claim, off", "claim, on", "the one asked about", "95 %")
    print_table("Bare answers", head, rows)


def asked_row(where: str, name: str, asked: Sequence[tuple[str, str, str | None]]) -> tuple[str, ...]:
    passages = [Passage((f"{answer}.",), question) for question, answer, _ in asked]
    plain, lent = (make(name, lend=lend).extract(passages) for lend in (False, True))
    claims = [sum(bool(claims_of(e.pairs, "first")) for (e,) in rows) for rows in (plain, lent)]
    right = told = 0
    for (_, _, subject), (extraction,) in zip(asked, lent, strict=True):
        if subject is not None and extraction.pairs:
            told += 1
            right += set(content_words(subject)) == set(content_words(extraction.pairs[0].head))
    share = wilson(right, told) if told else None
    return (
        where,
        name,
        f"{len(asked):,}",
        *(f"{n / len(asked):.1%}" for n in claims),
        f"{share.value:.1%}" if share else "",
        f"{share.low:.1%} … {share.high:.1%}" if share else "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, work, limit in (("coverage", coverage, None), ("speed", speed, 2000)):
        command = commands.add_parser(name)
        command.set_defaults(work=work)
        command.add_argument("pairs", type=Path)
        command.add_argument("patterns", type=Path)
        command.add_argument("--fold", choices=("all", "odd", "even"), default="all")
        command.add_argument("--limit", type=int, default=limit)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--misses", type=int, default=0, metavar="N", help="show the N worst patterns")
    command = commands.add_parser("pronouns")
    command.set_defaults(work=pronouns)
    command.add_argument("texts", type=Path, nargs="+")
    command = commands.add_parser("questions")
    command.set_defaults(work=questions)
    command.add_argument("questions", type=Path, nargs="*")
    command.add_argument("--gold", type=Path, action="append", default=[])
    for command in commands.choices.values():
        command.add_argument("--extractor", action="append", metavar="NAME", help="rules, spacy or spacy:PIPELINE")
    arguments = parser.parse_args()
    arguments.extractor = arguments.extractor or ["rules"]
    arguments.work(arguments)


if __name__ == "__main__":
    main()
