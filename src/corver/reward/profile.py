"""The support named `profile`: every detail of a sentence, by how near it stands to the subject's mentions.

In: an index that knows mentions and profiles. Out: verdicts with their units: text, span, weight, score and share of
the reward. The subject is that of the question, else the sentence's own, carried on over pronouns. Words that the
question has said already, and those of the subject, are no details. This module knows no levels.

What counts cannot see: the relation between right entities, their order, and negation; sentences that deny something
are `no_claim` unless told otherwise.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from corver.errors import ConfigError, LookupFailedError, UsageError
from corver.extract.forms import word_forms
from corver.extract.lexicon import MONTHS
from corver.extract.negation import is_negated
from corver.extract.scan import Scan, scan
from corver.extract.topic import Topic, asked_words, find_topics
from corver.extract.units import Detail, folded, read_details
from corver.reward.association import EDGES, FLOOR, PRIOR, chance_scores, edges_within, kernel_sums, unit_scores
from corver.reward.repetition import REPEATED
from corver.reward.shares import RewardScale
from corver.types import Clause, Pair, Passage, Phrase, SentenceScore, Span, Status, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from corver.index.mentions import Mentions, Profile

__all__ = ["NEGATED", "ProfileIndex", "ProfileSettings", "ProfileSupport", "sentence_score"]

NEGATED = "it denies something, which counts cannot see"
"""The reason of a `no_claim` that has a subject and details, and a "not"."""

NegationRule: TypeAlias = Literal["no_claim", "ignore"]

_VERSION = 2  # of what no constant tells: how subjects, details and mentions are found
_MAX_SENTENCE = 2000  # code points that are read
_MOST_TOLD = 20_000  # mentions of a name that are told apart by its parentheses
_REMEMBERED = 2048  # subjects whose mentions are kept
_MOST_MADE = 256 << 20  # bytes of phrase lists, after which everything remembered is forgotten


@runtime_checkable
class ProfileIndex(Protocol):
    """An index that knows where a subject is mentioned and what stands around it; `corver.Index` is one."""

    @property
    def words(self) -> int: ...

    def mentions(
        self,
        subject: str,
        *,
        cap: int = 200,
        surname: bool = True,
        loose: int = 10,
        any_small_words: bool = False,
        fuller: bool = False,
    ) -> Mentions: ...

    def profile(
        self,
        mentions: Mentions,
        units: Sequence[Clause],
        *,
        scale: float = 100.0,
        cut: int = 600,
        edges: Sequence[int] | None = None,
    ) -> Profile: ...


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """Constants of the profile support, the same for every corpus.

    scales, cut: of the kernels exp(−d / scale), in words; a unit scores the mean over the scales, and nothing beyond
    `cut` counts. mentions: at most so many of a subject, evenly sampled. surname: the last word of a subject alone is a
    mention too in documents that name it whole. article_weight: of each position looked at in documents that open with
    the subject, beside the 1 of a mention. forms: plurals, verb endings and peoples ("Polish" for Poland) count for a
    unit too. neutral: Z. slack, spread, full, penalty: see `RewardScale`; a common word must also beat chance by
    `slack`. word_weight: weight of a common word beside the 1 of names and numbers; relation_weight: of one that only
    carries the relation, which is read where a sentence says nothing else. pronouns: carry a subject on. negation: what
    a sentence that denies something is. Raises ConfigError for scales that are none.
    """

    neutral: float = -3.3
    scales: tuple[float, ...] = (30.0, 300.0)
    cut: int = 1800
    mentions: int = 200
    surname: bool = True
    article_weight: float = 0.25
    forms: bool = True
    slack: float = 1.0
    spread: float = 3.0
    full: float = 6.0
    penalty: float = 0.5
    word_weight: float = 0.5
    relation_weight: float = 0.05
    pronouns: bool = True
    negation: NegationRule = "no_claim"

    def __post_init__(self) -> None:
        if not self.scales or min(self.scales) <= 0 or self.cut < 0:
            raise ConfigError("scales must be one or more numbers above 0, and cut 0 or more")

    def scale_of_rewards(self) -> RewardScale:
        """The map from unit scores to shares."""
        return RewardScale(self.neutral, self.slack, self.spread, self.full, self.penalty)


def sentence_score(units: Sequence[Unit]) -> float:
    """Σ w·s / Σ w: the mean score of a sentence's units, for ranking and calibration; NaN without units.

    As a reward it would pay for dropping details; see `RewardScale`.
    """
    weight = sum(unit.weight for unit in units)
    return sum(unit.weight * unit.score for unit in units) / weight if weight else math.nan


@dataclass(frozen=True, slots=True)
class _Draft:
    """A sentence on its way: what it is about and says, or why there is nothing to look up."""

    topic: Topic | None
    details: tuple[Detail, ...] = ()
    reason: str | None = None


_Scores: TypeAlias = dict[tuple[str, ...], tuple[float, float]]
"""(score, score by chance) of each detail by its words."""


class ProfileSupport:
    """Additive evidence of all details. Safe to use from one thread at a time."""

    def __init__(self, *, index: object, settings: ProfileSettings | None = None) -> None:
        if not isinstance(index, ProfileIndex):
            raise UsageError("the support profile needs an index folder of corver's own; this counter can only count")
        self._index = index
        self._settings = settings if settings is not None else ProfileSettings()
        self._rewards = self._settings.scale_of_rewards()
        self._mentions: OrderedDict[str, Mentions] = OrderedDict()

    def settings(self) -> Mapping[str, Any]:
        """All constants."""
        fixed = {"floor": FLOOR, "prior": PRIOR, "edges": EDGES}
        return {"support": "profile", "version": _VERSION, **fixed, **asdict(self._settings)}

    def verdicts(self, passages: Sequence[Passage], spans: Sequence[Sequence[Span]]) -> list[list[SentenceScore]]:
        """Read all sentences, look up each subject once with all its details, and add up."""
        drafts = [self._read(passage) for passage in passages]
        found = self._look_up([draft for row in drafts for draft in row])
        return [
            [
                self._verdict(span, sentence, draft, found)
                for span, sentence, draft in zip(row, passage.sentences, mine, strict=True)
            ]
            for row, passage, mine in zip(spans, passages, drafts, strict=True)
        ]

    def guard(self, scores: Sequence[SentenceScore]) -> list[SentenceScore]:
        """A detail of a subject is credited once a completion; a sentence of nothing new is marked as repeated."""
        seen: set[tuple[str, ...]] = set()
        guarded: list[SentenceScore] = []
        for score in scores:
            if score.has_claim and score.pair is not None:
                subject = tuple(sorted(folded(score.pair.head)))
                keys = [(*subject, "|", *folded(unit.text)) for unit in score.units]
                again = [key in seen for key in keys]
                seen.update(keys)
                if any(again):
                    score = _without_credit(score, again)
            guarded.append(score)
        return guarded

    def _read(self, passage: Passage) -> list[_Draft]:
        scans = [scan(sentence[:_MAX_SENTENCE]) for sentence in passage.sentences]
        topics = find_topics(scans, question=passage.question, pronouns=self._settings.pronouns)
        asked = asked_words(passage.question) if passage.question else frozenset[str]()
        return [self._draft(found, topic, asked) for found, topic in zip(scans, topics, strict=True)]

    def _draft(self, found: Scan, topic: Topic | None, asked: frozenset[str]) -> _Draft:
        if topic is None or found.text.rstrip(" \"')]”").endswith("?"):
            return _Draft(None)
        distinct: dict[tuple[str, ...], Detail] = {}
        for detail in read_details(found):
            if not topic.names(detail) and not all(word in asked for word in detail.words):
                distinct.setdefault(detail.words, detail)
        if not distinct:
            return _Draft(None)
        # Words of the relation speak only where nothing else does; else a wrong relation could pay.
        spoken = tuple(detail for detail in distinct.values() if not detail.relation) or tuple(distinct.values())
        if self._settings.negation == "no_claim" and is_negated(found):
            return _Draft(topic, reason=NEGATED)
        return _Draft(topic, spoken)

    def _look_up(self, drafts: Sequence[_Draft]) -> dict[str, _Scores | LookupFailedError | None]:
        """The scores of every subject's details; None for a subject that the corpus lacks."""
        wanted: dict[str, tuple[Topic, dict[tuple[str, ...], Detail]]] = {}
        for draft in drafts:
            if draft.topic is not None and draft.details:
                _, mine = wanted.setdefault(draft.topic.key, (draft.topic, {}))
                for detail in draft.details:
                    mine.setdefault(detail.words, detail)
        return {key: self._score(topic, list(details.values())) for key, (topic, details) in wanted.items()}

    def _score(self, topic: Topic, details: Sequence[Detail]) -> _Scores | LookupFailedError | None:
        settings = self._settings
        clauses = [self._clauses(detail) for detail in details]
        starts = np.cumsum([0, *(len(forms) for forms in clauses[:-1])])
        flat = [clause for forms in clauses for clause in forms]
        edges = edges_within(settings.cut)
        try:
            mentions = self._mentions_of(topic)
            if not len(mentions):
                return None
            near = [(1.0, mentions), (settings.article_weight, mentions.of_articles)]
            near = [(weight, places) for weight, places in near if weight and len(places)]
            profiles = [self._index.profile(places, flat, cut=settings.cut, edges=edges) for _, places in near]
        except LookupFailedError as error:
            return error
        total = sum(weight * len(places) for weight, places in near)
        frequencies = np.add.reduceat(profiles[0].frequencies, starts)

        def sums(scale: float) -> NDArray[np.float64]:
            found = [kernel_sums(profile.histogram, edges=edges, scale=scale) for profile in profiles]
            best = [np.maximum.reduceat(forms, starts) for forms in found]
            return np.asarray(sum(weight * one for (weight, _), one in zip(near, best, strict=True)))

        words, scales = self._index.words, settings.scales
        scores = [unit_scores(sums(scale), frequencies, mentions=total, words=words, scale=scale) for scale in scales]
        chances = [chance_scores(frequencies, words=words, scale=scale) for scale in scales]
        both = zip(np.mean(scores, axis=0).tolist(), np.mean(chances, axis=0).tolist(), strict=True)
        return dict(zip((detail.words for detail in details), both, strict=True))

    def _clauses(self, detail: Detail) -> tuple[Clause, ...]:
        """The forms of a detail as the index asks for them; a day and its month in either order."""
        words = detail.words
        if len(words) == 1:
            return word_forms(words[0], name=detail.kind != "word") if self._settings.forms else words
        if len(words) == 2 and (words[0] in MONTHS or words[1] in MONTHS):
            return (Phrase(words), Phrase(words[::-1]))
        return (Phrase(words),)

    def _mentions_of(self, topic: Topic) -> Mentions:
        known = self._mentions.get(topic.key)
        if known is not None and known.table.made_bytes > _MOST_MADE:
            # Mentions keep the table alive in which phrases are made; with them gone the index begins a new one.
            self._mentions.clear()
            known = None
        if known is None:
            known = self._find(topic)
            self._mentions[topic.key] = known
            if len(self._mentions) > _REMEMBERED:
                self._mentions.popitem(last=False)
        else:
            self._mentions.move_to_end(topic.key)
        return known

    def _find(self, topic: Topic) -> Mentions:
        """The exact name; with parentheses, in documents that say near it what they say, if there are any."""
        settings = self._settings
        if topic.hint:
            told = self._index.mentions(topic.key, cap=_MOST_TOLD, surname=False, any_small_words=True)
            if len(told):
                named = self._named(topic, cap=_MOST_TOLD).within(told)
                if len(named):
                    return named.sampled(settings.mentions)
        return self._named(topic, cap=settings.mentions)

    def _named(self, topic: Topic, *, cap: int) -> Mentions:
        surname = self._settings.surname
        return self._index.mentions(topic.name, cap=cap, surname=surname, loose=0, any_small_words=True, fuller=True)

    def _verdict(
        self,
        span: Span,
        sentence: str,
        draft: _Draft,
        found: Mapping[str, _Scores | LookupFailedError | None],
    ) -> SentenceScore:
        topic = draft.topic
        if topic is None or not draft.details:
            return SentenceScore(span, sentence, Status.NO_CLAIM, 0.0, reason=draft.reason)
        scores = found[topic.key]
        head = Pair(topic.name, "", "")
        if isinstance(scores, LookupFailedError):
            return SentenceScore(span, sentence, Status.FAILED, math.nan, head, reason=str(scores))
        if scores is None:
            return SentenceScore(span, sentence, Status.NO_EVIDENCE, 0.0, head, topic.words)
        values, chances = zip(*(scores[detail.words] for detail in draft.details), strict=True)
        weights = [self._weight(detail) for detail in draft.details]
        # Around a well-known subject most common words stand a little above chance: that is no support yet.
        bars = [
            chance + self._settings.slack if detail.kind == "word" else chance
            for detail, chance in zip(draft.details, chances, strict=True)
        ]
        shares = self._rewards.shares(values, weights, bars)
        units = tuple(
            Unit(detail.span.of(sentence), detail.span, weight, value, share)
            for detail, weight, value, share in zip(draft.details, weights, values, shares, strict=True)
        )
        reward = sum(shares)
        main = max(range(len(units)), key=lambda i: (weights[i], abs(shares[i])))
        return SentenceScore(
            span=span,
            text=sentence,
            status=Status.SUPPORTED if reward > 0 else Status.UNSUPPORTED,
            reward=reward,
            pair=replace(head, tail=units[main].text, tail_span=units[main].span),
            words=tuple(sorted({*topic.words, *draft.details[main].words})),
            units=units,
        )

    def _weight(self, detail: Detail) -> float:
        if detail.kind != "word":
            return 1.0
        return self._settings.relation_weight if detail.relation else self._settings.word_weight


def _without_credit(score: SentenceScore, again: Sequence[bool]) -> SentenceScore:
    """The verdict when some details were credited before: they gain nothing and still lose."""
    units = tuple(
        replace(unit, share=min(unit.share, 0.0), repeated=True) if known else unit
        for unit, known in zip(score.units, again, strict=True)
    )
    repeated = all(again)
    return replace(
        score,
        units=units,
        reward=sum(unit.share for unit in units),
        repeated=repeated,
        reason=REPEATED if repeated else score.reason,
    )
