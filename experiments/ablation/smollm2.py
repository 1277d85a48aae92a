"""SmolLM2 on real corpora: raw, A1, A3, full and profile support with the same budget, several seeds.

In: an index and the model; the questions and the learning zone are the demo's unless others are given: of NQ-Open,
WebQuestions and PopQA a model of this size answers two or three in a hundred, of the demo's a third. Out: a run folder
an arm and seed, answers to held-out questions, and `--collect`: one small file. Killed and started again, it goes on
where it stopped, within a run too.

    python experiments/ablation/smollm2.py --index INDEX --model MODEL --output runs/ablation/smollm2
    python experiments/ablation/smollm2.py --index INDEX --output runs/ablation/smollm2 --collect FILE
    python experiments/ablation/smollm2.py --table FILE

There is no truth of sentences to compare with here: what is measured is the answers' accuracy, the verdicts of the
support that most arms were trained with (`paper`), and those of the other (`profile`), which tells true from false
sentences better and, but in the arm of its name, was no one's reward.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tables import Table

import corver.demo_data
from corver.config import RunConfig, load_config
from corver.evaluate.stats import compare, summarize
from corver.runs import read_jsonl, write_text

__all__ = ["main", "smollm2_tables"]

ARMS = {
    "a1": ["--ablation", "A1"],
    "full": [],
    "a3": ["--ablation", "A3"],
    "profile": ["--reward.support", "profile", "--reward.question_subject", "false"],
}
SHOWN = ("accuracy", "sentence_reward", "profile_reward", "count_zero_share", "claims_per_completion", "mean_length",
         "not_attempted_rate", "format_rate")  # fmt: skip
CURVES = ("completions/mean_length", "corver/claims", "corver/sentence_reward", "rewards/judge/mean")
PAIRS = (("full", "a1"), ("full", "a3"), ("a3", "a1"), ("profile", "full"), ("profile", "a1"))
RECIPE = Path(__file__).with_name("smollm2.yaml")
DEMO = Path(corver.demo_data.__path__[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument(
        "--data",
        type=Path,
        default=DEMO,
        help="folder of questions.jsonl with splits train and heldout, and perhaps zone.jsonl",
    )
    parser.add_argument("--output", type=Path)
    parser.add_argument("--arms", nargs="+", choices=sorted(ARMS), default=list(ARMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--questions", type=int, default=200, help="held-out questions to answer")
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--collect", type=Path)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    if options.table:
        for table in smollm2_tables(options.table):
            print(f"\n{table.title}\n\n{table}")
    elif options.output is None:
        parser.error("--output is needed")
    elif options.collect:
        if options.index is None:
            parser.error("--index is needed to score with profile support")
        collect(options.output, options.collect, options.index)
    elif None in (options.index, options.model):
        parser.error("--index and --model are needed")
    else:
        run(options)


def run(options: argparse.Namespace) -> None:
    """Raw answers first, then seed by seed every arm, so that an early stop leaves whole pairs."""
    for arm, seed in [("raw", 0), *((arm, seed) for seed in options.seeds for arm in options.arms)]:
        answers = options.output / "answers" / f"{arm}-{seed}.jsonl"
        if (options.output / "answers" / f"{arm}-{seed}.done").exists():
            continue
        config = configuration(options, arm, seed)
        answer(config, answers, adapter=None if arm == "raw" else trained(config), questions=options.questions)
        answers.with_suffix(".done").touch()
        print(f"{arm} {seed} done", flush=True)


def configuration(options: argparse.Namespace, arm: str, seed: int) -> RunConfig:
    """The product's configuration of an arm."""
    zone = options.data / "zone.jsonl"
    words = ["--output", str(options.output / f"{arm}-{seed}"), "--index", str(options.index), "--seed", str(seed),
             "--policy.model", str(options.model), "--data.questions", str(options.data / "questions.jsonl"),
             "--data.split", "train", "--optimization.steps", str(options.steps), *ARMS.get(arm, [])]  # fmt: skip
    return load_config(options.recipe, words + (["--data.zone", str(zone)] if zone.exists() else []))


def trained(config: RunConfig) -> Path:
    """Train, or go on training, and return the adapter."""
    from corver.train.run import train

    return train(config).adapter


def answer(config: RunConfig, output: Path, *, adapter: Path | None, questions: int) -> None:
    """Greedy answers to the held-out questions, scored by the paper's support whatever the arm was trained with."""
    import torch
    from peft import PeftModel

    from corver.evaluate.questions import draw_questions, read_questions
    from corver.evaluate.run import evaluate_policy
    from corver.index import Index
    from corver.policy.generate import SamplingSettings
    from corver.policy.load import load_policy
    from corver.reward.build import build_scorer
    from corver.reward.scorer import CooccurrenceReward

    torch.set_num_threads(config.threads or 1)
    policy = load_policy(config.policy)
    if adapter is not None:
        policy.model = PeftModel.from_pretrained(policy.model, adapter)
    reward = config.reward.model_copy(update={"support": "paper", "question_subject": True})
    heldout = read_questions(Path(config.data.questions[0]), split="heldout")
    output.parent.mkdir(parents=True, exist_ok=True)
    with Index.open(Path(config.index)) as index:
        scorer = build_scorer(reward, index=index)
        evaluate_policy(
            policy,
            draw_questions(heldout, questions),
            output,
            sentence_reward=CooccurrenceReward(scorer),
            reward=reward,
            prompt=config.policy.prompt,
            settings=SamplingSettings(max_tokens=config.sampling.max_completion_tokens, batch=25),
            key={"adapter": str(adapter), "scorer": scorer.fingerprint(), "questions": questions},
        )


def collect(output: Path, target: Path, index: Path) -> None:
    """Summaries and differences to the raw model, a line a run, with the curves of length and claims."""
    raw = read_jsonl(output / "answers" / "raw-0.jsonl")
    again = _read_by_profile(index)
    raw_again = again(raw)
    lines = [{"arm": "raw", "seed": 0, "questions": len(raw), "summary": _json(_joined(summarize, raw, raw_again))}]
    for name, seed, rows in _finished(output):
        metrics = read_jsonl(output / f"{name}-{seed}" / "metrics.jsonl")
        curve = {key: [row.get(key) for row in metrics] for key in CURVES}
        same = {row["id"] for row in rows}
        before = [[row for row in answers if row["id"] in same] for answers in (raw, raw_again)]
        rows_again = again(rows)
        difference = _joined(lambda pair: compare(*pair), (before[0], rows), (before[1], rows_again))
        lines.append({"arm": name, "seed": seed, "questions": len(rows), "curve": curve,
                      "summary": _json(_joined(summarize, rows, rows_again)),
                      "difference": _json(difference)})  # fmt: skip
    runs = len(lines) - 1
    lines += _pairs(output, again)
    write_text(target, "".join(json.dumps(line) + "\n" for line in lines))
    print(f"{runs} runs")


def _pairs(output: Path, again: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Differences between arms over the seeds that both have, a question's answers of all seeds taken together."""
    answers: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for name, seed, rows in _finished(output):
        answers.setdefault(name, {})[seed] = rows
    for above, below in PAIRS:
        if seeds := sorted(answers.get(above, {}).keys() & answers.get(below, {}).keys()):
            after, before = (_by_question([answers[arm][seed] for seed in seeds]) for arm in (above, below))
            difference = _joined(lambda pair: compare(*pair), (before, after), (again(before), again(after)))
            yield {
                "arm": f"{above} − {below}",
                "seed": ", ".join(map(str, seeds)),
                "questions": len(after),
                "pair": _json(difference),
            }


def _by_question(runs: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of several runs over the same questions, a question's rows side by side."""
    return [row for rows in zip(*runs, strict=True) for row in rows]


def _joined(estimates: Callable[[Any], dict[str, Any]], by_paper: Any, by_profile: Any) -> dict[str, Any]:
    """All estimates over the rows as they are, and the sentence reward over those scored again as `profile_reward`."""
    return {**estimates(by_paper), "profile_reward": estimates(by_profile)["sentence_reward"]}


def _read_by_profile(path: Path) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    """Scores evaluation rows again with `profile` support."""
    from corver.config import RewardConfig
    from corver.index import Index
    from corver.reward.build import build_scorer
    from corver.text.rollout import rollout_sentences
    from corver.types import Rollout

    scorer = build_scorer(RewardConfig(support="profile"), index=Index.open(path))

    def again(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rollouts = [
            Rollout(row["completion"], question=row["question"], answers=tuple(row["answers"]),
                    sentences=tuple(rollout_sentences(row["completion"], drop_cut_off=row["cut_off"])))
            for row in rows
        ]  # fmt: skip
        scored = zip(rows, scorer.score_rollouts(rollouts), strict=True)
        return [{**row, "sentences": [score.to_json() for score in scores]} for row, scores in scored]

    return again


def _finished(output: Path) -> Iterator[tuple[str, int, list[dict[str, Any]]]]:
    for arm in ARMS:
        for done in sorted((output / "answers").glob(f"{arm}-*.done")):
            yield arm, int(done.stem.rpartition("-")[2]), read_jsonl(done.with_suffix(".jsonl"))


def smollm2_tables(path: Path) -> list[Table]:
    """Of the file that was collected: each run, and its difference to the raw model."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shown = [name.replace("_", " ") for name in SHOWN]

    def of(kind: str) -> list[list[str]]:
        return [[line["arm"], str(line["seed"] or ""), *_cells(line[kind])] for line in lines if kind in line]

    return [
        Table("SmolLM2, held-out questions, greedy", ["arm", "seed", *shown], of("summary")),
        Table("SmolLM2, differences to the raw model", ["arm − raw", "seed", *shown], of("difference")),
        Table("SmolLM2, differences between arms", ["arms", "seeds", *shown], of("pair")),
    ]


def _cells(table: dict[str, dict[str, float]]) -> Sequence[str]:
    return [" ".join((f"{one['value']:.3f}", f"[{one['low']:.3f}, {one['high']:.3f}]"))
            if (one := table[name])["value"] is not None else "–" for name in SHOWN]  # fmt: skip


def _json(estimates: Any) -> dict[str, Any]:
    return {name: estimate.to_json() for name, estimate in estimates.items()}


if __name__ == "__main__":
    main()
