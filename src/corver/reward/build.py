"""From a RewardConfig to a scorer.

In: the configuration of the reward and a counter. Out: a Scorer. The one place that knows both.
"""

from __future__ import annotations

from corver.config import RewardConfig
from corver.extract.rules import RulesExtractor
from corver.reward.levels import Levels
from corver.reward.profile import ProfileSettings
from corver.reward.scorer import Scorer
from corver.types import Counter

__all__ = ["build_scorer"]


def build_scorer(config: RewardConfig, *, index: Counter) -> Scorer:
    """The scorer that the configuration describes, counting in `index`."""
    extractor = RulesExtractor(
        resolve_pronouns="last_subject" if config.resolve_pronouns else "off",
        question_subject=config.question_subject,
    )
    return Scorer(
        index=index,
        extractor=extractor,
        window=config.window,
        levels=Levels(thresholds=config.levels.thresholds, rewards=config.levels.rewards),
        rule=config.rule,
        repetition_guard=config.repetition_guard,
        support=config.support,
        profile=ProfileSettings(**config.profile.model_dump(), pronouns=config.resolve_pronouns),
    )
