"""Log-probabilities with a shared beginning are TRL's own, and so are their gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig
from trl import GRPOTrainer

from corver.config import CreditConfig
from corver.policy.prompts import prompt_messages
from corver.train.shared_prompt import SharedPromptTrainer
from corver.train.trl import CorverTrainer
from tiny import END, QUESTIONS, good_completion
from trainers import make_trainer

LORA = LoraConfig(r=4, target_modules=["q_proj", "v_proj", "down_proj"], task_type="CAUSAL_LM", init_lora_weights=False)


@pytest.fixture
def make(tmp_path: Path) -> Any:
    def made(*, checkpointing: bool, lora: bool = True, temperature: float = 0.7) -> Any:
        trainer, _ = make_trainer(
            tmp_path,
            lambda question, place: END,
            [(question, [answer]) for question, answer, _ in QUESTIONS],
            credit=CreditConfig(),
            kind=SharedPromptTrainer,
            changes={"gradient_checkpointing": checkpointing, "temperature": temperature},
            **({"peft_config": LORA} if lora else {}),
        )
        return trainer

    return made


def batch(tokenizer: Any, questions: list[str], completions: list[str]) -> tuple[torch.Tensor, torch.Tensor, int]:
    """As TRL lays it out: prompts padded on the left, completions on the right."""
    pad = tokenizer.pad_token_id
    heads = [
        tokenizer.apply_chat_template(prompt_messages(text), add_generation_prompt=True, return_dict=False)
        for text in questions
    ]
    tails = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in completions]
    left, right = max(map(len, heads)), max(map(len, tails))
    ids = [[pad] * (left - len(h)) + h + t + [pad] * (right - len(t)) for h, t in zip(heads, tails, strict=True)]
    mask = [
        [0] * (left - len(h)) + [1] * (len(h) + len(t)) + [0] * (right - len(t))
        for h, t in zip(heads, tails, strict=True)
    ]
    return torch.tensor(ids), torch.tensor(mask), right


COMPLETIONS = [
    good_completion("Marie Curie was born in Warsaw.", "Warsaw") + END,
    END,
    "cut off in the",
    "Łódź 🤣." + END,
]
QUESTIONS_OF = {
    "several lengths": ["Where?", "Where was Marie Curie born?", "Which of the cities was it, and why?", "Who?"],
    "identical": ["Where was Marie Curie born?"] * 4,
}


def gradients(trainer: Any) -> dict[str, torch.Tensor]:
    found = {
        name: parameter.grad.clone()
        for name, parameter in trainer.model.named_parameters()
        if parameter.grad is not None
    }
    trainer.model.zero_grad()
    return found


@pytest.mark.parametrize("lora", [True, False])
@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("questions", QUESTIONS_OF)
def test_log_probabilities_and_gradients_are_trls(make: Any, questions: str, checkpointing: bool, lora: bool) -> None:
    trainer = make(checkpointing=checkpointing, lora=lora)
    trainer.model.train()
    if checkpointing:  # as the trainer does when training begins
        trainer.model.gradient_checkpointing_enable()
        trainer.model.enable_input_require_grads()
    ids, mask, completion = batch(trainer.processing_class, QUESTIONS_OF[questions], COMPLETIONS)
    kept = mask[:, -completion:].bool()
    generator = torch.Generator().manual_seed(1)
    weights = torch.randn(kept.shape, generator=generator) * kept

    def both(function: Any) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
        # A third value, the loss of experts, came with later versions of TRL.
        logps, entropies, *_ = function(trainer, trainer.model, ids, mask, completion, compute_entropy=True)
        (logps * weights).sum().backward()
        return logps.detach()[kept], entropies[kept], gradients(trainer)

    expected = both(GRPOTrainer._get_per_token_logps_and_entropies)
    found = both(SharedPromptTrainer._get_per_token_logps_and_entropies)
    torch.testing.assert_close(found[0], expected[0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found[1], expected[1], rtol=1e-4, atol=1e-5)
    assert found[2].keys() == expected[2].keys()
    assert found[2]
    for name, gradient in expected[2].items():
        torch.testing.assert_close(found[2][name], gradient, rtol=1e-3, atol=1e-5, msg=name)


def test_the_reference_model_is_the_one_without_adapters(make: Any) -> None:
    trainer = make(checkpointing=False)
    ids, mask, completion = batch(trainer.processing_class, QUESTIONS_OF["several lengths"], COMPLETIONS)
    kept = mask[:, -completion:].bool()
    with torch.no_grad(), trainer.model.disable_adapter():
        found, *_ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, completion)
        expected, *_ = GRPOTrainer._get_per_token_logps_and_entropies(trainer, trainer.model, ids, mask, completion)
    with torch.no_grad():
        adapted, *_ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, completion)
    torch.testing.assert_close(found[kept], expected[kept], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(adapted[kept], found[kept], atol=1e-3)


@pytest.mark.parametrize("name", ["final_logit_softcapping", "logits_scaling", "logit_scale"])
def test_models_that_change_their_logits_are_left_to_trl(make: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    trainer = make(checkpointing=False)
    ids, mask, completion = batch(trainer.processing_class, QUESTIONS_OF["identical"], COMPLETIONS)
    asked: list[str] = []

    def trls(*_: Any, **__: Any) -> tuple[Any, Any, Any]:
        asked.append(name)
        return None, None, None

    monkeypatch.setattr(GRPOTrainer, "_get_per_token_logps_and_entropies", trls)
    trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, completion)
    assert asked == []
    setattr(trainer.model.get_base_model().config, name, 0.5)
    trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, completion)
    assert asked == [name]


def test_a_step_moves_the_weights_as_trls_own(tmp_path: Path) -> None:
    texts = COMPLETIONS

    def script(question: str, place: int) -> str:
        return texts[(place + len(question)) % 4]

    asked = [("Where was Marie Curie born?", ["Warsaw"]), ("Where?", ["Łódź"])]
    moved = []
    for kind in (CorverTrainer, SharedPromptTrainer):
        trainer, recorded = make_trainer(tmp_path / kind.__name__, script, asked, credit=CreditConfig(), kind=kind)
        trainer.train()
        losses = [row["loss"] for row in recorded.logs if "loss" in row]
        moved.append((losses, {name: value.detach() for name, value in trainer.model.named_parameters()}))
    (losses, weights), (own_losses, own_weights) = moved
    assert own_losses == pytest.approx(losses, rel=1e-4, abs=1e-6)
    assert len(losses) == 2
    for name, weight in weights.items():
        # Adam's first steps are signs: compare where the gradient is no rounding error.
        close = torch.isclose(own_weights[name], weight, rtol=1e-3, atol=1e-4).float().mean()
        assert close > 0.99, name
