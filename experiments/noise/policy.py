"""Policies: M transformers of some 100,000 weights each, side by side in one stack of arrays.

In: problems as ids. Out: sampled answers, log-probabilities, and Pass@1 and Pass@8 in closed form: an answer has two
right spellings of at most three tokens, so the chance of a right one is computed and not sampled. Knows no reward.

Small models spend their time on calling operations, so runs that differ in seed or arm alone are computed together;
nothing flows from one model of a stack to another. Axes: M models, P prompts, B completions, T tokens.
"""

from __future__ import annotations

import numpy as np
import torch
from task import ANSWER, END, PAD, PROMPT, WORDS, Problems
from torch.nn import functional

WIDTH, LAYERS, HEADS = 64, 2, 4
Weights = dict[str, torch.Tensor]
Cache = list[tuple[torch.Tensor, torch.Tensor]]


def new_weights(seeds: list[int]) -> Weights:
    """Weights of one model a seed, stacked."""
    return stack([_one(seed) for seed in seeds])


def stack(models: list[Weights]) -> Weights:
    return {name: torch.stack([model[name] for model in models]) for name in models[0]}


def _one(seed: int) -> Weights:
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int, std: float = 0.02) -> torch.Tensor:
        return torch.randn(*shape, generator=generator) * std

    weights = {"token": normal(len(WORDS), WIDTH, std=1.0), "place": normal(PROMPT + ANSWER, WIDTH, std=1.0)}
    for layer in range(LAYERS):
        for name, rows, columns in (
            ("qkv", WIDTH, 3 * WIDTH), ("out", WIDTH, WIDTH), ("up", WIDTH, 4 * WIDTH), ("down", 4 * WIDTH, WIDTH),
        ):  # fmt: skip
            weights[f"{layer}.{name}"] = normal(rows, columns, std=0.5 * rows**-0.5)
            weights[f"{layer}.{name}.bias"] = torch.zeros(columns)
        for name in ("norm1", "norm2"):
            weights[f"{layer}.{name}"], weights[f"{layer}.{name}.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    weights["norm"], weights["norm.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    weights["head"], weights["head.bias"] = normal(WIDTH, len(WORDS), std=0.5 * WIDTH**-0.5), torch.zeros(len(WORDS))
    return weights


def _linear(weights: Weights, name: str, x_MND: torch.Tensor) -> torch.Tensor:
    return torch.baddbmm(weights[f"{name}.bias"][:, None], x_MND, weights[name])


def _norm(weights: Weights, name: str, x_MND: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x_MND, (WIDTH,)) * weights[name][:, None] + weights[f"{name}.bias"][:, None]


def forward(
    weights: Weights, ids_MBT: torch.Tensor, real_MBT: torch.Tensor, past: Cache | None = None
) -> tuple[torch.Tensor, Cache]:
    """Logits (M, B, T, words) of the given tokens, which follow `past`. real: false on padding, over past and given."""
    models, rows, length = ids_MBT.shape
    whole = real_MBT.shape[2]
    start = whole - length
    number = torch.arange(models)[:, None, None]
    x = (weights["token"][number, ids_MBT] + weights["place"][:, None, start:whole]).reshape(
        models, rows * length, WIDTH
    )
    causal = torch.ones(whole, whole, dtype=torch.bool).tril()[start:]
    # A padded token sees itself, so that no row of the softmax is empty.
    seen = causal & (real_MBT[:, :, None, :] | torch.eye(whole, dtype=torch.bool)[start:])
    mask = seen.reshape(models * rows, 1, length, whole)
    cache: Cache = []
    for layer in range(LAYERS):
        mixed = _linear(weights, f"{layer}.qkv", _norm(weights, f"{layer}.norm1", x))
        q, k, v = mixed.view(models * rows, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[layer][0], k], dim=2), torch.cat([past[layer][1], v], dim=2)
        cache.append((k, v))
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + _linear(weights, f"{layer}.out", attended.transpose(1, 2).reshape(models, rows * length, WIDTH))
        hidden = functional.gelu(_linear(weights, f"{layer}.up", _norm(weights, f"{layer}.norm2", x)))
        x = x + _linear(weights, f"{layer}.down", hidden)
    logits = _linear(weights, "head", _norm(weights, "norm", x))
    return logits.view(models, rows, length, len(WORDS)), cache


def _repeat(cache: Cache, times: int) -> Cache:
    return [(k.repeat_interleave(times, 0), v.repeat_interleave(times, 0)) for k, v in cache]


def answer_logps(
    weights: Weights, prompt_MPT: torch.Tensor, answer_MBT: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each answer token and the mask of those that count (up to the end).

    The B answers stand prompt by prompt, B/P of each; a prompt is read once, and gradients flow through its keys.
    """
    times = answer_MBT.shape[1] // prompt_MPT.shape[1]
    real = prompt_MPT != PAD
    first, cache = forward(weights, prompt_MPT, real)
    given = answer_MBT[:, :, :-1]
    longer = torch.cat([real.repeat_interleave(times, 1), torch.ones_like(given, dtype=torch.bool)], 2)
    rest, _ = forward(weights, given, longer, _repeat(cache, times))
    logits = torch.cat([first[:, :, -1:].repeat_interleave(times, 1), rest], dim=2)
    logps = logits.log_softmax(-1).gather(3, answer_MBT[..., None]).squeeze(3)
    ended = torch.cumsum((answer_MBT == END).long(), dim=2) - (answer_MBT == END).long()
    return logps, (ended == 0).to(logps.dtype)


@torch.no_grad()
def sample(weights: Weights, prompt_MPT: torch.Tensor, times: int, generators: list[torch.Generator]) -> torch.Tensor:
    """`times` answers a prompt at temperature 1, padded after the end; every model draws from its own generator."""
    real = prompt_MPT != PAD
    logits, cache = forward(weights, prompt_MPT, real)
    last, cache, real = (
        logits[:, :, -1].repeat_interleave(times, 1),
        _repeat(cache, times),
        real.repeat_interleave(times, 1),
    )
    drawn: list[torch.Tensor] = []
    done = torch.zeros(real.shape[:2], dtype=torch.bool)
    for place in range(ANSWER):
        chances = last.softmax(-1)
        token = torch.stack(
            [torch.multinomial(one, 1, generator=own).squeeze(1) for one, own in zip(chances, generators, strict=True)]
        )
        token = torch.where(done, torch.full_like(token, PAD), token)
        done |= token == END
        drawn.append(token)
        if place < ANSWER - 1:
            real = torch.cat([real, torch.ones_like(real[:, :, :1])], dim=2)
            logits, cache = forward(weights, token[..., None], real, cache)
            last = logits[:, :, -1]
    return torch.stack(drawn, dim=2)


@torch.no_grad()
def evaluate(weights: Weights, problems: Problems) -> list[dict[str, float]]:
    """Pass@1, Pass@8 and the share of words among right answers, a model each; from exact chances."""
    models = len(weights["token"])
    prompts = _for_all(problems.prompt_QT, models)
    both = _for_all(np.stack([problems.digits_QT, problems.words_QT], axis=1).reshape(-1, ANSWER), models)
    logps, mask = answer_logps(weights, prompts, both)
    chance_MQ2 = (logps * mask).sum(2).double().exp().view(models, len(problems), 2).numpy()
    right_MQ = np.clip(chance_MQ2.sum(2), 0, 1)
    return [
        {
            "pass@1": float(right.mean()),
            "pass@8": float((1 - (1 - right) ** 8).mean()),
            "words": float(chance[:, 1].sum() / max(right.sum(), 1e-12)),
        }
        for right, chance in zip(right_MQ, chance_MQ2, strict=True)
    ]


def _for_all(ids_BT: np.ndarray, models: int) -> torch.Tensor:
    return torch.from_numpy(ids_BT)[None].expand(models, -1, -1)


class Adam:
    """Adam on a stack, with the gradient of each model clipped by its own norm."""

    def __init__(self, weights: Weights, *, rate: float, clip: float = 1.0) -> None:
        self.weights, self.rate, self.clip, self.step_number = weights, rate, clip, 0
        self.first = {name: torch.zeros_like(value) for name, value in weights.items()}
        self.second = {name: torch.zeros_like(value) for name, value in weights.items()}

    def step(self, loss: torch.Tensor) -> torch.Tensor:
        """Go down the sum of the models' losses; the gradient norms before clipping."""
        names = list(self.weights)
        gradients = torch.autograd.grad(loss, [self.weights[name] for name in names])
        norms = sum(gradient.flatten(1).square().sum(1) for gradient in gradients).sqrt()
        factor = (self.clip / (norms + 1e-6)).clamp(max=1.0)
        self.step_number += 1
        with torch.no_grad():
            for name, gradient in zip(names, gradients, strict=True):
                clipped = gradient * factor.view(-1, *[1] * (gradient.dim() - 1))
                self.first[name].lerp_(clipped, 0.1)
                self.second[name].lerp_(clipped.square(), 0.001)
                scale = (self.second[name] / (1 - 0.999**self.step_number)).sqrt_().add_(1e-8)
                self.weights[name] -= self.rate / (1 - 0.9**self.step_number) * self.first[name] / scale
        return norms


def trainable(weights: Weights) -> Weights:
    return {name: value.clone().requires_grad_() for name, value in weights.items()}


def fit(problems: Problems, *, seeds: list[int], steps: int, batch: int = 128, rate: float = 3e-3) -> Weights:
    """Supervised training on both spellings of each answer, one model a seed."""
    weights = trainable(new_weights(seeds))
    optimizer = Adam(weights, rate=rate)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    for step in range(steps):
        chosen = [problems.pick(rng.integers(0, len(problems), batch)) for rng in rngs]
        prompts = torch.from_numpy(np.stack([one.prompt_QT for one in chosen]))
        both = [np.stack([one.digits_QT, one.words_QT], axis=1).reshape(-1, ANSWER) for one in chosen]
        logps, mask = answer_logps(weights, prompts, torch.from_numpy(np.stack(both)))
        loss = -((logps * mask).sum((1, 2)) / mask.sum((1, 2))).sum()
        optimizer.rate = rate * min(1.0, (step + 1) / 50)
        optimizer.step(loss)
    return {name: value.detach() for name, value in weights.items()}
