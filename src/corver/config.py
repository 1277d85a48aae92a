"""Configuration of a run: YAML in, checked models out.

In: a YAML file, a mapping, and `--key value` overrides with dotted keys. Out: frozen pydantic models, each with a
`fingerprint()`. Unknown keys, wrong types and contradictions are a ConfigError of one line. This module knows the
constants of the papers (arXiv 2605.29648: levels, λ, training set-up) but not what is done with them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from corver.errors import ConfigError

__all__ = [
    "AdvantageConfig",
    "AppealsConfig",
    "ConfigModel",
    "CreditConfig",
    "DataConfig",
    "EndpointConfig",
    "EvaluationConfig",
    "FormatConfig",
    "JudgeConfig",
    "LevelsConfig",
    "LoraSettings",
    "NoiseConfig",
    "OptimizationConfig",
    "PolicyConfig",
    "ProfileConfig",
    "QucoConfig",
    "RewardConfig",
    "RunConfig",
    "SamplingConfig",
    "SpacyConfig",
    "load_config",
    "parse_overrides",
]

Positive = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class ConfigModel(BaseModel):
    """Base of every configuration: frozen, no unknown keys, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_numbers(cls, value: Any, info: ValidationInfo) -> Any:
        # pydantic would take `steps: yes` for 1.
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError(f"expected another type of value, found {str(value).lower()}")
        return value

    def fingerprint(self) -> str:
        """16 hex digits of a SHA-256 over the canonical JSON of all values."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


class EndpointConfig(ConfigModel):
    """A model behind an address that speaks OpenAI's protocol (vLLM, SGLang, llama.cpp, a hosted service).

    base_url: usually ends in /v1. api_key_file: a file that holds the key; null sends none. The key itself stands in no
    configuration. timeout: seconds until an attempt is given up; retries: further attempts, with growing waits.
    concurrency: requests at a time. input_price, output_price: of a million tokens, for the sum of the costs; null when
    unknown. extra_body: further fields of every request, for what a server takes beyond the protocol.
    """

    base_url: str
    model: Annotated[str, Field(min_length=1)]
    api_key_file: Path | None = None
    timeout: Positive = 60.0
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    concurrency: Annotated[int, Field(gt=0, le=1000)] = 32
    input_price: Annotated[float, Field(ge=0)] | None = None
    output_price: Annotated[float, Field(ge=0)] | None = None
    extra_body: dict[str, Any] = {}

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            known = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
        except ValueError:
            known = None
        if not known:
            raise ValueError("expected an address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("the address must hold no user, password or query; a key belongs into api_key_file")
        return value.rstrip("/")


class LevelsConfig(ConfigModel):
    """Count to level to reward: level i + 1 starts at thresholds[i], rewards[i] belongs to level i."""

    thresholds: tuple[int, ...] = (1, 5, 20)
    rewards: tuple[float, ...] = (-0.3, -0.1, 0.0, 0.1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(self.rewards) != len(self.thresholds) + 1:
            raise ValueError(f"{len(self.thresholds)} thresholds need {len(self.thresholds) + 1} rewards")
        if list(self.thresholds) != sorted(set(self.thresholds)) or min(self.thresholds, default=1) < 1:
            raise ValueError("thresholds must be positive and strictly increasing")
        return self


class JudgeConfig(ConfigModel):
    """R_j of the answer span.

    rule: `lenient` compares what answers mean and takes no lists of guesses, `words` looks for the gold's whole words,
    `paper` is the published substring match, `math` compares mathematics with the library math-verify.
    """

    rule: Literal["lenient", "words", "paper", "math"] = "lenient"
    correct: float = 2.0
    wrong: float = -1.0
    not_attempted: float = -1.0


class FormatConfig(ConfigModel):
    """R_f of the tags. length_penalty: −0.5·max(0, len − limit)/limit in tokens, of the authors' later release."""

    good: float = 1.0
    bad: float = -1.0
    length_penalty: bool = False
    length_limit: Annotated[int, Field(gt=0)] = 512


class ProfileConfig(ConfigModel):
    """Constants of the support `profile`, the same for every corpus.

    neutral: Z, the unit score that is worth nothing, the median of the first policy's units. scale, cut: of the kernel
    exp(−d / scale) over distances in words. mentions: at most so many of a subject are looked at. surname: a subject's
    last word alone is a mention too where the document names it whole. article_weight: of a position in a document that
    opens with the subject. forms: plurals, verb endings and peoples count for a unit too. slack: how far below Z a unit
    begins to cost, and by how much a common word must beat chance. spread: score above Z at which a unit's gain is
    full; full: weight of fully supported units that makes a reward of 1; penalty: factor of units that cost.
    word_weight: weight of a common word beside the 1 of a name or number; relation_weight: of one that only carries the
    relation, read where a sentence says nothing else. negation: what a sentence that denies something is.
    """

    neutral: float = -2.7
    scale: Positive = 100.0
    cut: Annotated[int, Field(ge=0)] = 600
    mentions: Annotated[int, Field(gt=0)] = 200
    surname: bool = True
    article_weight: Annotated[float, Field(ge=0)] = 0.25
    forms: bool = True
    slack: Annotated[float, Field(ge=0)] = 1.0
    spread: Positive = 3.0
    full: Positive = 6.0
    penalty: Fraction = 0.5
    word_weight: Fraction = 0.3
    relation_weight: Fraction = 0.05
    negation: Literal["no_claim", "ignore"] = "no_claim"


class SpacyConfig(ConfigModel):
    """The extractor `spacy`. model: an installed English pipeline, or a folder of one. batch: sentences at a time."""

    model: Annotated[str, Field(min_length=1)] = "en_core_web_sm"
    batch: Annotated[int, Field(gt=0)] = 256


class QucoConfig(ConfigModel):
    """The extractor `quco`, a language model that writes triplets.

    model, revision, dtype, device, batch: a local folder or hub id, run on this machine, so many prompts at a time.
    endpoint: where the model is served instead; then the five are not read. template: file of a prompt with one {} for
    the sentence, corver's own when null. cache: file that keeps answers.
    """

    model: Annotated[str, Field(min_length=1)] = "ZhishanQ/QuCo-extractor-0.5B"
    revision: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    batch: Annotated[int, Field(gt=0)] = 64
    endpoint: EndpointConfig | None = None
    template: Path | None = None
    cache: Path | None = None


class RewardConfig(ConfigModel):
    """How a sentence becomes a verdict, and how a response is judged.

    aliases: file of other names that count as well in the queries of `paper`.
    """

    extractor: Literal["rules", "spacy", "quco"] = "rules"
    spacy: SpacyConfig = SpacyConfig()
    quco: QucoConfig = QucoConfig()
    aliases: Path | None = None
    support: Literal["paper", "profile"] = "paper"
    rule: Literal["first", "min", "relcheck"] = "first"
    window: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    levels: LevelsConfig = LevelsConfig()
    profile: ProfileConfig = ProfileConfig()
    resolve_pronouns: bool = True
    question_subject: bool = False
    repetition_guard: bool = True
    judge: JudgeConfig = JudgeConfig()
    format: FormatConfig = FormatConfig()

    @model_validator(mode="after")
    def _read_by_paper(self) -> Self:
        if self.support == "profile" and (self.extractor != "rules" or self.aliases is not None):
            raise ValueError("support profile finds subjects and details by itself: leave extractor and aliases out")
        return self


class AdvantageConfig(ConfigModel):
    """Group baseline and scale.

    scale: `group` divides by the sample standard deviation of the group's completion means (paper), `batch` by that of
    the whole batch, `none` not at all. std_floor: least standard deviation, in reward units; cap: greatest |A|. Either
    may be null; both null is the published rule, which explodes when a group's means are almost equal.
    """

    scale: Literal["group", "batch", "none"] = "group"
    epsilon: Annotated[float, Field(ge=0)] = 1e-4
    std_floor: Annotated[float, Field(ge=0)] | None = 0.1
    cap: Positive | None = 10.0


class LoraSettings(ConfigModel):
    """Low-rank adapters; the defaults are the paper's.

    top_layers: adapt only so many of the last layers, which spares the backward pass through the others.
    """

    r: Annotated[int, Field(gt=0)] = 128
    alpha: Annotated[int, Field(gt=0)] = 256
    dropout: Fraction = 0.0
    top_layers: Annotated[int, Field(gt=0)] | None = None
    target_modules: tuple[str, ...] = (
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    )  # fmt: skip


class PolicyConfig(ConfigModel):
    """The language model to train.

    model: a local folder or a hub id (with `revision`). gguf_file: read weights from this GGUF file of the folder.
    trust_remote_code runs code that comes with the model and is off unless the user asks for it.
    """

    model: str
    revision: str | None = None
    gguf_file: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    trust_remote_code: bool = False
    lora: LoraSettings | None = LoraSettings()
    prompt: Literal["instruct", "few_shot"] = "instruct"
    chat_template_kwargs: dict[str, Any] = {}


class NoiseConfig(ConfigModel):
    """The judge as a verifier that errs at known rates (arXiv 2510.00915); needs `credit.advantage.scale: none`.

    correction: `backward` (needs ρ0 and ρ1), `forward` (needs ρ1), `none` (the matched control: same baseline and
    scale), or `appealed`, which weighs appealed completions up instead of trusting rates and needs `credit.appeals`.
    `off` leaves the ordinary advantage, for appeals that only flip verdicts.
    verifier: the name of the reward function that is corrected. values: what it pays for a rejected and an accepted
    completion; null is 0 and 1, and in a run the values of `reward.judge`. false_positive, false_negative: ρ0 and ρ1;
    or rates: a file of `corver noise measure`. scale: what advantages are divided by, in reward units: a number, or
    `running`, a slow mean of the spread within groups. sentences: a file of sentence rates; the rewards of the levels
    become those that are right in the mean.
    """

    correction: Literal["off", "none", "backward", "forward", "appealed"] = "backward"
    verifier: str = "judge"
    values: tuple[float, float] | None = None
    false_positive: Annotated[float, Field(ge=0, lt=1)] | None = None
    false_negative: Annotated[float, Field(ge=0, lt=1)] | None = None
    rates: Path | None = None
    scale: Positive | Literal["running"] = "running"
    sentences: Path | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        numbers = (self.false_positive, self.false_negative)
        if self.rates is not None and numbers != (None, None):
            raise ValueError("rates names a file, so false_positive and false_negative must not be given too")
        if sum(number or 0.0 for number in numbers) >= 1:
            raise ValueError("false_positive + false_negative >= 1: such a verifier says nothing about what is right")
        if self.values is not None and self.values[0] >= self.values[1]:
            raise ValueError("values are what a rejected and an accepted completion get, the second being more")
        return self


class AppealsConfig(ConfigModel):
    """A better judge looks at some verdicts again; this flips them and estimates the verifier's error rates.

    judge: `lenient` is corver's string judge, `endpoint` a model behind an address, `model` a local model.
    reads: it sees the `<answer>` block, or the whole completion. q: chance of
    a rejected completion to be appealed; q_accepted: of an accepted one, which estimates ρ0 too. budget: most calls a
    batch. flip: the decision replaces the verdict; estimate: it feeds the rates. prior, decay, average: of the
    estimator. judge_false_positive, judge_false_negative: the better judge's own errors. endpoint; model: a folder or
    hub id.
    reading: of a local model, the `first_token` or a generated `reply`. prompt: `tinyv` or `plain`. max_cost: most to
    spend, in the currency of the prices; required where prices are known.
    """

    judge: Literal["lenient", "endpoint", "model"] = "lenient"
    reads: Literal["answer", "completion"] = "answer"
    q: Fraction = 0.1
    q_accepted: Fraction = 0.0
    budget: Annotated[int, Field(ge=1)] | None = None
    flip: bool = True
    estimate: bool = True
    prior: tuple[Positive, Positive] = (1e-5, 1e-5)
    decay: Annotated[float, Field(ge=0, lt=1)] = 0.9
    average: Literal["counts", "ratio"] = "counts"
    judge_false_positive: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    judge_false_negative: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    endpoint: EndpointConfig | None = None
    model: str | None = None
    reading: Literal["first_token", "reply"] = "first_token"
    prompt: Literal["tinyv", "plain"] = "tinyv"
    max_cost: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, section in (("endpoint", self.endpoint), ("model", self.model)):
            if (self.judge == name) != (section is not None):
                raise ValueError(f"judge: {name} and the setting {name} belong together")
        prices = (self.endpoint.input_price, self.endpoint.output_price) if self.endpoint else (None, None)
        if (None not in prices) != (self.max_cost is not None):
            raise ValueError(
                "max_cost and both prices of the endpoint belong together: nothing is paid without a limit"
            )
        return self


class CreditConfig(ConfigModel):
    """Weights of the reward's parts and what they are laid on.

    alignment: `token` lays a sentence's reward on its own tokens, `response` spreads the same total evenly (ablation
    A3). silence: `neutral` makes a sentence without a claim, and every token outside sentences, worth what an average
    claim of its group or of the first policy is worth, whichever is less; `paper` keeps the published 0, under which
    saying nothing beats an average claim. reference: the first policy's mean claim reward, or null to measure it on
    the first `reference_batches` batches and freeze it. noise, appeals: the judge errs, and what is done about it.
    """

    lambda_j: float = 1.0
    lambda_f: float = 1.0
    lambda_c: float = 1.0
    alignment: Literal["token", "response"] = "token"
    silence: Literal["neutral", "paper"] = "neutral"
    reference: float | None = None
    reference_batches: Annotated[int, Field(ge=1)] = 4
    advantage: AdvantageConfig = AdvantageConfig()
    noise: NoiseConfig | None = None
    appeals: AppealsConfig | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        noise, appeals = self.noise, self.appeals
        if noise is None:
            return self
        if noise.correction == "appealed" and (appeals is None or appeals.q == 0):
            raise ValueError("noise.correction: appealed needs a section appeals with q > 0")
        if noise.correction == "appealed" and appeals is not None and appeals.flip:
            raise ValueError("noise.correction: appealed weighs decisions itself; set appeals.flip: false")
        known = noise.rates is not None or noise.false_negative is not None or (appeals and appeals.estimate)
        if noise.correction in ("backward", "forward") and not known:
            raise ValueError("noise needs rates: false_negative (and false_positive), a rates file, or appeals")
        if noise.correction != "off" and "scale" in self.advantage.model_fields_set and self.advantage.scale != "none":
            raise ValueError(
                f"advantage.scale: {self.advantage.scale} would undo the correction of noise; set it to none "
                "(noise.scale sets the scale)"
            )
        return self


class DataConfig(ConfigModel):
    """Questions to train on: files or `hf://datasets/…` addresses, one or several; split: keep rows whose `split` field
    equals it.

    exclude: files and addresses of questions that must not be trained on, besides those of the evaluation.
    zone: JSONL made by `corver zone`; only prompts with bounds[0] … bounds[1] right samples are kept (null: neither
    none nor all, the paper's 1 … 15 of 16), and up to `anchors` prompts that were always answered right are added.
    limit: of all these, keep so many, drawn by a hash.
    Questions of the evaluation are left out first.
    """

    questions: Annotated[tuple[str, ...], Field(min_length=1)]
    exclude: tuple[str, ...] = ()
    split: str | None = None
    limit: Annotated[int, Field(gt=0)] | None = None
    zone: Path | None = None
    bounds: tuple[int, int] | None = None
    anchors: Annotated[int, Field(ge=0)] = 0

    @field_validator("questions", "exclude", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        several = value if isinstance(value, list | tuple) else [value]
        return [str(one) if isinstance(one, Path) else one for one in several]


class SamplingConfig(ConfigModel):
    """How rollouts are sampled.

    engine: `shared_prompt` computes the instruction and examples, which all prompts share, once a batch; it serves one
    process. `transformers` is TRL's own generation. `auto` takes the first where it can.
    """

    engine: Literal["auto", "shared_prompt", "transformers"] = "auto"

    temperature: Positive = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Field(ge=0)] = 0
    max_prompt_tokens: Annotated[int, Field(gt=0)] = 256
    max_completion_tokens: Annotated[int, Field(gt=0)] = 1000


class OptimizationConfig(ConfigModel):
    """GRPO settings; the defaults are the paper's (arXiv 2605.29648, training set-up).

    time_limit: minutes of training, over all sittings of the run, after which it ends before `steps`.
    overlap_rewards: score in a thread of its own while the log-probabilities of the old and the reference policy are
    computed.
    """

    steps: Annotated[int, Field(gt=0)] = 100
    time_limit: Positive | None = None
    prompts_per_step: Annotated[int, Field(gt=0)] = 3
    generations: Annotated[int, Field(ge=2)] = 16
    micro_batch: Annotated[int, Field(gt=0)] | None = None
    iterations: Annotated[int, Field(gt=0)] = 1
    learning_rate: Positive = 1e-5
    scheduler: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: Fraction = 0.03
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    max_grad_norm: Positive = 1.0
    optimizer: Literal["adamw_torch", "adamw_bnb_8bit"] = "adamw_torch"
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"] = "dapo"
    beta: Annotated[float, Field(ge=0)] = 0.001
    clip: Positive = 0.2
    gradient_checkpointing: bool = True
    overlap_rewards: bool = False
    save_every: Annotated[int, Field(gt=0)] = 20


class EvaluationConfig(ConfigModel):
    """Questions never trained on, answered greedily by the raw and by the trained model with the same prompt."""

    questions: Path
    split: str | None = None
    limit: Annotated[int, Field(gt=0)] | None = None
    batch: Annotated[int, Field(gt=0)] = 32
    max_completion_tokens: Annotated[int, Field(gt=0)] | None = None
    bootstrap: Annotated[int, Field(ge=100)] = 10_000


Ablation: TypeAlias = Literal["none", "no_cooccurrence", "no_judge", "no_alignment", "no_zone"]
_ABLATIONS: dict[str, tuple[Ablation, str, dict[str, Any]]] = {
    "A1": ("no_cooccurrence", "credit", {"lambda_c": 0.0}),
    "A2": ("no_judge", "credit", {"lambda_j": 0.0}),
    "A3": ("no_alignment", "credit", {"alignment": "response"}),
    "A4": ("no_zone", "data", {"zone": None, "bounds": None, "anchors": 0}),
}
"""The paper's names, corver's, and what each switch sets."""


class RunConfig(ConfigModel):
    """Everything a training run depends on.

    ablation: one of the paper's, by its name (A1 … A4) or by what is left out; it overrides the settings that it is
    about: A1 no co-occurrence reward, A2 no judge, A3 the sentence rewards spread evenly over the response, A4 no
    learning zone.
    """

    ablation: Ablation = "none"
    output: Path
    index: Path
    policy: PolicyConfig
    data: DataConfig
    reward: RewardConfig = RewardConfig()
    credit: CreditConfig = CreditConfig()
    sampling: SamplingConfig = SamplingConfig()
    optimization: OptimizationConfig = OptimizationConfig()
    evaluation: EvaluationConfig | None = None
    seed: Annotated[int, Field(ge=0)] = 42
    threads: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _ablate(cls, raw: Any) -> Any:
        wanted = raw.get("ablation") if isinstance(raw, dict) else None
        for letter, (name, section, values) in _ABLATIONS.items():
            if wanted in (letter, name):
                below = raw.get(section) or {}
                below = below.model_dump(exclude_unset=True) if isinstance(below, BaseModel) else below
                changed = {**below, **values} if isinstance(below, dict) else below
                return {**raw, "ablation": name, section: changed}
        return raw

    @model_validator(mode="after")
    def _noise_fits(self) -> Self:
        noise, appeals, judge = self.credit.noise, self.credit.appeals, self.reward.judge
        if noise is not None and noise.correction != "off" and self.credit.advantage.scale != "none":
            raise ValueError(
                f"credit.advantage.scale: {self.credit.advantage.scale} would undo credit.noise; set it to none "
                "(credit.noise.scale sets the scale)"
            )
        if (noise is not None or appeals is not None) and judge.wrong != judge.not_attempted:
            raise ValueError(
                "credit.noise and credit.appeals need a judge with two rewards, but reward.judge.wrong and "
                "not_attempted differ"
            )
        if appeals is not None and appeals.judge == judge.rule:
            raise ValueError(f"credit.appeals.judge: {judge.rule} is the judge itself (reward.judge.rule)")
        return self


def load_config(
    path: Path,
    overrides: Sequence[str] = (),
    *,
    folder: Path | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> RunConfig:
    """Read a run's YAML file. Relative paths in it are taken from `folder`, the file's own if that is None.

    overrides: `--key value` or `--key=value` words with dotted keys, values in YAML notation; paths among them are
    taken from the working directory. defaults: of keys that neither the file nor an override gives. Raises ConfigError
    with one line that names the file and the key.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder, expected a YAML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: expected a mapping of settings, found {type(raw).__name__}")
    _anchor_paths(raw, path.resolve().parent if folder is None else folder)
    for dotted, value in parse_overrides(overrides).items():
        _set_dotted(raw, dotted, value)
    return _validate({**(defaults or {}), **raw}, str(path))


def parse_overrides(words: Sequence[str]) -> dict[str, Any]:
    """`--a.b value` and `--a.b=value` words as a mapping from dotted key to YAML value."""
    values: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or len(word) == 2:
            raise ConfigError(f"expected --key value, found {word!r}")
        key, equals, text = word[2:].partition("=")
        if not equals:
            if not rest:
                raise ConfigError(f"--{key} needs a value")
            text = rest.pop(0)
        try:
            values[key.replace("-", "_")] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise ConfigError(f"--{key}: {text!r} is not a YAML value") from None
    return values


_PATHS = (
    ("output",),
    ("index",),
    ("reward", "aliases"),
    ("reward", "quco", "template"),
    ("reward", "quco", "cache"),
    ("reward", "quco", "endpoint", "api_key_file"),
    ("data", "questions"),
    ("data", "exclude"),
    ("data", "zone"),
    ("evaluation", "questions"),
    ("credit", "noise", "rates"),
    ("credit", "noise", "sentences"),
    ("credit", "appeals", "endpoint", "api_key_file"),
)


def _anchor_paths(raw: dict[str, Any], folder: Path) -> None:
    for *parents, leaf in _PATHS:
        node = _section(raw, parents)
        value = node.get(leaf) if isinstance(node, dict) else None
        if isinstance(node, dict) and isinstance(value, str):
            node[leaf] = _anchored(value, folder)
        elif isinstance(node, dict) and isinstance(value, list):
            node[leaf] = [_anchored(one, folder) if isinstance(one, str) else one for one in value]
    for section in (("policy",), ("reward", "spacy"), ("reward", "quco")):
        node = _section(raw, section)
        if isinstance(node, dict) and isinstance(node.get("model"), str) and node["model"].startswith((".", "~")):
            node["model"] = os.path.normpath(folder / _expanded(node["model"]))


def _section(raw: dict[str, Any], parents: Sequence[str]) -> Any:
    node: Any = raw
    for parent in parents:
        node = node.get(parent) if isinstance(node, dict) else None
    return node


def _anchored(path: str, folder: Path) -> str:
    return path if path.startswith("hf://") else os.path.normpath(folder / _expanded(path))


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigError(f"{path}: there is no such home folder") from None


def _set_dotted(raw: dict[str, Any], dotted: str, value: Any) -> None:
    *parents, leaf = dotted.split(".")
    node = raw
    for parent in parents:
        below = node.setdefault(parent, {})
        if not isinstance(below, dict):
            raise ConfigError(f"--{dotted}: {parent} is not a section")
        node = below
    node[leaf] = value


def _validate(raw: Mapping[str, Any], where: str) -> RunConfig:
    try:
        return RunConfig.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise ConfigError(f"{where}: {key}: {first['msg']}{more}") from None
