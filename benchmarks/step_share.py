"""What rewards and credit cost in a training step, measured inside a real run.

Prints a row a step and a summary: seconds of the step, of sampling, of rewards and credit (judge, format, splitting,
extraction, counting, alignment, advantages), their share, and with --overlap what is left of it on the training thread.
The shape is the paper's: 3 prompts x 16 completions, several sentences each. The policy is asked for eight sentences
about a subject, so that there is something to score. Kernels are compiled and the index is touched once before the
first step. Rewards count in the index given; the extractor is `rules`.

    benchmarks/step_share.py MODEL INDEX [--steps 4] [--tokens 160] [--threads 2] [--overlap] [--beta 0.001]

MODEL: folder of an instruction-tuned model. INDEX: folder of an index.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback
from trl import GRPOConfig

from corver.config import CreditConfig, PolicyConfig, RewardConfig
from corver.index.counters import open_counter
from corver.policy.load import load_policy
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.train.rewards import format_function, judge_function
from corver.train.trl import CorverTrainer

SUBJECTS = ("Marie Curie", "Warsaw", "the Amazon River", "Isaac Newton", "Japan", "Napoleon", "the Moon", "Mozart")
ASK = "Write eight short sentences about {}, each with one fact. Use full names."


def dataset() -> Dataset:
    return Dataset.from_list(
        [
            {"prompt": [{"role": "user", "content": ASK.format(subject)}], "question": subject, "answers": [subject]}
            for subject in SUBJECTS
        ]
    )


def arguments(folder: str, options: argparse.Namespace) -> GRPOConfig:
    return GRPOConfig(
        output_dir=folder,
        max_steps=options.steps,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=6,
        num_generations=16,
        max_completion_length=options.tokens,
        learning_rate=1e-5,
        beta=options.beta,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
        bf16=False,
        gradient_checkpointing=False,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        seed=42,
    )


class Steps(CorverTrainer):
    """Keeps what is logged, and the wall time of each step and of its sampling."""

    rows: list[dict[str, float]]
    sampling = 0.0

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        made = super()._generate(*args, **kwargs)
        self.sampling = time.perf_counter() - started
        return made

    def log(self, logs: dict[str, float], *rest: Any) -> None:
        if "corver/reward_share" in logs or "loss" in logs:
            self.rows.append({**self._averaged(), **logs, "sampling": self.sampling})
            show_row(len(self.rows), self.rows[-1])
        super().log(logs, *rest)

    def _averaged(self) -> dict[str, float]:
        return {name: sum(values) / len(values) for name, values in self._metrics["train"].items() if values}


def measure(options: argparse.Namespace) -> list[dict[str, float]]:
    torch.set_num_threads(options.threads)
    policy = load_policy(PolicyConfig(model=options.model, dtype=options.dtype))
    with open_counter(Path(options.index)) as index, tempfile.TemporaryDirectory() as folder:
        scorer = build_scorer(RewardConfig(), index=index)
        scorer.score("Marie Curie was born in Warsaw. Isaac Newton was born in Woolsthorpe.")
        trainer = Steps(
            model=policy.model,
            processing_class=policy.tokenizer,
            reward_funcs=[judge_function(), format_function()],
            args=arguments(folder, options),
            train_dataset=dataset(),
            peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"),
            sentence_reward=CooccurrenceReward(scorer),
            credit=CreditConfig(),
            overlap=options.overlap,
        )
        trainer.rows = []
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        return trainer.rows


def show_row(number: int, row: dict[str, float]) -> None:
    if number == 1:
        print("step  step s  sampling s  reward s  scoring s  share %  sentences  claims  tokens")
    step = row["corver/reward_seconds"] / row["corver/reward_share"]
    print(
        f"{number:4d}  {step:6.1f}  {row['sampling']:10.1f}  {row['corver/reward_seconds']:8.4f}  "
        f"{row['corver/scoring_seconds']:9.4f}  {100 * row['corver/reward_share']:7.3f}  "
        f"{row['corver/sentences']:9.2f}  {row['corver/claims']:6.2f}  {row['completions/mean_length']:6.1f}",
        flush=True,
    )


def summarize(rows: list[dict[str, float]]) -> None:
    share = [100 * row["corver/reward_share"] for row in rows]
    print(f"median share of rewards and credit: {statistics.median(share):.3f} % of a step (most: {max(share):.3f} %)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("index")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=160, help="limit of a completion")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16"])
    parser.add_argument("--beta", type=float, default=0.001)
    parser.add_argument("--overlap", action="store_true", help="score in a thread of its own")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    summarize(measure(options))


if __name__ == "__main__":
    main()
