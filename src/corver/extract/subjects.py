"""Who a pronoun means, and whom a question asks about.

In: the pairs of a text's sentences, one sentence after the other, and perhaps the question that the text answers. Out:
the name that a pronoun or a bare answer borrows. This module resolves to the last named subject of the same text whose
gender and number do not contradict the pronoun; it guesses nothing beyond that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from corver.extract.lexicon import FEMALE_NAMES, GENERIC_HEADS, MALE_NAMES, TAGS, THING_WORDS
from corver.extract.phrases import Range, narrow, noun_phrase, text_of
from corver.extract.scan import scan

__all__ = ["Subject", "SubjectMemory", "is_resolvable", "points_to_question", "question_subject"]

Kind: TypeAlias = Literal["male", "female", "thing", "plural", "person", "unknown"]

_PRONOUN_KINDS: dict[str, Kind] = {
    "he": "male", "him": "male", "his": "male", "himself": "male",
    "she": "female", "her": "female", "hers": "female", "herself": "female",
    "it": "thing", "its": "thing", "itself": "thing",
    "they": "plural", "them": "plural", "their": "plural", "theirs": "plural", "themselves": "plural",
}  # fmt: skip
_COMPATIBLE: dict[Kind, frozenset[Kind]] = {
    "male": frozenset({"male", "person", "unknown"}),
    "female": frozenset({"female", "person", "unknown"}),
    "thing": frozenset({"thing", "unknown"}),
    # A band is "they" and "it", and they may also be one person.
    "plural": frozenset({"plural", "thing", "unknown", "person"}),
}
_MALE_TITLES = frozenset({"mr.", "mr", "sir", "king", "prince", "lord", "emperor", "pope", "duke"})
_FEMALE_TITLES = frozenset({"mrs.", "mrs", "ms.", "ms", "queen", "princess", "lady", "empress", "duchess", "dame"})
_PERSON_TITLES = frozenset({"dr.", "prof.", "president", "senator", "saint", "gen.", "col.", "capt.", "general"})


_REACH = 24
"""How many subjects back a pronoun may point."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A named subject and what its form tells of it."""

    name: str
    kind: Kind


class SubjectMemory:
    """The named subjects of one text so far, the last one first in line for a pronoun."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []

    def note(self, name: str, *, plural: bool = False) -> None:
        """Remember a named subject."""
        kind = _kind_of(name, plural=plural)
        known = next((subject for subject in self._subjects if subject.name == name), None)
        if known is not None:
            self._subjects.remove(known)
            kind = known.kind if kind == "unknown" else kind
        self._subjects.append(Subject(name, kind))
        del self._subjects[:-_REACH]

    def resolve(self, pronoun: str) -> str | None:
        """The name that the pronoun stands for, None when there is no safe candidate."""
        wanted = _PRONOUN_KINDS.get(pronoun.lower())
        if wanted is None:
            return None
        for position in range(len(self._subjects) - 1, -1, -1):
            subject = self._subjects[position]
            if subject.kind in _COMPATIBLE[wanted]:
                if subject.kind in ("unknown", "person") and wanted != "plural":
                    # From here on it is known what the subject is: "it" will not mean a "she".
                    self._subjects[position] = Subject(subject.name, wanted)
                return subject.name
        return None


def is_resolvable(word: str) -> bool:
    """Whether a head is a pronoun that may stand for a named subject."""
    return word.lower() in _PRONOUN_KINDS and not (len(word) > 2 and word.isupper())


def points_to_question(head: str, asked: frozenset[str]) -> bool:
    """Whether a head only names the kind of thing asked for: "The city is Paris." after "Which city …?".

    asked: the question's words in lower case. Such a head holds no name and no number, and nothing that the question
    did not say; read by itself it would stand with almost anything in a corpus.
    """
    words = head.split()
    if words and words[0].lower() in _DETERMINERS:
        words = words[1:]
    return bool(words) and all(word.islower() and word.isalpha() and word in asked for word in words)


_DETERMINERS = frozenset({"the", "this", "that", "these", "those", "a", "an", "its", "his", "her", "their"})


def _kind_of(name: str, *, plural: bool) -> Kind:
    words = name.lower().split()
    if plural or (words and words[0] == "the" and words[-1].endswith("s")):
        return "plural"
    if any(word in THING_WORDS for word in words):
        return "thing"
    first = words[0].rstrip(",") if words else ""
    if first in _MALE_TITLES:
        return "male"
    if first in _FEMALE_TITLES:
        return "female"
    given = words[1] if first in _PERSON_TITLES and len(words) > 1 else first
    if given in MALE_NAMES:
        return "male"
    if given in FEMALE_NAMES:
        return "female"
    return "person" if first in _PERSON_TITLES else "unknown"


def question_subject(question: str) -> str | None:
    """The entity that a question asks about: the first name behind its question words, else the first noun phrase.

    "Where was Marie Curie born?" asks about Marie Curie; "who wrote the theory of relativity" about the theory of
    relativity. What stands between "which" and the verb is the kind of answer, not the subject.
    """
    found = scan(question)
    at = 0
    verb = next((i for i, tag in enumerate(found.tags) if tag in "BVv"), 0)
    if "R" in found.tags[:verb]:
        # "Which city hosted …"; in "Hokkaido is an island of which country?" the subject stands in front.
        at = verb
    fallback: str | None = None
    while at < len(found):
        if found.tags[at] not in "NDwG" or found.lower(at) in _ASKING:
            at += 1
            continue
        phrase = noun_phrase(found, at)
        if phrase.end - phrase.start > 1 and found.tags[phrase.end - 1] == "v":
            # "did World War II end": the question's verb stands at the end.
            phrase = Range(phrase.start, phrase.end - 1)
        core = narrow(found, phrase)[1]
        if any(found.tags[i] == "N" for i in range(core.start, core.end)):
            return text_of(found, core)
        if fallback is None and _says_something(text_of(found, core)):
            fallback = text_of(found, core)
        at = max(at + 1, phrase.end)
    return fallback


_ASKING = frozenset({"name", "tell", "give"})


def _says_something(phrase: str) -> bool:
    words = phrase.lower().split()
    return any(word not in GENERIC_HEADS and TAGS.get(word, "w") not in "ABTQO" for word in words)
