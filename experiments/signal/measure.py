"""How well supports tell true sentences from false ones.

    python experiments/signal/measure.py INDEX FACTS_DIR [--json FILE] [--draws 300] [--half explore|report]

Prints, for each labelled set: the area under the ROC curve of the profile score with a 95 % interval (bootstrap over
relations, pages or persons), that of the reward (default Z), the paper's level with the same extractor on the same
sentences, coverage (the share of sentences with a verdict), ECE of an isotonic map out of fold, and the cross-fitted
area: the weight of common words chosen on one half of the groups and reported on the other. FActScore is limited to
people with at least 3 mentions. --half: only the relations, pages and persons of one half; constants are compared on
`explore` and never on `report`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sets import Labelled, load_sets
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from corver.extract.rules import RulesExtractor
from corver.extract.scan import scan
from corver.extract.topic import find_topics
from corver.extract.units import folded
from corver.index import Index
from corver.reward.profile import ProfileSettings, sentence_score
from corver.reward.scorer import Scorer
from corver.types import SentenceScore, Unit

Floats = NDArray[np.float64]
LEAST_MENTIONS = 3
WEIGHTS = (0.1, 0.2, 0.3, 0.5, 1.0)
DEFAULT = ProfileSettings()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Areas with their intervals; sentences, groups, share of them with a verdict."""

    name: str
    sentences: int
    groups: int
    coverage: float
    area: float
    low: float
    high: float
    reward: float
    crossfit: float
    paper: float
    paper_coverage: float
    ece: float


def area(score: Floats, true: Floats, group: NDArray[np.int64], draws: int) -> tuple[float, float, float]:
    """Area under the curve, and its interval by drawing whole groups."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(group == g) for g in range(group.max() + 1)]
    values = []
    for _ in range(draws):
        rows = np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))])
        if 0 < true[rows].sum() < rows.size:
            values.append(roc_auc_score(true[rows], score[rows]))
    low, high = np.percentile(values, [2.5, 97.5])
    return float(roc_auc_score(true, score)), float(low), float(high)


def calibration_error(score: Floats, true: Floats, group: NDArray[np.int64], bins: int = 10) -> float:
    """ECE over bins of equal size of an isotonic map that was fitted on other groups."""
    probability = np.zeros(score.size)
    for train, test in GroupKFold(5).split(score, true, group):
        fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(score[train], true[train])
        probability[test] = fitted.predict(score[test])
    order = np.argsort(probability, kind="stable")
    return float(
        sum(abs(probability[part].mean() - true[part].mean()) * part.size for part in np.array_split(order, bins))
        / score.size
    )


def reweighted(units: Sequence[Unit], word: float) -> float:
    """The sentence score under another weight of common words."""
    weights = [word if unit.weight == DEFAULT.word_weight else unit.weight for unit in units]
    return sum(weight * unit.score for weight, unit in zip(weights, units, strict=True)) / sum(weights)


def crossfit(scores: Sequence[SentenceScore], true: Floats, group: NDArray[np.int64]) -> float:
    """Mean area of both halves of the groups, each under the weight of common words that is best on the other."""
    table = np.array([[reweighted(score.units, word) for word in WEIGHTS] for score in scores])
    half = np.random.default_rng(1).permutation(group.max() + 1)[group] % 2
    areas = []
    for mine in (0, 1):
        chosen = max(range(len(WEIGHTS)), key=lambda k: roc_auc_score(true[half != mine], table[half != mine, k]))
        areas.append(roc_auc_score(true[half == mine], table[half == mine, chosen]))
    return float(np.mean(areas))


def target_units(score: SentenceScore, target: str) -> tuple[Unit, ...]:
    words = folded(target)
    return tuple(unit for unit in score.units if all(word in words for word in folded(unit.text)))


def row(
    name: str, items: Sequence[Labelled], scores: Sequence[SentenceScore], paper: Sequence[SentenceScore], draws: int
) -> Row:
    kept = [i for i, score in enumerate(scores) if score.has_claim and score.units]
    value = np.array([sentence_score(scores[i].units) for i in kept])
    true = np.array([float(items[i].true) for i in kept])
    group = np.unique([items[i].group for i in kept], return_inverse=True)[1]
    known = [i for i in kept if paper[i].has_claim]
    levels = roc_auc_score([items[i].true for i in known], [paper[i].level for i in known])
    return Row(
        name, len(kept), int(group.max()) + 1, len(kept) / len(items), *area(value, true, group, draws),
        float(roc_auc_score(true, [scores[i].reward for i in kept])),
        crossfit([scores[i] for i in kept], true, group), float(levels), len(known) / max(1, len(kept)),
        calibration_error(value, true, group),
    )  # fmt: skip


def mentioned(index: Index, items: Sequence[Labelled]) -> list[bool]:
    """Whether the subject of each sentence has enough mentions."""
    known: dict[str, bool] = {}
    for item in items:
        if item.group not in known:
            (topic,) = find_topics([scan(item.text)], question=item.question)
            loose = 10 if topic and topic.hint else 0
            found = topic and index.mentions(topic.key, cap=LEAST_MENTIONS, loose=loose, any_small_words=True)
            known[item.group] = bool(found) and len(found) >= LEAST_MENTIONS
    return [known[item.group] for item in items]


def measure(index: Index, sets: dict[str, list[Labelled]], draws: int) -> list[Row]:
    profile = Scorer(index=index, support="profile", repetition_guard=False)
    levels = Scorer(index=index, extractor=RulesExtractor(question_subject=True), repetition_guard=False)
    rows: list[Row] = []
    for name, items in sets.items():
        if name.startswith("FActScore"):
            enough = mentioned(index, items)
            items = [item for item, good in zip(items, enough, strict=True) if good]
        texts, questions = [item.text for item in items], [item.question for item in items]
        # Atomic facts and claims are single sentences; a text that splits is judged by its first part.
        scores = [scored.sentences[0] for scored in profile.score_texts(texts, questions=questions)]
        paper = [scored.sentences[0] for scored in levels.score_texts(texts, questions=questions)]
        rows.append(row(name, items, scores, paper, draws))
        show(rows[-1])
        if name == "CounterFact":
            rows.append(row("CounterFact, target only", *_targets(items, scores, paper), draws))
            show(rows[-1])
    return rows


def _targets(
    items: Sequence[Labelled], scores: Sequence[SentenceScore], paper: Sequence[SentenceScore]
) -> tuple[Sequence[Labelled], list[SentenceScore], Sequence[SentenceScore]]:
    from dataclasses import replace

    only = [
        replace(score, units=target_units(score, item.target or "")) for item, score in zip(items, scores, strict=True)
    ]
    return items, only, paper


def show(r: Row) -> None:
    """One line of the table, as soon as it is known."""
    print(
        f"| {r.name} | {r.sentences:,} ({r.groups:,}) | {r.coverage:.2f} | {r.area:.3f} [{r.low:.3f}, {r.high:.3f}]"
        f" | {r.reward:.3f} | {r.crossfit:.3f} | {r.paper:.3f} ({r.paper_coverage:.2f}) | {r.ece:.3f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--json", type=Path, help="write the numbers here, for plot.py")
    parser.add_argument("--draws", type=int, default=300, help="of the bootstrap")
    parser.add_argument("--half", choices=["explore", "report"])
    arguments = parser.parse_args()
    with Index.open(arguments.index) as index:
        words = index.words
        print(f"{words / 1e6:.1f} M words")
        print(
            "| set | sentences (groups) | coverage | profile | its reward | cross-fitted | paper (its coverage) | ECE |"
        )
        print("|---|---|---|---|---|---|---|---|", flush=True)
        rows = measure(index, load_sets(arguments.facts, arguments.half), arguments.draws)
    if arguments.json:
        result = {"words": words, "rows": [asdict(r) for r in rows]}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
