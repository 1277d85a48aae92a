"""Mathematics without a corpus: a rule-based verifier that errs, appeals, and the forward correction.

    python experiments/math/train.py --output runs/math --seeds 1 2 3          all arms on a small model, offline
    python experiments/math/train.py --output runs/math --arms corrected --model Qwen/Qwen2.5-0.5B-Instruct \\
        --questions gsm8k-train.jsonl --held-out gsm8k-test.jsonl

The verifier is `math-verify` (judge rule `math`), which takes no number in words. Arms: `oracle` pays by the lenient
string judge, `verifier` by math-verify, `appeals` has one in ten of its rejections heard by the lenient judge,
`corrected` corrects for the rate that the appeals find, too, and `control` is that without the correction: the same
baseline and scale. Question files are JSON Lines with `question` and `answers`.

Every arm and seed is a line of `results.jsonl`, and is skipped where its line is there; the table over seeds is printed
at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from problems import make_rows
from small import fitted_policy
from transformers import PrinterCallback, set_seed
from trl import GRPOConfig

from corver.config import CreditConfig, JudgeConfig, PolicyConfig
from corver.evaluate.passk import mean_pass_at_k
from corver.policy.load import Policy, load_policy
from corver.reward.judge import judge
from corver.runs import append_jsonl, read_jsonl
from corver.train.appeals import StringAppeals
from corver.train.rewards import judge_function
from corver.train.trl import CorverTrainer

sys.path.append(str(Path(__file__).parents[1] / "ablation"))  # behind: `small` is this folder's own
from estimates import mean_of

FREE = {"advantage": {"scale": "none"}}
ARMS: dict[str, dict[str, Any]] = {
    "oracle": {"rule": "lenient", "credit": {}},
    "verifier": {"rule": "math", "credit": {}},
    "appeals": {"rule": "math", "credit": {"appeals": {"q": 0.1}}},
    "control": {"rule": "math", "credit": FREE | {"noise": {"correction": "none"}, "appeals": {"q": 0.1}}},
    "corrected": {"rule": "math", "credit": FREE | {"noise": {"correction": "forward"}, "appeals": {"q": 0.1}}},
}
ASK = " Think in <think> </think>, then give the number alone in <answer> </answer>."


def main() -> None:
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    results = options.output / "results.jsonl"
    done = {(row["arm"], row["seed"]): row for row in read_jsonl(results)}
    left = [(arm, seed) for seed in options.seeds for arm in ("base", *options.arms) if (arm, seed) not in done]
    if left:
        base, training, held_out = _prepared(options)
        for arm, seed in left:
            found = trial(base, training, held_out, arm, seed, options)
            done[arm, seed] = report = {"arm": arm, "seed": seed, **found}
            append_jsonl(results, [report])
            print(json.dumps(report), file=sys.stderr)
    table(done)


def _prepared(options: argparse.Namespace) -> tuple[Policy, list[dict[str, Any]], list[dict[str, Any]]]:
    """The policy that every arm starts from, questions to train on, and those kept out."""
    if options.model:
        base = load_policy(PolicyConfig(model=options.model))
        return base, read_jsonl(options.questions), read_jsonl(options.held_out)
    rows = make_rows()
    return fitted_policy(rows[100:], steps=options.fit_steps), rows[100:], rows[:100]


def trial(
    base: Policy, training: list[dict[str, Any]], held_out: list[dict[str, Any]], arm: str, seed: int,
    options: argparse.Namespace,
) -> dict[str, Any]:  # fmt: skip
    """An arm trained with a seed, and asked; `base` is not trained."""
    set_seed(seed)
    policy = Policy(base.name, deepcopy(base.model), base.tokenizer)
    log = {} if arm == "base" else train(policy, training, arm, seed, options)
    return {**evaluate(policy, held_out, seed, options), **log}


def table(done: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Means over seeds, with 95 % intervals by Student's t: over trainings of one policy, asked the same questions."""
    print(f"{'arm':12} {'seeds':>5} {'Pass@1':>22} {'Pass@8':>22} {'rejected by math-verify':>24}")
    for arm in ("base", *ARMS):
        rows = [row for (name, _), row in sorted(done.items()) if name == arm]
        columns = (
            [row["pass@1"]["value"] for row in rows],
            [row["pass@8"]["value"] for row in rows],
            [row["rejected_by_math_verify"] for row in rows],
        )
        if rows:
            print(f"{arm:12} {len(rows):>5} " + " ".join(f"{over_seeds(column):>22}" for column in columns))


def over_seeds(values: list[float]) -> str:
    found = mean_of(dict(enumerate(values)))
    return f"{found.value:.3f}" + (f" [{found.low:.3f}, {found.high:.3f}]" if found.seeds > 1 else "")


def train(
    policy: Policy, rows: list[dict[str, Any]], arm: str, seed: int, options: argparse.Namespace
) -> dict[str, float]:
    """One arm; the last of the metrics that show the correction at work."""
    credit = CreditConfig(**ARMS[arm]["credit"])
    asked = ASK if options.model else ""
    prompts = [
        {"prompt": [{"role": "user", "content": row["question"] + asked}], "question": row["question"],
         "answers": row["answers"]} for row in rows
    ]  # fmt: skip
    arguments = GRPOConfig(
        output_dir=str(options.output / arm), max_steps=options.steps, learning_rate=options.rate,
        per_device_train_batch_size=options.prompts * 8, num_generations=8, max_completion_length=options.tokens,
        scale_rewards=credit.advantage.scale, beta=0.0, lr_scheduler_type="constant", logging_steps=1,
        save_strategy="no", report_to="none", disable_tqdm=True, seed=seed, bf16=False,
        gradient_checkpointing=False, use_cpu=not torch.cuda.is_available(), dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = CorverTrainer(
        model=policy.model,
        processing_class=policy.tokenizer,
        reward_funcs=[judge_function(JudgeConfig(rule=ARMS[arm]["rule"], correct=1.0, wrong=0.0, not_attempted=0.0))],
        args=arguments,
        train_dataset=Dataset.from_list(prompts),
        credit=credit,
        appeal_judge=StringAppeals(rule="lenient") if credit.appeals else None,
    )
    trainer.remove_callback(PrinterCallback)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer.train()
    names = ("corver/noise_false_negative", "corver/advantage_std", "corver/reward_group_std", "grad_norm")
    last = next((row for row in reversed(trainer.state.log_history) if "grad_norm" in row), {})
    made = sum(row.get("corver/appeals_made", 0) for row in trainer.state.log_history)
    flipped = sum(row.get("corver/appeals_flipped", 0) for row in trainer.state.log_history)
    return {name: last[name] for name in names if name in last} | {"appeals": made, "flipped": flipped}


@torch.inference_mode()
def evaluate(policy: Policy, rows: list[dict[str, Any]], seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Pass@1 and Pass@8 by the lenient judge, and how many right answers math-verify rejects."""
    tokenizer, model = policy.tokenizer, policy.model.eval()
    asked = ASK if options.model else ""
    torch.manual_seed(seed)
    correct, right, rejected = [], 0, 0
    for start in range(0, len(rows), 25):
        part = rows[start : start + 25]
        chats = [[{"role": "user", "content": row["question"] + asked}] for row in part]
        batch = tokenizer.apply_chat_template(
            chats, add_generation_prompt=True, return_dict=True, return_tensors="pt", padding=True
        ).to(model.device)
        batch.pop("token_type_ids", None)
        made = model.generate(**batch, max_new_tokens=options.tokens, do_sample=True, num_return_sequences=8, top_k=0)
        texts = tokenizer.batch_decode(made[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)
        for place, row in enumerate(part):
            own = texts[8 * place : 8 * place + 8]
            labels = [judge(text, row["answers"], rule="lenient") for text in own]
            good = [text for text, found in zip(own, labels, strict=True) if found and found.label == "correct"]
            strict = [judge(text, row["answers"], rule="math") for text in good]
            correct.append(len(good))
            right += len(good)
            rejected += sum(found is not None and found.label != "correct" for found in strict)
    passes = mean_pass_at_k(correct, 8, (1, 8), draws=2000, seed=0)
    return {f"pass@{k}": estimate.to_json() for k, estimate in passes.items()} | {
        "rejected_by_math_verify": rejected / max(1, right)
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--model", help="folder or hub id; else a small model is made")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--fit-steps", type=int, default=400)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--prompts", type=int, default=8, help="questions a step, eight completions each")
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    options = parser.parse_args()
    if options.model and not (options.questions and options.held_out):
        parser.error("--model needs --questions and --held-out")
    return options


if __name__ == "__main__":
    main()
