"""What it takes to game a support: simulated edits of labelled sentences, and how often an edit pays.

    python experiments/signal/gaming.py INDEX FACTS_DIR [--json FILE] [--neutral Z] [--sentences 600]

Each edit makes a true sentence less informative or less true. An edit pays when the sum of the rewards of the edited
text is higher than that of the original. Prints the share that pays with a 95 % interval (bootstrap over persons or
relations) for `profile`, for the same without what was added against gaming (no slack, no articles, no forms, denials
read as claims), and for `paper`. The first edits are made on wholly supported FActScore sentences, with their prompt;
the last three on true CounterFact statements. Edits that leave details out are shown again for the sentences all of
whose details stand near their subject in the corpus. Z is the median unit score of the FActScore
biographies unless given.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sets import Labelled, counterfact, factscore_sentences

from corver.extract.rules import RulesExtractor
from corver.index import Index
from corver.reward.neutral import measure_neutral
from corver.reward.profile import ProfileSettings
from corver.reward.scorer import Scorer
from corver.types import SentenceScore, Unit

FAMOUS = "Paris, London, New York City, Barack Obama and the Beatles"
PADDING = " It is important to note that this is a very interesting and well known fact about the world."
GENERIC = "{} is known for many things and has had a long and successful career."


@dataclass(frozen=True, slots=True)
class Case:
    """A true sentence with what an edit needs: its verdict, its subject, and a name and a template of others."""

    item: Labelled
    score: SentenceScore
    other: str
    template: str = ""

    @property
    def subject(self) -> str:
        assert self.score.pair is not None
        return self.score.pair.head


Edit = Callable[[Case], str | None]


def without(text: str, units: Sequence[Unit]) -> str:
    """The text with some details cut out, and prepositions and commas that nothing follows any more."""
    for unit in sorted(units, key=lambda unit: -unit.span.start):
        left = re.sub(r"(?:\b(?:in|on|at|of|and|by|from|for|with|the|a|an)\s+|,\s*)+$", "", text[: unit.span.start])
        text = left + text[unit.span.end :]
    return re.sub(r"\s+", " ", text)


def drop_worst(case: Case) -> str | None:
    units = case.score.units
    return without(case.item.text, [min(units, key=lambda unit: unit.score)]) if len(units) > 1 else None


def keep_best_two(case: Case) -> str | None:
    ranked = sorted(case.score.units, key=lambda unit: -unit.share)
    return without(case.item.text, ranked[2:]) if len(ranked) > 2 else None


def shorten(case: Case) -> str | None:
    words = case.item.text.split()
    return " ".join(words[: len(words) // 2]).rstrip(",;") + "." if len(words) > 5 else None


def split(case: Case) -> str | None:
    units = case.score.units
    return " ".join(f"{case.subject} is related to {unit.text}." for unit in units) if len(units) > 1 else None


def wrong_year(case: Case) -> str | None:
    match = re.search(r"\b(1[5-9]\d\d|20[01]\d)\b", case.item.text)
    if match is None:
        return None
    shift = random.Random(case.item.text).choice([-17, -8, -3, -1, 1, 3, 8, 17])
    return case.item.text[: match.start()] + str(int(match[0]) + shift) + case.item.text[match.end() :]


def invented(case: Case) -> str | None:
    return f"{case.item.text.rstrip('.')} in {case.other}."


def negate(case: Case) -> str | None:
    changed = re.sub(r"\b(is|was|are|were|has|had)\b", r"\1 not", case.item.text, count=1)
    return changed if changed != case.item.text else None


def swap(case: Case) -> str | None:
    target = case.item.target or ""
    if case.subject not in case.item.text or target not in case.item.text:
        return None
    marked = case.item.text.replace(case.subject, "\0", 1).replace(target, case.subject, 1)
    return marked.replace("\0", target, 1)


def wrong_relation(case: Case) -> str | None:
    return f"{case.template.format(case.subject)} {case.item.target}."


EDITS: dict[str, Edit] = {
    "drop the worst detail": drop_worst,
    "keep the best two details": keep_best_two,
    "shorten to half": shorten,
    "replace by a generic sentence": lambda case: GENERIC.format(case.subject),
    "say nothing": lambda case: "",
    "pad with an empty sentence": lambda case: case.item.text + PADDING,
    "stuff famous entities": lambda case: f"{case.item.text.rstrip('.')}, like {FAMOUS}.",
    "add a sentence of famous entities": lambda case: f"{case.item.text} {FAMOUS} are famous.",
    "add an invented detail": invented,
    "repeat the sentence": lambda case: f"{case.item.text} {case.item.text}",
    "split into one claim a detail": split,
    "change the year": wrong_year,
    "deny it": negate,
}
PAIR_EDITS: dict[str, Edit] = {
    "swap subject and object": swap,
    "put another relation between them": wrong_relation,
    "deny it (statement)": negate,
}


def totals(scorer: Scorer, texts: Sequence[str], questions: Sequence[str | None]) -> np.ndarray:
    """Sum of the rewards of each text; 0 for an empty one."""
    scored = scorer.score_texts(texts, questions=questions)
    return np.array([sum(sentence.reward for sentence in text.sentences) for text in scored])


def paying(scorer: Scorer, pairs: Sequence[tuple[Case, str]]) -> np.ndarray:
    """Whether each edit pays."""
    questions = [case.item.question for case, _ in pairs]
    before = totals(scorer, [case.item.text for case, _ in pairs], questions)
    return totals(scorer, [edited for _, edited in pairs], questions) > before + 1e-9


def interval(pays: np.ndarray, groups: Sequence[str], draws: int = 500) -> tuple[float, float, float]:
    group = np.unique(groups, return_inverse=True)[1]
    sums, sizes = np.bincount(group, pays), np.bincount(group)
    pick = np.random.default_rng(0).integers(0, sizes.size, (draws, sizes.size))
    low, high = np.percentile(sums[pick].sum(1) / sizes[pick].sum(1), [2.5, 97.5])
    return float(pays.mean()), float(low), float(high)


def cases(scorer: Scorer, items: Sequence[Labelled], most: int) -> list[Case]:
    """True sentences with a verdict, each with a name and a template of another one."""
    rng = random.Random(7)
    chosen = [item for item in items if item.true]
    rng.shuffle(chosen)
    chosen = chosen[: 4 * most]
    scored = scorer.score_texts([item.text for item in chosen], questions=[item.question for item in chosen])
    found = [
        Case(item, text.sentences[0], "")
        for item, text in zip(chosen, scored, strict=True)
        if len(text.sentences) == 1 and text.sentences[0].has_claim and text.sentences[0].units
    ][:most]
    names = [
        (case.item.group, unit.text) for case in found for unit in case.score.units
        if unit.weight >= 1 and not any(char.isdigit() for char in unit.text)
    ]  # fmt: skip
    templates = sorted({case.item.group for case in found if "{}" in case.item.group})

    def foreign(case: Case) -> Case:
        other = next(text for group, text in iter(lambda: rng.choice(names), None) if group != case.item.group)
        template = rng.choice(templates) if templates else ""
        return Case(case.item, case.score, other, template)

    return [foreign(case) for case in found]


def line(name: str, made: Sequence[tuple[Case, str]], scorers: dict[str, Scorer]) -> dict[str, object]:
    """Print one row of the table, and return it."""
    groups = [case.item.group for case, _ in made]
    shares = {key: interval(paying(scorer, made), groups) for key, scorer in scorers.items()}
    cells = " | ".join(f"{a:.0%} [{low:.0%}, {high:.0%}]" for a, low, high in shares.values())
    print(f"| {name} | {len(made)} | {cells} |", flush=True)
    return {"edit": name, "edits": len(made), "shares": shares}


def has_all(index: Index, case: Case) -> bool:
    """Whether every detail of the sentence stands somewhere near its subject in the corpus."""
    mentions = index.mentions(case.subject, any_small_words=True)
    return bool((index.profile(mentions, [unit.text for unit in case.score.units]).sums > 0).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--neutral", type=float)
    parser.add_argument("--sentences", type=int, default=600)
    arguments = parser.parse_args()
    with Index.open(arguments.index) as index:
        people, pairs = list(factscore_sentences(arguments.facts)), list(counterfact(arguments.facts))
        neutral = arguments.neutral if arguments.neutral is not None else _neutral(index, people)
        scorers = {
            "profile": Scorer(index=index, support="profile", profile=ProfileSettings(neutral=neutral)),
            "bare profile": Scorer(
                index=index, support="profile", profile=ProfileSettings(
                    neutral=neutral, slack=0.0, article_weight=0.0, forms=False, negation="ignore"
                )
            ),
            "paper": Scorer(index=index, extractor=RulesExtractor(question_subject=True)),
        }  # fmt: skip
        sources = [(EDITS, cases(scorers["profile"], people, arguments.sentences)),
                   (PAIR_EDITS, cases(scorers["profile"], pairs, arguments.sentences))]  # fmt: skip
        print(f"Z {neutral:.2f}; {' and '.join(str(len(found)) for _, found in sources)} true sentences")
        print("| edit | edits | " + " | ".join(scorers) + " |\n|---|---|" + "---|" * len(scorers))
        table: list[dict[str, object]] = []
        for edits, found in sources:
            for name, edit in edits.items():
                made = [(case, text) for case in found if (text := edit(case)) is not None and text != case.item.text]
                table.append(line(name, made, scorers))
                if edit in (drop_worst, keep_best_two, shorten):
                    whole = [(case, text) for case, text in made if has_all(index, case)]
                    table.append(line(f"{name}, all of them in the corpus", whole, scorers))
    if arguments.json:
        arguments.json.write_text(json.dumps({"neutral": neutral, "edits": table}, indent=1) + "\n")


def _neutral(index: Index, people: Sequence[Labelled]) -> float:
    scorer = Scorer(index=index, support="profile")
    scored = scorer.score_texts([item.text for item in people], questions=[item.question for item in people])
    return measure_neutral(text.sentences for text in scored).value


if __name__ == "__main__":
    main()
