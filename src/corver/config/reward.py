"""Settings of the reward: how a sentence becomes a verdict, and how a response is judged.

In: values. Out: checked models. The defaults are those of arXiv 2605.29648 where it gives one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from corver.config.base import ConfigModel, Fraction, Positive
from corver.config.endpoint import EndpointConfig

__all__ = [
    "FormatConfig",
    "JudgeConfig",
    "LevelsConfig",
    "ProfileConfig",
    "QucoConfig",
    "RewardConfig",
    "SpacyConfig",
]


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

    neutral: Z, the unit score that is worth nothing, the median of the first policy's units. scales, cut: of the
    kernels exp(−d / scale) over distances in words, whose scores are averaged. mentions: at most so many of a subject
    are looked at. surname: a subject's last word alone is a mention too where the document names it whole.
    article_weight: of a position in a document that opens with the subject. forms: plurals, verb endings and peoples
    count for a unit too. slack: how far below Z a unit begins to cost, and by how much a common word must beat chance.
    spread: score above Z at which a unit's gain is full; full: weight of fully supported units that makes a reward of
    1; penalty: factor of units that cost. word_weight: weight of a common word beside the 1 of a name or number;
    relation_weight: of one that only carries the relation, read where a sentence says nothing else. negation: what a
    sentence that denies something is.
    """

    neutral: float = -3.3
    scales: Annotated[tuple[Positive, ...], Field(min_length=1)] = (30.0, 300.0)
    cut: Annotated[int, Field(ge=0)] = 1800
    mentions: Annotated[int, Field(gt=0)] = 200
    surname: bool = True
    article_weight: Annotated[float, Field(ge=0)] = 0.25
    forms: bool = True
    slack: Annotated[float, Field(ge=0)] = 1.0
    spread: Positive = 3.0
    full: Positive = 6.0
    penalty: Fraction = 0.5
    word_weight: Fraction = 0.5
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


_OF_PAPER = ("extractor", "aliases", "rule", "window", "levels", "question_subject")
"""Settings that the support `profile` does not read."""


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
    window: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    levels: LevelsConfig = LevelsConfig()
    profile: ProfileConfig = ProfileConfig()
    resolve_pronouns: bool = True
    question_subject: bool = False
    repetition_guard: bool = True
    judge: JudgeConfig = JudgeConfig()
    format: FormatConfig = FormatConfig()

    @model_validator(mode="after")
    def _read_by_paper(self) -> Self:
        ignored = [name for name in _OF_PAPER if getattr(self, name) != type(self).model_fields[name].default]
        if self.support == "profile" and ignored:
            raise ValueError(
                f"support profile finds subjects and details by itself: leave {', '.join(ignored)} out, it would be "
                "ignored"
            )
        return self
