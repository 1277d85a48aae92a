"""Prepare the question files of the SmolLM2-on-Wikipedia run.

In: a folder with `train-pool-4861.jsonl`, `nq-open-dev.jsonl` and `webquestions-test.jsonl`. Out: `train.jsonl` (the
pool without any question of an evaluation set) and `heldout.jsonl` (an equal draw from both of these), with ids.

    python experiments/smollm2_wikipedia/prepare.py --qa DIR --output runs/smollm2-wikipedia/data
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from corver.text.words import words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--heldout", type=int, default=300, help="questions to evaluate on, half from each set")
    options = parser.parse_args()
    natural = read(options.qa / "nq-open-dev.jsonl", "nq")
    web = read(options.qa / "webquestions-test.jsonl", "webq")
    seen = {form(row) for row in natural + web}
    pool = read(options.qa / "train-pool-4861.jsonl", "pool")
    train = [row for row in pool if form(row) not in seen]
    heldout = draw(natural, options.heldout // 2) + draw(web, options.heldout // 2)
    options.output.mkdir(parents=True, exist_ok=True)
    write(options.output / "train.jsonl", train)
    write(options.output / "heldout.jsonl", heldout)
    left_out = len(pool) - len(train)
    print(f"train {len(train)} (left out {left_out} that an evaluation set holds), heldout {len(heldout)}")


def read(path: Path, name: str) -> list[dict[str, Any]]:
    """Rows with unique questions, as id, question, answers."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = [answer for answer in row.get("answers", row.get("answer")) if answer.strip()]
        if answers:
            identity = f"{name}-{hashlib.sha256(row['question'].encode()).hexdigest()[:10]}"
            rows[identity] = {"id": identity, "question": row["question"], "answers": answers}
    return list(rows.values())


def form(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(words(row["question"]))


def draw(rows: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).hexdigest())[:number]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
