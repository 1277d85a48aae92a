"""Print the tables of docs/ablation.md from the result files; nothing is trained.

    python experiments/ablation/tables.py experiments/ablation/results/small.json
    python experiments/ablation/tables.py experiments/ablation/results/small.json --only order

In: a file that `small.py --collect` wrote. Out: Markdown tables on stdout.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from arms import ARMS
from estimates import Estimate, Results, least_visible, mean_of, paired, read_results, verdict

__all__ = ["TABLES", "Table", "main"]

PERCENT = frozenset({"precision", "fact_precision", "accuracy", "refusals", "well_formed", "repeated", "unread"})
HEADLINE = (
    "precision",
    "fact_precision",
    "accuracy",
    "true_facts",
    "claims",
    "facts_a_claim",
    "length",
    "refusals",
    "repeated",
)
ORDER = (
    ("full", "a3"), ("full", "a1"), ("full", "a2"), ("full", "a4"), ("a3", "a1"), ("full", "full_lambda1"),
    ("full", "raw"), ("a1", "raw"), ("a2", "raw"), ("a3", "raw"), ("a4", "raw"), ("full_lambda1", "raw"),
)  # fmt: skip
TITLES: Mapping[str, str] = {
    "precision": "sentences true",
    "fact_precision": "facts true",
    "accuracy": "answers right",
    "true_facts": "true facts a completion",
    "claims": "claims a completion",
    "facts_a_claim": "facts a claim",
    "length": "tokens",
    "refusals": "refusals",
    "repeated": "repeated sentences",
    "well_formed": "well formed",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; cells are text. str() is Markdown, without the title."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        return "\n".join("| " + " | ".join(row) + " |" for row in [self.head, ["---"] * len(self.head), *self.rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", choices=sorted(TABLES), help="one table")
    options = parser.parse_args()
    results = read_results(options.results)
    for name, make in TABLES.items():
        for table in make(results) if options.only in (None, name) else ():
            print(f"\n{table.title}\n\n{table}")


def arms_table(results: Results, title: str, arms: Sequence[str], *, mode: str = "greedy") -> Table:
    """Means over seeds of the headline rates on held-out questions."""
    rows = [
        [arm, str(len(results.seeds(arm)))]
        + [shown(mean_of(results.rates(arm, name, mode=mode)), name) for name in HEADLINE]
        for arm in arms
        if results.seeds(arm)
    ]
    return Table(f"{title} (held-out questions, {mode})", ["arm", "seeds", *(TITLES[n] for n in HEADLINE)], rows)


def differences(
    results: Results, title: str, pairs: Iterable[tuple[str, str]], names: Sequence[str], *, mode: str = "greedy"
) -> Table:
    """Paired differences with their intervals and the least difference that so many seeds would show."""
    rows = []
    for above, below in pairs:
        for name in names:
            found = paired(results.rates(above, name, mode=mode), results.rates(below, name, mode=mode))
            if found.seeds > 1:
                visible = number(least_visible(found), name)
                rows.append([f"{above} − {below}", TITLES[name], str(found.seeds), signed(found, name),
                             verdict(found), visible])  # fmt: skip
    head = ["difference", "of", "seeds", "mean [95 %]", "said", "visible at 80 %"]
    return Table(f"{title} (held-out questions, {mode})", head, rows)


def order(results: Results) -> Iterator[Table]:
    main_arms = [name for name, arm in ARMS.items() if arm.group == "main"]
    names = ("precision", "fact_precision", "accuracy", "true_facts")
    for mode in ("greedy", "sampled"):
        yield arms_table(results, "Main arms", ["raw", *main_arms], mode=mode)
        yield differences(results, "Main arms, pairs", ORDER, names, mode=mode)
    yield late(results)
    rows = []
    for sets in (("train",), ("heldout_fact",), ("heldout_person",)):
        for arm in ["raw", *main_arms]:
            if results.seeds(arm):
                cells = [
                    shown(mean_of(results.rates(arm, name, sets=sets)), name) for name in ("precision", "accuracy")
                ]
                rows.append([sets[0], arm, *cells])
    yield Table("By set of questions (greedy)", ["set", "arm", "sentences true", "answers right"], rows)


def late(results: Results) -> Table:
    """What the arms said in the last ten steps of training: 480 completions a seed to the same questions."""
    rows = []
    for above, below in (("full", "a3"), ("full", "a1"), ("full", "a2"), ("a3", "a1"), ("full", "full_lambda1"),
                         ("profile", "full"), ("min", "full"), ("relcheck", "full")):  # fmt: skip
        for name in ("precision", "fact_precision", "accuracy", "claims"):
            found = paired(results.late_rates(above, name), results.late_rates(below, name))
            if found.seeds > 1:
                rows.append([f"{above} − {below}", TITLES[name], str(found.seeds), signed(found, name),
                             verdict(found), number(least_visible(found), name)])  # fmt: skip
    head = ["difference", "of", "seeds", "mean [95 %]", "said", "visible at 80 %"]
    return Table("Rollouts of the last ten steps, pairs (training questions, sampled)", head, rows)


def support(results: Results) -> Iterator[Table]:
    pairs = [("profile", "full"), ("profile", "raw")]
    names = ("precision", "fact_precision", "accuracy", "true_facts", "claims", "length")
    for mode in ("greedy", "sampled"):
        yield arms_table(results, "Support", ["raw", "full", "profile"], mode=mode)
        yield differences(results, "Support, pairs", pairs, names, mode=mode)


def rules(results: Results) -> Iterator[Table]:
    pairs = [("min", "full"), ("relcheck", "full")]
    names = ("precision", "fact_precision", "accuracy", "length", "claims", "refusals")
    for mode in ("greedy", "sampled"):
        yield arms_table(results, "Pair rules", ["raw", "full", "min", "relcheck"], mode=mode)
        yield differences(results, "Pair rules, pairs", pairs, names, mode=mode)
    rows = []
    for arm in ("a1", "full", "min", "relcheck", "profile"):
        found = [results.trials[arm, seed] for seed in results.seeds(arm)]
        if found:
            cells = [f"{median(one[key] for one in found):.1f}" for key in ("cpu_seconds", "seconds", "reward_seconds")]
            rows.append([arm, str(len(found)), *cells])
    head = ["arm", "seeds", "seconds of CPU", "wall clock", "of it in the reward"]
    yield Table("Cost of a training run, medians over seeds on a busy machine", head, rows)


def guards(results: Results) -> Iterator[Table]:
    mine = [name for name, arm in ARMS.items() if arm.group == "guards"]
    pairs = [(arm, "full") for arm in mine]
    pairs += [(arm, "sentences_only") for arm in mine if arm.startswith("sentences_only_")]
    for mode in ("greedy", "sampled"):
        yield arms_table(results, "Guards", ["raw", "raw_no_rule", "full", *mine], mode=mode)
        yield differences(results, "Guards, pairs", pairs, ("precision", "claims", "length", "repeated"), mode=mode)


def sweep(results: Results) -> Iterator[Table]:
    mine = [name for name, arm in ARMS.items() if arm.group == "sweep"]
    for mode in ("greedy", "sampled"):
        yield arms_table(results, "Levels, thresholds, window", ["full", *mine], mode=mode)
        yield differences(
            results, "Sweep, pairs", [(arm, "full") for arm in mine], ("precision", "accuracy"), mode=mode
        )


def quartiles(results: Results) -> Iterator[Table]:
    head = ["gain", "of", "least known", "second", "third", "best known", "best − least known"]
    for mode in ("greedy", "sampled"):
        rows = []
        for arm in ("full", "a1", "a3", "profile"):
            for name in ("precision", "accuracy"):
                gains = [_gain(results, arm, name, quartile, mode) for quartile in range(4)]
                if gains[0]:
                    cells = [mean_of(gain) for gain in gains] + [paired(gains[3], gains[0])]
                    rows.append([f"{arm} − raw", TITLES[name], *(signed(cell, name) for cell in cells)])
        title = f"Gain by popularity quartile of the person asked about (held-out questions, {mode})"
        yield Table(title, head, rows)


def _gain(results: Results, arm: str, name: str, quartile: int, mode: str) -> dict[int, float]:
    """Seed to what an arm gained over the raw policy in one quartile."""
    after, before = (results.rates(one, name, mode=mode, quartile=quartile) for one in (arm, "raw"))
    return {seed: after[seed] - before[seed] for seed in after}


TABLES: Mapping[str, Callable[[Results], Iterable[Table]]] = {
    "order": order,
    "support": support,
    "rules": rules,
    "guards": guards,
    "sweep": sweep,
    "quartiles": quartiles,
}


def number(value: float, name: str) -> str:
    """Rates in per cent, the rest as it is."""
    if math.isnan(value):
        return "–"
    return f"{100 * value:.1f}" if name in PERCENT else f"{value:.2f}"


def shown(estimate: Estimate, name: str) -> str:
    """Value and interval."""
    if not estimate.seeds:
        return "–"
    return f"{number(estimate.value, name)} [{number(estimate.low, name)}, {number(estimate.high, name)}]"


def signed(estimate: Estimate, name: str) -> str:
    """A difference and its interval, with signs."""
    parts = [number(value, name) for value in (estimate.value, estimate.low, estimate.high)]
    value, low, high = (part if part.startswith(("-", "–")) else f"+{part}" for part in parts)
    return f"{value} [{low}, {high}]".replace("-", "−")


if __name__ == "__main__":
    main()
