"""Would a judge that asks the corpus find right answers that no comparison of strings finds?

    .venv/bin/python benchmarks/judge_evidence.py JUDGED.jsonl INDEX

JUDGED is as for judge.py, and only its half `tune` is read. Of the predictions that `lenient` rejects, people call some
right. For each: how much more often than by chance it stands within about 5, 30 and 300 words of an accepted answer,
and of the words of the question, there also against the accepted answer's own. Table: for each of these numbers, and
for a logistic regression on all of them by five-fold cross-validation over questions, the area under the ROC curve and
how many of the right ones it finds before 2 % of all wrong ones are accepted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from common import print_table
from judge import half, judged
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corver.index import Index
from corver.text.stopwords import STOPWORDS
from corver.text.words import words

SCALES = (5.0, 30.0, 300.0)
MOST = 20_000  # mentions of a name that are looked at
ACCEPTED = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judged", type=Path)
    parser.add_argument("index", type=Path)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.judged.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if half(row["question"]) == "tune"]
    cases, right, accepted, wrong = [], [], 0, 0
    for verdict in ("judged_correct", "judged_incorrect"):
        for row, prediction, label in judged(rows, verdict, "lenient"):
            wrong += verdict == "judged_incorrect"
            if label == "correct":
                accepted += verdict == "judged_incorrect"
            else:
                cases.append((row["question"], row["answers"], prediction))
                right.append(verdict == "judged_correct")
    with Index.open(arguments.index) as index:
        places = Places(index)
        features = [places.features(*case) for case in cases]
    report(features, np.array(right), [question for question, _, _ in cases], int(ACCEPTED * wrong) - accepted)


class Places:
    """Where names stand in the index, each looked up once."""

    def __init__(self, index: Index) -> None:
        self._index, self._found = index, dict[str, NDArray[np.int64]]()

    def of(self, name: str) -> NDArray[np.int64]:
        """Positions of a name: document in the upper half, word in the lower."""
        key = " ".join(words(name))
        if key not in self._found:
            self._found[key] = np.zeros(0, dtype=np.int64)
            if key:
                found = self._index.mentions(key, cap=MOST, surname=False, loose=0, any_small_words=True).places
                joined = [part.astype(np.int64) + (segment << 56) for segment, part in enumerate(found)]
                self._found[key] = np.sort(np.concatenate(joined))
        return self._found[key]

    def lift(self, one: str, other: str, scale: float) -> float:
        """ln of how much nearer than by chance the rarer of two names stands to the other."""
        short, long = sorted((self.of(one), self.of(other)), key=len)
        if not len(short):
            return 0.0
        after = np.searchsorted(long, short)
        gaps = [np.abs(long[np.clip(at, 0, len(long) - 1)] - short) for at in (after - 1, after)]
        near = np.exp(-np.minimum(*gaps) / scale).sum()  # another document is 2^32 words away
        chance = len(short) * min(1.0, 2 * scale * len(long) / self._index.words)
        return float(np.log((near + 0.05) / (chance + 0.05)))

    def features(self, question: str, golds: Sequence[str], said: str) -> dict[str, float]:
        told = [word for word in dict.fromkeys(words(question)) if word not in STOPWORDS and word not in words(said)]
        found = {}
        for scale in SCALES:
            found[f"accepted answer, {scale:.0f} words"] = max(self.lift(said, gold, scale) for gold in golds)
            ours = mean([self.lift(said, word, scale) for word in told])
            theirs = max(mean([self.lift(gold, word, scale) for word in told]) for gold in golds)
            found[f"question, {scale:.0f} words"] = ours
            found[f"question, {scale:.0f} words, less the accepted answer's"] = ours - theirs
        return found


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def report(features: Sequence[dict[str, float]], right: NDArray[np.bool_], groups: Sequence[str], spare: int) -> None:
    scores = {name: np.array([row[name] for row in features]) for name in features[0]}
    numbers = np.column_stack(list(scores.values()))
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
    ranked = cross_val_predict(model, numbers, right, groups=groups, cv=GroupKFold(5), method="predict_proba")
    scores["all, cross-validated"] = ranked[:, 1]
    table = []
    for name, score in scores.items():
        bar = np.sort(score[~right])[::-1][spare]
        found = int((score[right] > bar).sum())
        table.append((name, f"{roc_auc_score(right, score):.2f}", f"{found} of {int(right.sum())}"))
    title = f"Right answers that lenient rejects, found before {spare} more wrong ones are accepted"
    print_table(title, ("near", "area under ROC", "found"), table)


if __name__ == "__main__":
    main()
