"""Sampling from a tiny Llama on a processor, several times faster than through `generate`.

In: a Llama of transformers, prompts, settings. Out: the same token ids that `corver.policy.generate.sample_ids` gives
when decoding greedily, and draws from the same distribution otherwise. With two layers, most of a step of `generate`
is bookkeeping in Python; here a step is the layers and nothing else. This module knows no reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from corver.policy.generate import SamplingSettings

__all__ = ["fast_rollouts", "sample"]

EVERY = 6
"""Steps between looks at which rows have ended."""


def fast_rollouts(settings: SamplingSettings) -> Callable[[list[Any], Any], dict[str, Any]]:
    """A `rollout_func` for the trainer."""

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        tokenizer = trainer.processing_class
        prompt_ids = [
            tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False) for prompt in prompts
        ]
        model = trainer.accelerator.unwrap_model(trainer.model)
        found = sample(model, tokenizer, prompt_ids, settings)
        return {"prompt_ids": prompt_ids, "completion_ids": [ids for ids, _ in found], "logprobs": None}

    return rollout


@torch.inference_mode()
def sample(
    model: Any, tokenizer: Any, prompts: Sequence[Sequence[int]], settings: SamplingSettings
) -> list[tuple[list[int], bool]]:
    """One completion a prompt: ids up to and with the end token, and whether the limit cut it off."""
    end, width = tokenizer.eos_token_id, max(map(len, prompts))
    ids = torch.tensor([[end] * (width - len(prompt)) + list(prompt) for prompt in prompts])
    known = torch.zeros(len(prompts), width + settings.max_tokens, dtype=torch.bool)
    known[:, :width] = torch.tensor([[False] * (width - len(p)) + [True] * len(p) for p in prompts])
    decoder = _Decoder(model, known)
    drawn = torch.full((len(prompts), settings.max_tokens), end)
    rows = torch.arange(len(prompts))
    for step in range(settings.max_tokens):
        logits = decoder(ids)
        greedy = settings.temperature == 0
        ids = logits.argmax(dim=-1, keepdim=True) if greedy else _drawn(logits / settings.temperature)
        # A row that has ended goes on drawing until it is dropped; what follows its end is cut off below.
        drawn[rows, step] = ids[:, 0]
        going = ~(drawn[rows, : step + 1] == end).any(dim=1)
        if not going.any():
            break
        if step % EVERY == EVERY - 1 and going.sum() < 0.8 * len(rows):
            decoder.keep(going)
            ids, rows = ids[going], rows[going]
    return [_until(row, end) for row in drawn.tolist()]


class _Decoder:
    """Logits of the next token, with the keys and values so far. known: (B, L), False on padding in front."""

    def __init__(self, model: Any, known: torch.Tensor) -> None:
        self._model, self._base = model, model.model
        config = model.config
        self._heads, self._size = config.num_attention_heads, config.hidden_size // config.num_attention_heads
        rows, length = known.shape
        shape = (config.num_hidden_layers, 2, rows, self._heads, length, self._size)
        self._cache = torch.zeros(shape)
        self._known = known
        places = torch.arange(length)
        dummy = torch.zeros(1)
        self._cos, self._sin = (table[0] for table in self._base.rotary_emb(dummy, places[None]))
        self._pads = (~known).sum(dim=1) - (length - self._first_free(known))
        self._done = 0

    @staticmethod
    def _first_free(known: torch.Tensor) -> int:
        return int(known.any(dim=0).nonzero().max()) + 1

    def keep(self, rows: torch.Tensor) -> None:
        """Go on with these rows alone; a mask."""
        self._cache, self._known, self._pads = self._cache[:, :, rows], self._known[rows], self._pads[rows]

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        start, stop = self._done, self._done + ids.size(1)
        self._known[:, max(start, 1) : stop] |= start > 0
        places = (torch.arange(start, stop)[None] - self._pads[:, None]).clamp(min=0)
        cos, sin = self._cos[places].unsqueeze(1), self._sin[places].unsqueeze(1)
        mask = self._known[:, None, None, :stop]
        if start == 0:
            mask = (mask & torch.ones(stop, stop, dtype=torch.bool).tril()) | torch.eye(stop, dtype=torch.bool)
        x = self._base.embed_tokens(ids)
        for number, layer in enumerate(self._base.layers):
            x = x + self._attend(layer.self_attn, number, layer.input_layernorm(x), cos, sin, mask, start, stop)
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        self._done = stop
        return self._model.lm_head(self._base.norm(x[:, -1]))

    def _attend(
        self, attention: Any, number: int, x: torch.Tensor, cos: Any, sin: Any, mask: Any, start: int, stop: int
    ) -> torch.Tensor:
        rows, length, _ = x.shape
        q, k, v = (
            project(x).view(rows, length, self._heads, self._size).transpose(1, 2)
            for project in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        keys, values = self._cache[number]
        keys[:, :, start:stop], values[:, :, start:stop] = _turned(k, cos, sin), v
        q = _turned(q, cos, sin)
        if length > 1:
            found = scaled_dot_product_attention(q, keys[:, :, :stop], values[:, :, :stop], attn_mask=mask)
        else:
            weights = torch.softmax((q @ keys[:, :, :stop].mT * self._size**-0.5).masked_fill(~mask, -torch.inf), -1)
            found = weights @ values[:, :, :stop]
        return attention.o_proj(found.transpose(1, 2).reshape(rows, length, -1))


def _drawn(logits: torch.Tensor) -> torch.Tensor:
    """One id a row by inverting the cumulative distribution; `multinomial` draws a number for every id instead."""
    sums = torch.softmax(logits, dim=-1).cumsum(dim=-1)
    return torch.searchsorted(sums, torch.rand(len(sums), 1) * sums[:, -1:]).clamp(max=sums.size(1) - 1)


def _turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.size(-1) // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


def _until(row: list[int], end: int) -> tuple[list[int], bool]:
    return (row[: row.index(end) + 1], False) if end in row else (row, True)
