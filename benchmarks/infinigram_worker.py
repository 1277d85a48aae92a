"""Counts and times CNF queries with infini-gram; runs in an environment of its own. In: JSON on stdin. Out: JSON."""

from __future__ import annotations

import json
import sys
import time

from infini_gram.engine import InfiniGramEngine


def main() -> None:
    task = json.load(sys.stdin)
    engine = InfiniGramEngine(
        index_dir=task["index"], eos_token_id=task["eos"], vocab_size=65535, version=4, token_dtype="u16",  # noqa: S106
        max_clause_freq=task.get("max_clause_freq", 1 << 40), max_diff_tokens=task["window"],
    )  # fmt: skip
    answers = [engine.count_cnf(cnf=[[[word]] for word in query]) for query in task["queries"]]
    times = []
    for query in task["queries"] if task["passes"] else []:
        cnf = [[[word]] for word in query]
        best = []
        for _ in range(task["passes"]):
            began = time.perf_counter()
            engine.count_cnf(cnf=cnf)
            best.append(time.perf_counter() - began)
        times.append(sorted(best)[len(best) // 2])
    json.dump(
        {
            "seconds": times,
            "counts": [answer["count"] for answer in answers],
            "approx": [answer["approx"] for answer in answers],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
