"""What appeals add to a training step: a local judge of the policy's own size hears one in ten rejections.

    python benchmarks/appeals.py MODEL [--questions 4] [--generations 8] [--tokens 64] [--steps 4]

MODEL: folder of an instruction-tuned model, which is policy and judge in one. Prints, a step each, the seconds of the
whole step and of its appeals, then the seconds of one appeal (eight at once, as long as the policy's answers) and what
the expected number of them adds to a step without any. The verifier of the benchmark is a coin that accepts one
completion in four, so that three in four are open to appeal whatever the model says.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
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
from corver.credit.appeals import AppealCase
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
        print(f"step {len(self.seconds)}: {self.seconds[-1]:.1f} s", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--q", type=float, default=0.1)
    parser.add_argument("--dtype", choices=("auto", "float32", "bfloat16"), default="auto")
    parser.add_argument("--prompt", choices=("tinyv", "plain"), default="tinyv")
    parser.add_argument("--reading", choices=("first_token", "reply"), default="first_token")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    settings = PolicyConfig(model=options.model, dtype=options.dtype)
    policy = load_policy(settings)
    judge = ModelAppeals(load_policy(settings), reading=options.reading, prompt=options.prompt)
    timer = Timer()
    with tempfile.TemporaryDirectory() as folder:
        trainer = _trainer(policy, judge, timer, folder, options)
        trainer.train()
        rows = [row for row in trainer.state.log_history if "corver/appeals_seconds" in row]
    print(f"{'step':>6} {'seconds':>9} {'appeals':>8} {'seconds':>9}")
    for number, (row, seconds) in enumerate(zip(rows, timer.seconds, strict=True), start=1):
        heard, spent = row["corver/appeals_made"], row["corver/appeals_seconds"]
        print(f"{number:>6} {seconds:>9.2f} {heard:>8.0f} {spent:>9.3f}")
    batch = options.questions * options.generations
    rejected = statistics.mean(1 - row["corver/verifier_accepted"] for row in rows) * batch
    bare = statistics.median(
        seconds - row["corver/appeals_seconds"] for row, seconds in zip(rows, timer.seconds, strict=True)
    )
    cases = [AppealCase(text, ("unknown",), "It is said that " * (options.tokens // 4)) for text in QUESTIONS]
    started = time.perf_counter()
    judge.decide(cases)
    each = (time.perf_counter() - started) / len(cases)
    expected = options.q * rejected
    print(f"an appeal {each:.3f} s; expected {expected:.2f} a step ({rejected:.1f} rejected of {batch})")
    print(f"added to a step of {bare:.1f} s: {expected * each / bare:.1%}")


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
