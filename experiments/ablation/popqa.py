"""Question files of the SmolLM2 ablation from PopQA: training and held-out questions that share no subject.

In: PopQA as a file that `corver eval` reads (question, answers). Out: `train.jsonl` and `heldout.jsonl` with ids. PopQA
asks about entities in fixed wordings, so a model of this size answers some; of NQ-Open and WebQuestions it answers next
to none, which leaves a learning zone too small to train on.

    python experiments/ablation/popqa.py POPQA --output DATA
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from corver.evaluate.questions import Question, read_questions
from corver.extract.subjects import question_subject

__all__ = ["main", "split"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--train", type=int, default=800)
    parser.add_argument("--heldout", type=int, default=400)
    options = parser.parse_args()
    train, heldout = split(read_questions(options.questions), train=options.train, heldout=options.heldout)
    options.output.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("heldout", heldout)):
        lines = (
            json.dumps({"id": row.id, "question": row.question, "answers": list(row.answers)}, ensure_ascii=False)
            for row in rows
        )
        (options.output / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"train {len(train)}, heldout {len(heldout)}")


def split(questions: Sequence[Question], *, train: int, heldout: int) -> tuple[list[Question], list[Question]]:
    """A draw by hash that no order of the file changes; a training question shares no subject with a held-out one."""
    drawn = sorted(questions, key=lambda row: hashlib.sha256(row.question.encode()).hexdigest())
    kept = drawn[:heldout]
    asked = {question_subject(row.question) for row in kept}
    return [row for row in drawn[heldout:] if question_subject(row.question) not in asked][:train], kept


if __name__ == "__main__":
    main()
