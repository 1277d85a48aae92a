"""The prompt's shared beginning computed once a batch, in sampling and in the loss.

In: what TRL hands over. Out: the same rollouts and log-probabilities, for less. All prompts of a run begin with the
same instruction and examples; on a CPU, where a small model is trained without an inference server, computing that
beginning once a completion is most of a step. Its keys and values are computed once, with gradients, and shared. For
one process and causal models of text. This module knows no reward.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from trl import GRPOTrainer

from corver.policy.generate import SamplingSettings, cache_argument, sample_ids, shared_length
from corver.policy.load import Policy
from corver.train.trl import CorverTrainer

__all__ = ["SharedPromptTrainer", "shared_prompt_rollouts"]

_HAS_AUX_LOSS = "compute_aux_loss" in inspect.signature(GRPOTrainer._get_per_token_logps_and_entropies).parameters
"""Whether this TRL gives a third value, the load-balancing loss of experts; its first versions give two."""


def shared_prompt_rollouts(settings: SamplingSettings) -> Callable[[list[Any], Any], dict[str, Any]]:
    """A `rollout_func` for one process. Log-probabilities are left to the trainer, which recomputes them if needed."""

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        tokenizer = trainer.processing_class
        prompt_ids = [
            tokenizer.apply_chat_template(
                prompt, add_generation_prompt=True, return_dict=False, **trainer.chat_template_kwargs
            )
            for prompt in prompts
        ]
        model = trainer.accelerator.unwrap_model(trainer.model)
        policy = Policy(name="policy", model=model, tokenizer=tokenizer)
        completions = [ids for ids, _ in sample_ids(policy, prompt_ids, settings)]
        return {"prompt_ids": prompt_ids, "completion_ids": completions, "logprobs": None}

    return rollout


class SharedPromptTrainer(CorverTrainer):
    """CorverTrainer whose log-probabilities share the prompts' common beginning.

    Overrides one more method of TRL, `_get_per_token_logps_and_entropies`, and falls back to TRL's own for anything but
    plain text prompts with a beginning worth sharing, under gradient checkpointing, and for models that scale or cap
    their logits.
    """

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        **inputs: Any,
    ) -> tuple[torch.Tensor | None, ...]:
        width = input_ids.size(1) - logits_to_keep
        prompts = _unpadded(input_ids[:, :width], attention_mask[:, :width])
        shared = shared_length(prompts)
        base = self.accelerator.unwrap_model(model)
        base = base.get_base_model() if hasattr(base, "get_base_model") else base
        # Images, and `compute_aux_loss` where TRL has it: all of them None or False for plain text.
        other = any(value is not None and value is not False for value in inputs.values())
        if not shared or other or not _can_share(base):
            return super()._get_per_token_logps_and_entropies(
                model, input_ids, attention_mask, logits_to_keep, batch_size, compute_entropy, **inputs
            )
        hidden = _hidden_states(base, prompts, shared, input_ids, attention_mask, logits_to_keep)
        logps, entropies = _log_probabilities(
            base, hidden, input_ids[:, width:], temperature=self.temperature, compute_entropy=compute_entropy
        )
        return (logps, entropies, None) if _HAS_AUX_LOSS else (logps, entropies)


def _can_share(base: Any) -> bool:
    """Whether the model keeps its cache while it trains and its logits are its last hidden states times its head."""
    # Gradient checkpointing drops the cache in silence: the shared beginning would be gone.
    recomputing = any(getattr(module, "gradient_checkpointing", False) for module in base.modules())
    scaled = any(
        getattr(base.config, name, None) not in (None, 1.0)
        for name in ("final_logit_softcapping", "logits_scaling", "logit_scale")
    )
    return not (recomputing and base.training and torch.is_grad_enabled()) and not scaled


def _unpadded(ids: torch.Tensor, mask: torch.Tensor) -> list[list[int]]:
    return [row[kept.bool()].tolist() for row, kept in zip(ids, mask, strict=True)]


def _hidden_states(
    base: Any,
    prompts: Sequence[Sequence[int]],
    shared: int,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    completion: int,
) -> torch.Tensor:
    """Last hidden states at the positions that predict the completion's tokens: (B, completion, hidden size)."""
    from transformers import DynamicCache

    device = input_ids.device
    tails = [list(prompt[shared:]) for prompt in prompts]
    width = max(len(tail) for tail in tails)
    # Padding moves from the left of the prompt to between its shared head and its own tail.
    tail_ids = torch.tensor([[0] * (width - len(tail)) + tail for tail in tails], device=device)
    tail_mask = torch.tensor([[0] * (width - len(tail)) + [1] * len(tail) for tail in tails], device=device)
    ids = torch.cat([tail_ids, input_ids[:, -completion:]], dim=1)
    mask = torch.cat([torch.ones(len(prompts), shared, dtype=torch.long, device=device), tail_mask,
                      attention_mask[:, -completion:].long()], dim=1)  # fmt: skip
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, shared:]

    decoder = base.get_decoder()
    name = cache_argument(decoder)
    cache = DynamicCache(config=base.config)
    head = torch.tensor([list(prompts[0][:shared])], device=device)
    decoder(input_ids=head, use_cache=True, **{name: cache})
    cache.batch_repeat_interleave(len(prompts))
    output = decoder(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, **{name: cache})
    return output.last_hidden_state[:, width - 1 : width - 1 + completion]


def _log_probabilities(
    base: Any, hidden: torch.Tensor, targets: torch.Tensor, *, temperature: float, compute_entropy: bool
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """log π of each target and, without gradient, the entropy of each position. The vocabulary is computed in float32:
    rounding its logits to bfloat16 biases training."""
    head = base.get_output_embeddings()
    bias = None if head.bias is None else head.bias.float()
    logits = torch.nn.functional.linear(hidden.float(), head.weight.float(), bias) / temperature
    log_pi = torch.log_softmax(logits, dim=-1)
    chosen = log_pi.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    if not compute_entropy:
        return chosen, None
    with torch.no_grad():
        entropy = -(log_pi.exp() * log_pi).sum(dim=-1)
    return chosen, entropy
