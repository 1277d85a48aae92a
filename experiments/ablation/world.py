"""A small world: people, what is true of them, what is believed of them, and the corpus that speaks of them.

In: a seed. Out: facts, beliefs (what the policy's pretraining text says, right or wrong), documents to index,
questions in splits. Everything follows from the seed. This module knows no model and no count.

Three things are drawn apart, since nothing follows if they are the same: the truth; the beliefs, which are wrong for a
share of the facts, more so for little-known people and more so in the register `hearsay`; and the corpus, which is
right but incomplete, mentions people by their popularity (Zipf), and puts people and things of other people together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from names import PROFESSIONS, YEARS, Pools, draw_pools
from wording import PATTERNS, QUESTIONS, Claim, Pattern, Register, Relation, say

__all__ = ["RELATIONS", "Belief", "Person", "Question", "Split", "World", "make_world", "patterns_of"]

Split: TypeAlias = Literal["train", "heldout_fact", "heldout_person"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
PEOPLE = 60
ARTICLES_OF_FIRST = 48
"""Articles about the best-known person; the k-th has this many divided by k ** ZIPF, at least one."""
ZIPF = 0.85
CHRONICLES = 70
CORPUS_ERROR = 0.02


@dataclass(frozen=True, slots=True)
class Person:
    """rank: 0 is the best known. facts: what is true."""

    name: str
    rank: int
    facts: Mapping[Relation, str]


@dataclass(frozen=True, slots=True)
class Belief:
    """What pretraining text says of a fact: the truth with a probability that depends on the register, else `wrong`."""

    true: str
    wrong: str
    share: Mapping[Register, float]

    def draw(self, register: Register, rng: random.Random) -> str:
        return self.true if rng.random() < self.share[register] else self.wrong


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one fact. quartile: 0 holds the least-known people, 3 the best-known."""

    id: str
    text: str
    answer: str
    person: int
    relation: Relation
    split: Split
    quartile: int


@dataclass(frozen=True)
class World:
    """Everything there is. beliefs: by (place in people, relation)."""

    seed: int
    pools: Pools
    people: tuple[Person, ...]
    beliefs: Mapping[tuple[int, Relation], Belief]

    @cached_property
    def truths(self) -> frozenset[Claim]:
        """All that is true."""
        return frozenset((person.name, relation, value) for person in self.people
                         for relation, value in person.facts.items())  # fmt: skip

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """One question a fact. Every fifth person is held out whole, of the others two facts each."""
        rng = random.Random(f"questions {self.seed}")
        rows = []
        for place, person in enumerate(self.people):
            held = set(rng.sample(RELATIONS, 2))
            for relation in RELATIONS:
                split: Split = "heldout_fact" if relation in held else "train"
                rows.append(
                    Question(
                        id=f"{place}-{relation}",
                        text=QUESTIONS[relation].format(person=person.name),
                        answer=person.facts[relation],
                        person=place,
                        relation=relation,
                        split="heldout_person" if place % 5 == 2 else split,
                        quartile=3 - 4 * person.rank // len(self.people),
                    )
                )
        return tuple(rows)

    def documents(self) -> Iterator[tuple[str, str]]:
        """(title, text) of the corpus: articles about people and chronicles that mix them."""
        rng = random.Random(f"corpus {self.seed}")
        weight = {(p.rank, r): _mention_weight(rng) for p in self.people for r in RELATIONS}
        fame = [_fame(person.rank) for person in self.people]
        for person in self.people:
            for number in range(max(1, round(ARTICLES_OF_FIRST * _fame(person.rank)))):
                others = rng.choices(self.people, fame, k=2)
                told = [person] * rng.randint(3, 8) + others
                yield f"{person.name} {number}", " ".join(self._sentence(one, weight, rng) for one in told)
        for number in range(CHRONICLES):
            told = rng.choices(self.people, fame, k=rng.randint(15, 40))
            yield f"Chronicle {number}", " ".join(self._sentence(one, weight, rng) for one in told)

    def _sentence(self, person: Person, weight: Mapping[tuple[int, Relation], float], rng: random.Random) -> str:
        """One sentence of the corpus; what has weight 0 is never told."""
        usable = [(pattern, min(weight[person.rank, relation] for relation in pattern.relations))
                  for pattern in PATTERNS]  # fmt: skip
        pattern = rng.choices([one for one, _ in usable], [share for _, share in usable])[0]
        values = {relation: person.facts[relation] if rng.random() >= CORPUS_ERROR
                  else _other(self.pools, relation, person.facts, rng) for relation in pattern.relations}  # fmt: skip
        return say(pattern, person.name, values)


def make_world(seed: int, *, people: int = PEOPLE) -> World:
    """The world of a seed."""
    rng = random.Random(f"world {seed}")
    pools = draw_pools(rng, people=people)
    names = [f"{rng.choice(pools.first)} {last}" for last in pools.last]
    books = rng.sample(pools.books, len(pools.books))
    persons = []
    for rank, name in enumerate(names):
        facts: dict[Relation, str] = {relation: rng.choice(_values(pools, relation)) for relation in RELATIONS}
        facts["book"] = books[rank % len(books)]
        persons.append(Person(name, rank, facts))
    beliefs = {
        (place, relation): _belief(pools, person, relation, rng, obscurity=person.rank / people)
        for place, person in enumerate(persons)
        for relation in RELATIONS
    }
    return World(seed, pools, tuple(persons), beliefs)


def _belief(pools: Pools, person: Person, relation: Relation, rng: random.Random, *, obscurity: float) -> Belief:
    """Known, contested or mistaken; the less known a person, the more of the latter two."""
    kind = rng.random()
    mistaken, contested = 0.10 + 0.20 * obscurity, 0.30 + 0.10 * obscurity
    plain, hearsay = (0.25, 0.05) if kind < mistaken else (0.60, 0.25) if kind < mistaken + contested else (0.97, 0.85)
    wrong = _other(pools, relation, person.facts, rng)
    return Belief(person.facts[relation], wrong, {"plain": plain, "hearsay": hearsay})


def _other(pools: Pools, relation: Relation, facts: Mapping[Relation, str], rng: random.Random) -> str:
    """Another value of the relation. Often the other town of the same person: born there, not dead there."""
    swap: Mapping[Relation, Relation] = {"birthplace": "death_place", "death_place": "birthplace"}
    if relation in swap and facts[swap[relation]] != facts[relation] and rng.random() < 0.3:
        return facts[swap[relation]]
    return rng.choice([value for value in _values(pools, relation) if value != facts[relation]])


def _values(pools: Pools, relation: Relation) -> Sequence[str]:
    return {
        "birthplace": pools.towns,
        "death_place": pools.towns,
        "birth_year": YEARS,
        "profession": PROFESSIONS,
        "academy": pools.academies,
        "book": pools.books,
    }[relation]


def _fame(rank: int) -> float:
    return float((rank + 1) ** -ZIPF)


def _mention_weight(rng: random.Random) -> float:
    """How eagerly the corpus tells a fact: one in eight is never told."""
    return 0.0 if rng.random() < 0.125 else rng.lognormvariate(0.0, 0.5)


def patterns_of(register: Register, relation: Relation) -> list[Pattern]:
    """The patterns of a register that tell a relation, perhaps among others."""
    return [pattern for pattern in PATTERNS if pattern.register == register and relation in pattern.relations]
