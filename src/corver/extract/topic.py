"""What the sentences of a text are about, for a support that anchors on one subject.

In: a passage: its sentences, and perhaps the question that they answer. Out: a `Topic` a sentence, or None. The subject
of the question is that of every sentence; without a question it is the sentence's own named subject, carried on over
pronouns and over sentences without one. This module knows no corpus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from corver.extract.clauses import read_pairs
from corver.extract.scan import Scan
from corver.extract.subjects import SubjectMemory, is_resolvable, question_subject
from corver.extract.units import Detail, folded
from corver.text.stopwords import ARTICLES, FUNCTION_WORDS, STOPWORDS

__all__ = ["Topic", "TopicSource", "asked_words", "find_topics", "topic_of"]

TopicSource: TypeAlias = Literal["question", "sentence", "earlier"]

_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_LABEL = re.compile(r"^\s*(?:question|prompt|instruction|q)\s*[:.]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject. name: as it stands in the text, without article and disambiguation. words: folded, never empty.

    hint: the words of a disambiguation in parentheses ("2012 film"), "" without one.
    """

    name: str
    words: tuple[str, ...]
    source: TopicSource
    hint: str = ""

    @property
    def key(self) -> str:
        """Name and hint: what tells this subject from others."""
        return f"{self.name} {self.hint}" if self.hint else self.name

    def names(self, detail: Detail) -> bool:
        """Whether a detail only names the subject again, whole or in part."""
        return all(word in self.words for word in detail.words)


def topic_of(name: str, source: TopicSource) -> Topic | None:
    """A subject from its name: "The Thing (1982 film)" is asked for as "Thing". None when no word is left."""
    bare = _PARENTHESES.sub("", name).strip()
    hint = " ".join(word for word in folded(name[len(bare) :]) if word not in STOPWORDS) if bare else ""
    bare = bare or name
    first, _, rest = bare.partition(" ")
    if first.lower() in ARTICLES and rest.strip():
        bare = rest.strip()
    spelled = folded(bare)
    return Topic(bare, spelled, source, hint) if any(word not in FUNCTION_WORDS for word in spelled) else None


@lru_cache(maxsize=4096)
def _asked_subject(question: str) -> Topic | None:
    name = question_subject(_LABEL.sub("", question))
    if name is None:
        return None
    told_apart = re.search(rf"{re.escape(name)}\s*\([^()]*\)", question)
    return topic_of(told_apart[0] if told_apart else name, "question")


@lru_cache(maxsize=4096)
def asked_words(question: str) -> frozenset[str]:
    """The words of a question: what an answer says again is no detail of its own."""
    return frozenset(folded(question))


def find_topics(scans: Sequence[Scan], *, question: str | None = None, pronouns: bool = True) -> list[Topic | None]:
    """The subject of every sentence of a text, in order.

    pronouns: a sentence whose subject is a pronoun, or that has none, keeps an earlier subject.
    """
    asked = _asked_subject(question) if question else None
    if asked is not None:
        return [asked] * len(scans)
    memory = SubjectMemory()
    known: list[Topic] = []
    topics: list[Topic | None] = []
    for found in scans:
        topic = _own_subject(found, memory, pronouns=pronouns)
        if topic is None and not known:
            topic = _first_name(found)
        if topic is None and pronouns and known:
            topic = known[-1]
        if topic is not None:
            topic = _longest(topic, known)
            known.append(topic)
        topics.append(topic)
    return topics


def _own_subject(found: Scan, memory: SubjectMemory, *, pronouns: bool) -> Topic | None:
    """The first named subject among a sentence's pairs, or the name that a pronoun stands for."""
    for pair in read_pairs(found).pairs:
        if is_resolvable(pair.head):
            name = memory.resolve(pair.head) if pronouns else None
            return None if name is None else topic_of(name, "earlier")
        if pair.head != pair.head.lower():
            topic = topic_of(pair.head, "sentence")
            if topic is not None:
                memory.note(pair.head, plural=" and " in pair.head)
                return topic
    return None


def _first_name(found: Scan) -> Topic | None:
    """The first name of a sentence without a pair."""
    name = question_subject(found.text)
    return None if name is None or name == name.lower() else topic_of(name, "sentence")


def _longest(topic: Topic, known: Sequence[Topic]) -> Topic:
    """The fuller name that an earlier sentence used for the same subject: Marie Curie for Curie."""
    for earlier in reversed(known):
        if len(earlier.words) > len(topic.words) and all(word in earlier.words for word in topic.words):
            return replace(earlier, source="earlier")
    return topic
