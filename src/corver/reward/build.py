"""From a RewardConfig to a scorer.

In: the configuration of the reward and a counter. Out: an extractor, a scorer. The one place that knows both sides.
What an extractor needs is loaded here and not before: spaCy, torch, or a connection to a server.
"""

from __future__ import annotations

from typing import Any

from corver.config import QucoConfig, RewardConfig
from corver.endpoint import ChatEndpoint
from corver.extract.rules import RulesExtractor
from corver.reward.aliases import Aliases
from corver.reward.levels import Levels
from corver.reward.profile import ProfileSettings
from corver.reward.scorer import Scorer
from corver.types import Counter, Extractor

__all__ = ["build_extractor", "build_scorer"]


def build_scorer(
    config: RewardConfig, *, index: Counter, exact_counts: bool = False, endpoint: ChatEndpoint | None = None
) -> Scorer:
    """The scorer that the configuration describes, counting in `index`.

    endpoint: a client of `config.quco.endpoint` that the caller wants to ask for its totals; else one is made.
    """
    return Scorer(
        index=index,
        extractor=build_extractor(config, endpoint=endpoint),
        window=config.window,
        levels=Levels(thresholds=config.levels.thresholds, rewards=config.levels.rewards),
        rule=config.rule,
        repetition_guard=config.repetition_guard,
        exact_counts=exact_counts,
        support=config.support,
        profile=ProfileSettings(**config.profile.model_dump(), pronouns=config.resolve_pronouns),
        aliases=None if config.aliases is None else Aliases.load(config.aliases),
    )


def build_extractor(config: RewardConfig, *, endpoint: ChatEndpoint | None = None) -> Extractor:
    """The extractor that the configuration describes, ready to work.

    Raises DependencyError when a library or pipeline is missing, InputError when a model or cache cannot be opened,
    EndpointError when a server does not answer or does not serve the model.
    """
    lending: dict[str, Any] = {
        "resolve_pronouns": "last_subject" if config.resolve_pronouns else "off",
        "question_subject": config.question_subject,
    }
    if config.extractor == "rules":
        return RulesExtractor(**lending)
    if config.extractor == "spacy":
        from corver.extract.spacy import SpacyExtractor

        return SpacyExtractor(model=config.spacy.model, batch=config.spacy.batch, **lending)
    return _quco(config.quco, lending, endpoint)


def _quco(config: QucoConfig, lending: dict[str, Any], endpoint: ChatEndpoint | None) -> Extractor:
    from corver.extract.quco import EndpointModel, PromptModel, QucoExtractor, read_template

    template = read_template(config.template)
    model: PromptModel
    if config.endpoint is not None:
        model = EndpointModel(endpoint or ChatEndpoint(config.endpoint))
    else:
        from corver.extract.local_model import LocalModel

        model = LocalModel(
            config.model, revision=config.revision, dtype=config.dtype, device=config.device, batch=config.batch
        )
    return QucoExtractor(model, template=template, cache=config.cache, **lending)
