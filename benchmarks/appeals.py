"""What appeals add to a training step: a local judge of the policy's own size hears one in ten rejections.

    python benchmarks/appeals.py MODEL [--questions 4] [--generations 8] [--tokens 64] [--steps 4]

MODEL: folder of an instruction-tuned model, which is policy and judge in one. Prints, a step each, the seconds of the
whole step, those of the appeals and their share; the last row is the median. The verifier of the benchmark is a coin
that accepts one completion in four, so that three in four are open to appeal whatever the model says.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import tempfile
import time
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig

from corver.config import CreditConfig, PolicyConfig
from corver.policy.load import load_policy
from corver.train.appeals import ModelAppeals
from corver.train.trl import CorverTrainer

QUESTIONS = (
    "What is the capital of Poland?", "Who wrote Hamlet?", "What is twelve times twelve?", "When did Rome fall?",
    "Who discovered radium?", "What is the largest planet?", "Who painted Guernica?", "When does water boil?",
)  # fmt: skip


def coin(*, completions: Sequence[Any], **_: Any) -> list[float]:
    """Accepts one completion in four, by a hash of its text."""
    return [float(hashlib.sha256(str(completion).encode()).digest()[0] < 64) for completion in completions]


class Timer(TrainerCallback):
    """Seconds of each whole step."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._began = 0.0

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._began = time.perf_counter()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.seconds.append(time.perf_counter() - self._began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--q", type=float, default=0.1)
    parser.add_argument("--reading", choices=("first_token", "reply"), default="first_token")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    policy = load_policy(PolicyConfig(model=options.model))
    judge = ModelAppeals(load_policy(PolicyConfig(model=options.model)), reading=options.reading)
    timer = Timer()
    with tempfile.TemporaryDirectory() as folder:
        trainer = _trainer(policy, judge, timer, folder, options)
        trainer.train()
        rows = [row for row in trainer.state.log_history if "corver/appeals_seconds" in row]
    print(f"{'step':>6} {'seconds':>9} {'appeals':>8} {'failed':>7} {'seconds':>9} {'added':>7}")
    shares = []
    for number, (row, seconds) in enumerate(zip(rows, timer.seconds, strict=True), start=1):
        heard = row["corver/appeals_seconds"]
        shares.append(heard / (seconds - heard))
        print(
            f"{number:>6} {seconds:>9.2f} {row['corver/appeals_made']:>8.0f} {row['corver/appeals_failed']:>7.0f} "
            f"{heard:>9.3f} {shares[-1]:>7.1%}"
        )
    whole, added = statistics.median(timer.seconds), statistics.median(shares)
    print(f"{'median':>6} {whole:>9.2f} {'':>8} {'':>7} {'':>9} {added:>7.1%}")


def _trainer(policy: Any, judge: ModelAppeals, timer: Timer, folder: str, options: argparse.Namespace) -> CorverTrainer:
    batch = options.questions * options.generations
    arguments = GRPOConfig(
        output_dir=folder, max_steps=options.steps, per_device_train_batch_size=batch,
        num_generations=options.generations, max_completion_length=options.tokens, scale_rewards="none", beta=0.0,
        logging_steps=1, save_strategy="no", report_to="none", disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(), gradient_checkpointing=False, bf16=False, dataloader_pin_memory=False,
    )  # fmt: skip
    rows = [
        {"prompt": [{"role": "user", "content": text}], "question": text, "answers": ["unknown"]} for text in QUESTIONS
    ]
    credit: dict[str, Any] = {
        "advantage": {"scale": "none"},
        "noise": {"correction": "forward"},
        "appeals": {"q": options.q, "reads": "completion"},
    }
    trainer = CorverTrainer(
        model=policy.model, processing_class=policy.tokenizer, reward_funcs=[coin], args=arguments,
        train_dataset=Dataset.from_list(rows), credit=CreditConfig(**credit), appeal_judge=judge,
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"), callbacks=[timer],
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    return trainer


if __name__ == "__main__":
    main()
