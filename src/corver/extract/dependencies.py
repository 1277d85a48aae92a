"""From a parsed sentence to its subject-object pairs.

In: a `Parsed` sentence. Out: a `Reading`: pairs in the order in which they are worth checking, with pronouns left as
they stand. Who does what comes from the parse, where a phrase begins and ends from the scan. Where the parse finds no
claim (titles, sentences without a verb), the clauses are read by rule. This module knows no other sentence.
"""

from __future__ import annotations

from typing import Any

from corver.extract.clauses import read_pairs
from corver.extract.collect import PairCollector, Reading, asks, speaks
from corver.extract.heads import Head, find_head
from corver.extract.lexicon import LIGHT_VERBS, TALKERS
from corver.extract.parsed import Parsed, children
from corver.extract.phrases import Range, is_named, narrow, noun_phrase, text_of

__all__ = ["read_parsed"]

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_OBJECTS = ("dobj", "attr", "oprd", "dative", "npadvmod", "nmod")
_PREPOSITIONS = ("prep", "agent", "dative")
_LEFT = frozenset({"compound", "amod", "nmod", "nummod", "poss", "quantmod", "det", "case", "advmod", "punct"})
_WITHIN_VERB = frozenset({"aux", "auxpass", "neg", "advmod", "prt"})
_VERBAL = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
_MAX_CLAUSES = 12
_MAX_PHRASES = 250
"""Phrases looked at in one sentence. A list of a thousand letters is a parse a thousand deep, beyond Python's stack."""


def read_parsed(sentence: Parsed) -> Reading:
    """All pairs of a sentence. Questions claim nothing."""
    if asks(sentence.found):
        return Reading()
    walker = _Walker(sentence)
    for token in sentence.doc:
        if token.dep_ == "ROOT" or token.head is token:
            walker.clause(token, None)
    return walker.reading if walker.reading.pairs else read_pairs(sentence.found)


class _Walker(PairCollector):
    """Walks down the parse from its roots and collects pairs."""

    def __init__(self, sentence: Parsed) -> None:
        super().__init__(sentence.found)
        self.sentence = sentence
        self.clauses = self.phrases = 0
        self.visited: set[int] = set()

    # -- clauses -----------------------------------------------------------------------------------------------------

    def clause(self, verb: Any, inherited: Head | None) -> None:
        """The predicate at `verb`, then the clauses below it."""
        if verb.i in self.visited or self.clauses >= _MAX_CLAUSES:
            return
        self.visited.add(verb.i)
        self.clauses += 1
        if verb.tag_ not in _VERBAL:
            return
        subject = next(children(verb, *_SUBJECTS), None)
        expletive = next(children(verb, "expl"), None)
        if expletive is not None and expletive.lower_ == "there":
            self._existential(verb)
            return
        head = inherited if subject is None else self._head(subject, verb)
        first = len(self.reading.pairs)
        if head is not None and not self._speaker(head):
            head = self.placed(head, [phrase for _, phrase in self._fronted(verb) if self.is_place(phrase)])
            self.begin(head)
            self._predicate(head, verb)
            self._asides(head, subject)
            self._leads(head, verb, first)
        self._below(verb, head)

    def _below(self, verb: Any, head: Head | None) -> None:
        """Clauses that hang on a verb: coordinated, complement and adverbial ones, and those of its objects."""
        for child in verb.children:
            if child.dep_ in ("conj", "xcomp", "advcl"):
                self.clause(child, head)
            elif child.dep_ in ("ccomp", "parataxis", "dep"):
                self.clause(child, None)
        for child in verb.children:
            if child.dep_ in ("dobj", "attr", "oprd", "nsubj", "nsubjpass"):
                self._relatives(child)
            elif child.dep_ in _PREPOSITIONS:
                for noun in children(child, "pobj"):
                    self._relatives(noun)

    def _goes_on(self) -> bool:
        """Whether one phrase more may be looked at; asked wherever the walk goes deeper by one."""
        self.phrases += 1
        return self.phrases <= _MAX_PHRASES

    def _relatives(self, noun: Any) -> None:
        """Relative clauses of a noun have the noun for their subject."""
        if not self._goes_on():
            return
        for child in children(noun, "relcl", "acl"):
            self.clause(child, self._noun_head(noun))
        for child in children(noun, "conj", "appos"):
            self._relatives(child)

    def _existential(self, verb: Any) -> None:
        """There is a city called Mogadishu: the phrase after the verb is the subject."""
        for noun in children(verb, "attr", "dobj", "nsubj"):
            head = self._noun_head(noun)
            for child in children(noun, "relcl", "acl"):
                self.clause(child, head)
            self._prepositions(head, noun, "is")
            self._prepositions(head, verb, "is")

    # -- subjects ----------------------------------------------------------------------------------------------------

    def _head(self, subject: Any, verb: Any) -> Head | None:
        """The subject of a clause, None when the scan has left it out."""
        if subject.tag_ in ("WDT", "WP") or (subject.lower_ == "that" and verb.dep_ == "relcl"):
            return self._noun_head(verb.head) if verb.dep_ in ("relcl", "acl") else None
        start, end = self._start(subject), self._verb_start(verb)
        if start < 0 or end <= start:
            return self._noun_head(subject)
        return find_head(self.found, start, end)

    def _start(self, subject: Any) -> int:
        """Where the subject begins; a preposition without an object before it opens a title."""
        start = self.sentence.left_edge(subject)
        while start > 0 and self.found.tags[start - 1] == "N" and self.found.tags[start] == "N":
            start -= 1
        if start == 1 and self.found.tags[0] == "P":
            opening = self.sentence.doc[0]
            if not any(True for _ in children(opening, "pobj", "pcomp")):
                return 0
        return start

    def _verb_start(self, verb: Any) -> int:
        """The first word of a verb's group that stands behind its subject."""
        subject = next(children(verb, *_SUBJECTS), None)
        beyond = subject.i if subject is not None else -1
        group = [child for child in verb.children if child.dep_ in _WITHIN_VERB and child.i > beyond]
        places = [self.sentence.at(token) for token in (*group, verb)]
        return min((place for place in places if place >= 0), default=-1)

    def _noun_head(self, noun: Any) -> Head | None:
        phrase = self._phrase(noun)
        if phrase.end <= phrase.start:
            return None
        prefix, core = narrow(self.found, phrase)
        return Head(core, prefix)

    def _speaker(self, head: Head) -> bool:
        """What the speaker does or cannot do is no claim about the world."""
        start = head.tokens.start
        return self.found.tags[start] == "O" and self.found.lower(start) in TALKERS

    # -- predicates --------------------------------------------------------------------------------------------------

    def _predicate(self, head: Head, verb: Any) -> None:
        """What the verb says of its subject: objects, then what its prepositions bring."""
        first = len(self.reading.pairs)
        relation = self._relation(verb)
        light = False
        for child in verb.children:
            if child.dep_ in _OBJECTS and child.i > verb.i and child.tag_ != "IN":
                self._tail(head, relation, "", child)
                if self._is_light(verb, child):
                    light = True
                    for clause in children(child, "relcl", "acl"):
                        self.clause(clause, Head(head.tokens))
            elif child.dep_ == "acomp":
                self._complement(head, relation, child)
        self._prepositions(head, verb, relation)
        if light:
            # "is a village in Poland", "plays the role of Hamlet"
            self._names_first(first)

    def _is_light(self, verb: Any, noun: Any) -> bool:
        at = self.sentence.at(noun)
        copular = self.found.tags[self.sentence.at(verb)] == "B" or verb.lower_ in LIGHT_VERBS
        return copular and at >= 0 and self.found.tags[at] == "w"

    def _tail(self, head: Head, verb: str, preposition: str, noun: Any) -> None:
        """An object, what it is coordinated with, and what its own prepositions say."""
        if not self._goes_on():
            return
        tail = self._phrase(noun)
        relation = f"{verb} {preposition}".strip()
        first = len(self.reading.pairs)
        self.emit(head, relation, tail)
        named = is_named(self.found, tail)
        self._prepositions(head, noun, verb if named else f"{relation} {self.words(tail)}", beyond=tail.end)
        if preposition:
            # "known for his role as Ben Galvin": the name says more than the common noun.
            self._names_first(first)
        for child in children(noun, "conj"):
            self._tail(head, verb, preposition, child)
        for child in children(noun, "appos"):
            # "Paris, the capital": the apposition tells what the object is. "Pensacola, Florida": it goes on.
            told = named and next(children(child, "det"), None) is not None
            if told:
                self._tail(Head(narrow(self.found, tail)[1]), "is", "", child)
            else:
                self._tail(head, verb, preposition, child)

    def _complement(self, head: Head, relation: str, adjective: Any) -> None:
        """ "is famous for radium"; "is landlocked" says the adjective itself, with its measure if it has one."""
        if not self._goes_on():
            return
        first = len(self.reading.pairs)
        self._prepositions(head, adjective, f"{relation} {adjective.text}")
        at = self.sentence.at(adjective)
        if len(self.reading.pairs) == first and at >= 0:
            measure = next(children(adjective, "npadvmod"), None)
            start = self._phrase(measure).start if measure is not None and measure.i < adjective.i else at
            self.emit(head, relation, Range(start, at + 1))
        for child in children(adjective, "conj"):
            self._complement(head, relation, child)

    def _prepositions(self, head: Head | None, governor: Any, relation: str, *, beyond: int = 0) -> None:
        """Pairs with the objects of the prepositions behind a word, and of those below them.

        beyond: what stands before this place in the scan is part of a phrase already.
        """
        if head is None:
            return
        for child in children(governor, *_PREPOSITIONS):
            if child.i > governor.i and self.sentence.at(child) >= beyond:
                self._preposition(head, child, relation, child.text)

    def _preposition(self, head: Head, preposition: Any, verb: str, words: str) -> None:
        if not self._goes_on():
            return
        for child in preposition.children:
            if child.dep_ == "pobj":
                self._tail(head, verb, words, child)
            elif child.dep_ == "prep":
                self._preposition(head, child, verb, f"{words} {child.text}")
            elif child.dep_ == "pcomp":
                self._predicate(head, child)

    def _relation(self, verb: Any) -> str:
        """The words of the verb's group."""
        place = self.sentence.at(verb)
        start = self._verb_start(verb)
        return text_of(self.found, Range(min(start, place), place + 1)) if place >= 0 and start >= 0 else verb.text

    def _names_first(self, first: int) -> None:
        """Among the pairs from `first` on, put those whose object holds a name or number before the others."""
        self.reading.pairs[first:] = sorted(self.reading.pairs[first:], key=lambda pair: not speaks(pair))

    # -- around the predicate ----------------------------------------------------------------------------------------

    def _fronted(self, verb: Any) -> list[tuple[str, Range]]:
        """The phrases that stand in front of the subject: "In 1903, …"."""
        phrases = []
        for child in verb.children:
            if child.i >= verb.i:
                break
            if child.dep_ in _PREPOSITIONS:
                phrases += [(child.text, self._phrase(noun)) for noun in children(child, "pobj")]
            elif child.dep_ == "npadvmod":
                phrases.append(("", self._phrase(child)))
        return phrases

    def _leads(self, head: Head, verb: Any, first: int) -> None:
        """What stands in front is said of the subject too; a place before a vague object says more than the object."""
        vague = len(self.reading.pairs) > first and not speaks(self.reading.pairs[first])
        fronted = self._fronted(verb)
        for preposition, phrase in fronted:
            self.emit(head, preposition, phrase)
        if vague and any(self.is_place(phrase) for _, phrase in fronted):
            # "In Kenya, Swahili is an official language"
            self._names_first(first)

    def _asides(self, head: Head, subject: Any) -> None:
        """Appositions and further phrases of the subject itself."""
        if subject is None:
            return
        bare = Head(head.tokens)
        for child in children(subject, "appos"):
            self._tail(bare, "is", "", child)
        for child in children(subject, "acl", "relcl"):
            self.clause(child, bare)

    # -- phrases -----------------------------------------------------------------------------------------------------

    def _phrase(self, noun: Any) -> Range:
        """The noun phrase around a word, empty when the scan has left it out."""
        found, at = self.found, self.sentence.at(noun)
        if at < 0:
            return Range(0, 0)
        if found.tags[at] == "O":
            return Range(at, at + 1)
        start = at
        for child in noun.lefts:
            place = self.sentence.left_edge(child)
            if child.dep_ in _LEFT and 0 <= place < start:
                start = place
                break
        while start > 0 and found.tags[start - 1] == "N" and found.tags[start] == "N":
            start -= 1
        phrase = noun_phrase(found, start)
        while phrase.end <= at and start < at:
            start = max(start + 1, phrase.end)
            phrase = noun_phrase(found, start)
        return phrase if phrase.end > phrase.start else Range(at, at + 1)
