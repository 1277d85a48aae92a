"""From a scanned sentence to its subject-object pairs.

In: a `Scan`. Out: a `Reading`: pairs in the order in which they are worth checking, with pronouns left as they stand,
and the noun phrases of a sentence without a verb. This module knows no other sentence; see `subjects` for that.
"""

from __future__ import annotations

from corver.extract.collect import PairCollector, Reading, asks, speaks
from corver.extract.heads import Head, find_head
from corver.extract.leads import Lead, skip_leads
from corver.extract.lexicon import LIGHT_VERBS, TALKERS
from corver.extract.phrases import Range, find_verb, is_named, narrow, noun_phrase, verb_group
from corver.extract.scan import Scan

__all__ = ["read_pairs"]

_MAX_CLAUSES = 12


def read_pairs(found: Scan) -> Reading:
    """All pairs of a sentence. Questions claim nothing."""
    if asks(found):
        return Reading()
    reader = _Reader(found)
    start = 0
    stops = [i for i, tag in enumerate(found.tags) if tag == ";"] if ";" in found.tags else []
    for end in [*stops, len(found)]:
        if end > start:
            reader.read(start, end)
        start = end + 1
    return reader.reading


class _Reader(PairCollector):
    """Reads clauses from left to right and collects pairs."""

    def __init__(self, found: Scan) -> None:
        super().__init__(found)
        self.end = len(found)
        self.clauses = self.predicates = 0

    # -- clauses -------------------------------------------------------------------------------------------------

    def read(self, start: int, end: int) -> None:
        """Read one clause in [start, end)."""
        self.clauses += 1
        if self.clauses > _MAX_CLAUSES:
            return
        self.end = end
        if self.found.tags[start] == "A" and self.found.words[start][0].isupper() and self.found.tag(start + 1) in "Bv":
            # "Always features Audrey Hepburn": what looks like an adverb is the subject.
            self.found.tags[start] = "N"
        at, leads = skip_leads(self.found, start, end)
        verb = find_verb(self.found, at, end)
        if verb is None:
            self._fragment(at)
            return
        if self.found.lower(at) == "there" and self.found.tags[verb] == "B":
            self._existential(verb)
            return
        head = find_head(self.found, at, verb)
        if head is None or (self.found.tags[at] == "O" and self.found.lower(at) in TALKERS):
            # What the speaker does or cannot do is no claim about the world.
            return
        self._clause(head, at, verb, leads)

    def _clause(self, head: Head, at: int, verb: int, leads: list[Lead]) -> None:
        """A clause with its subject, its verb and the phrases that stood in front of it."""
        self.begin(head)
        first = len(self.reading.pairs)
        places = [phrase for _, phrase in leads if self.is_place(phrase)]
        head = self.placed(head, places)
        self._predicate(head, verb)
        self._asides(head, at, verb)
        vague = len(self.reading.pairs) > first and not speaks(self.reading.pairs[first])
        for preposition, phrase in leads:
            self.emit(head, self.words(preposition), phrase)
        if vague and places:
            # "In Kenya, Swahili is an official language": the place says more than the common noun.
            self.reading.pairs[first:] = sorted(self.reading.pairs[first:], key=lambda pair: not speaks(pair))

    def _asides(self, head: Head, at: int, verb: int) -> None:
        """What stands between the subject and its verb: appositions, relative clauses, years in brackets."""
        found, i = self.found, max(at, head.tokens.end)
        while i < verb:
            tag = found.tags[i]
            if tag == "," and found.tag(i + 1) in "TNw":
                phrase = noun_phrase(found, i + 1)
                if phrase.end <= verb:
                    self.emit(Head(head.tokens), "is", phrase)
                i = max(i + 1, phrase.end)
            elif tag == "R" and found.tag(i + 1) in "BVv":
                group = verb_group(found, i + 1)
                self.emit(Head(head.tokens), self.words(group), noun_phrase(found, group.end))
                i = group.end
            elif tag in "(VP":
                phrase = noun_phrase(found, i + 1)
                if tag != "P" or is_named(found, phrase):
                    self.emit(Head(head.tokens), "" if tag == "(" else found.words[i], phrase)
                i = max(i + 1, phrase.end)
            else:
                i += 1

    def _existential(self, verb: int) -> None:
        """There is a city called Mogadishu: the phrase after the verb is the subject."""
        phrase = noun_phrase(self.found, verb + 1)
        if phrase.end <= phrase.start:
            return
        follow = phrase.end + 1 if self.found.tag(phrase.end) == "R" else phrase.end
        if follow < self.end and self.found.tags[follow] in "BVvGP":
            self._predicate(Head(narrow(self.found, phrase)[1]), follow)

    # -- predicates ----------------------------------------------------------------------------------------------

    def _predicate(self, head: Head, verb: int) -> None:
        """The verb at `verb`, its object, and whatever follows with the same subject."""
        found = self.found
        self.predicates += 1
        if self.predicates > _MAX_CLAUSES:
            return
        group = verb_group(found, verb) if found.tags[verb] != "P" else Range(verb, verb + 1)
        relation = self.words(group)
        if found.tag(group.end) == "R" and found.lower(group.end) == "that" and group.end + 1 < self.end:
            self.read(group.end + 1, self.end)
            return
        if found.tag(group.end) == "O" and group.end < self.end:
            pronoun = Range(group.end, group.end + 1)
            self.emit(head, relation, pronoun)
            self._continue(head, group, pronoun)
            return
        # "Warsaw is where Marie Curie was born": the clause's subject is the object.
        skip = 1 if found.tag(group.end) == "R" else 0
        tail = self._clip(noun_phrase(found, group.end + skip))
        common = tail.end > tail.start and not is_named(found, tail)
        light = found.lower(verb) in LIGHT_VERBS and found.tag(tail.end) in "Po"
        if common and (found.tags[verb] == "B" or light):
            self._described(head, group, tail)
            return
        if tail.end <= tail.start and found.tags[verb] == "B" and group.end == self.end and group.end - verb > 1:
            # "Corsica is landlocked": the participle is what is said.
            tail, relation = Range(group.end - 1, group.end), self.words(Range(verb, group.end - 1))
        self.emit(head, relation, tail)
        self._continue(head, group, tail if tail.end > tail.start else Range(group.end, group.end))

    def _described(self, head: Head, group: Range, tail: Range) -> None:
        """A common noun after "is": the name in what specifies it says more ("is a village in Poland")."""
        first, at = len(self.reading.pairs), tail.end
        while self.found.tag(at) == "A":
            at += 1
        specified = at < self.end and self.found.tags[at] in "PoVtR"
        if specified:
            self._continue(head, Range(group.start, at), Range(tail.start, at), same_subject=True)
        found = self.reading.pairs[first:]
        del self.reading.pairs[first:]
        self.reading.pairs.extend(pair for pair in found if speaks(pair))
        self.emit(head, self.words(group), tail)
        self.reading.pairs.extend(pair for pair in found if not speaks(pair))
        if not specified:
            self._continue(head, group, tail)

    def _clip(self, span: Range) -> Range:
        return Range(span.start, max(span.start, min(span.end, self.end)))

    def _continue(self, head: Head, group: Range, tail: Range, *, same_subject: bool = False) -> None:
        """What follows an object: further places and dates, second objects, further predicates."""
        found, at = self.found, tail.end
        bare = Head(head.tokens)
        copular = found.tags[group.start] == "B"
        verbs = self.words(Range(group.start, self._verb_end(group)))
        relation = self.words(group)
        while at < self.end and not self.full:
            tag = found.tags[at]
            if tag in "Po":
                phrase = self._clip(noun_phrase(found, at + 1))
                if phrase.end <= phrase.start:
                    return
                relation = f"{verbs} {found.words[at]}"
                self.emit(head, relation, phrase)
                at = phrase.end
            elif tag == "A":
                at += 1
            elif tag == "(":
                at = next((i + 1 for i in range(at, self.end) if found.tags[i] == ")"), self.end)
            elif tag in ",C":
                skipped = self._after_comma(head, relation, tail, at)
                if skipped is None:
                    return
                at = skipped
            elif tag in "Vt" or (tag == "R" and found.tag(at + 1) in "BVv"):
                subject = bare if same_subject or copular or tag == "t" or tail.end <= tail.start else Head(tail)
                self._predicate(subject, at + 1 if tag in "Rt" else at)
                return
            else:
                return

    def _verb_end(self, group: Range) -> int:
        """The end of the verbs of a group, its prepositions left out."""
        end = group.end
        while end > group.start + 1 and self.found.tags[end - 1] in "Po":
            end -= 1
        return end

    def _after_comma(self, head: Head, relation: str, tail: Range, at: int) -> int | None:
        """Read on behind a comma or conjunction; the index to go on at, None when all is read."""
        found, bare = self.found, Head(head.tokens)
        nxt = at + 1
        while nxt < self.end and found.tags[nxt] in ",CA":
            nxt += 1
        if nxt >= self.end:
            return None
        tag = found.tags[nxt]
        if tag in "BVG" or (tag == "v" and (found.tags[nxt - 1] in "CA" or found.words[nxt].endswith("s"))):
            self._predicate(bare, nxt)
            return None
        if tag == "R":
            if found.tag(nxt + 1) in "BVv" and tail.end > tail.start:
                self._predicate(Head(narrow(found, tail)[1]), nxt + 1)
            return None
        if tag == "P":
            return nxt
        phrase = self._clip(noun_phrase(found, nxt))
        if tag == "O" or (phrase.end < self.end and phrase.end > phrase.start and found.tags[phrase.end] in "BVv"):
            self.read(nxt, self.end)
            return None
        if phrase.end <= phrase.start:
            return None
        apposition = tag == "T" and found.tags[at] == "," and tail.end > tail.start and is_named(found, tail)
        self.emit(Head(tail) if apposition else head, "is" if apposition else relation, phrase)
        return phrase.end

    # -- no verb -------------------------------------------------------------------------------------------------

    def _fragment(self, at: int) -> None:
        """A clause without a verb: two phrases are a pair; one alone waits for a question's subject."""
        found = self.found
        opening = Range(at, at)
        if at < self.end and found.tags[at] in "GV":
            # "Playing as a goalkeeper, Lev Yashin"
            opening = verb_group(found, at)
            at = opening.end
        while at < self.end and found.tags[at] in "PCA,:;(":
            at += 1
        first = self._clip(noun_phrase(found, at))
        if first.end <= first.start:
            return
        nxt = first.end
        while nxt < self.end and found.tags[nxt] in ",:()CPoTA":
            nxt += 1
        second = self._clip(noun_phrase(found, nxt))
        generic = self.is_generic(Head(first))
        if second.end > second.start and not generic and is_named(found, Range(first.start, second.end)):
            if opening.end > opening.start:
                self.emit(Head(second), self.words(opening), first)
                return
            prefix, core = narrow(found, first)
            self.emit(Head(core, prefix), self.words(Range(first.end, nxt)).strip(" ,:()"), second)
            return
        runs = self._runs(first)
        if len(runs) > 1:
            self.emit(Head(runs[0]), self.words(Range(runs[0].end, runs[-1].start)), runs[-1])
        if self.reading.fragment is None:
            self.reading.fragment = self.span(second if generic and second.end > second.start else first)

    def _runs(self, span: Range) -> list[Range]:
        """Runs of names and numbers inside a phrase that are parted by common nouns."""
        tags = self.found.tags
        if any(tags[i] == "S" or (tags[i] == "o" and tags[i - 1] != "w") for i in range(span.start + 1, span.end)):
            return []
        runs: list[Range] = []
        for i in range(span.start, span.end):
            if self.found.tags[i] in "ND":
                if runs and runs[-1].end == i:
                    runs[-1] = Range(runs[-1].start, i + 1)
                else:
                    runs.append(Range(i, i + 1))
        return runs
