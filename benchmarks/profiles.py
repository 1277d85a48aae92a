"""What a sentence costs around its subject: `mentions` once a subject, `profile` of five units a sentence.

    python benchmarks/profiles.py --index DIR --pairs trex-pairs.jsonl [--subjects 300]

Subjects are those of the pairs that the index mentions at least 200 times (then 200 are sampled); the units of each are
the objects of five pairs drawn at random. Every sentence is one call of `Index.profile`, Python included, on one core.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
from common import content_words, print_table

from corver.index import Index
from corver.types import Phrase

UNITS, CAP, PASSES = 5, 200, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--subjects", type=int, default=300)
    options = parser.parse_args()
    pairs = [json.loads(line) for line in options.pairs.read_text(encoding="utf-8").splitlines()]
    rng = random.Random(1)
    subjects = list(dict.fromkeys(row["subject"] for row in pairs))
    rng.shuffle(subjects)
    objects = [Phrase(tuple(found)) for row in pairs if (found := content_words(row["object"]))]
    first, cold, warm = [], [], []
    with Index.open(options.index) as index:
        index.profile(index.mentions("Warsaw", cap=CAP), ["poland"])  # loads the kernels
        for subject in subjects:
            if len(warm) == options.subjects:
                break
            began = time.perf_counter()
            mentions = index.mentions(subject, cap=CAP)
            spent = time.perf_counter() - began
            if len(mentions) < CAP:
                continue
            units = rng.sample(objects, UNITS)
            times = []
            for _ in range(PASSES + 1):
                began = time.perf_counter()
                index.profile(mentions, units)
                times.append(time.perf_counter() - began)
            first.append(spent)
            cold.append(times[0])
            warm.append(float(np.median(times[1:])))
    rows = [
        [name, *(f"{np.quantile(times, q) * 1e6:.0f}" for q in (0.5, 0.9, 0.99)), f"{np.mean(times) * 1e6:.0f}"]
        for name, times in (
            ("mentions of a new subject", first),
            ("profile, its units new to the index handle", cold),
            ("profile, units known", warm),
        )
    ]
    title = f"µs a call: {len(warm)} subjects, {UNITS} units, {CAP} mentions, one core"
    print_table(title, ["what", "median", "p90", "p99", "mean"], rows)


if __name__ == "__main__":
    main()
