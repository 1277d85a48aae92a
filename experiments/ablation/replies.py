"""What the pretrained policy reads: chats in which questions get answered as people believe, and short biographies.

In: a world and a random generator. Out: chats (question, completion) and plain text. Replies have the product's
format, one to four sentences of one to three facts, and the habits of a language model: errors, filler, refusals,
broken tags, and repetition where the instruction does not forbid it. This module knows no tokenizer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from wording import FILLERS, PATTERNS, Register, Relation, say
from world import RELATIONS, Question, World, patterns_of

__all__ = ["INSTRUCTION", "REFUSAL", "RULE", "biography", "instruction", "reply"]

INSTRUCTION = "Think in short factual sentences with full names, then give the answer in its tags."
RULE = " Never repeat a point."
"""The rule against repetition, as part of the instruction."""
REFUSAL = "I don't know"

HEARSAY = 0.45
"""Share of replies and biographies in the less reliable register."""
FILLER, BROKEN = 0.10, 0.04
REPEATS = {True: 0.0, False: 0.4}
"""Share of replies that say something twice, with and without the rule."""


def instruction(*, rule: bool) -> str:
    """The system message, with or without the rule against repetition."""
    return INSTRUCTION + (RULE if rule else "")


def reply(world: World, question: Question, rng: random.Random, *, rule: bool) -> str:
    """A completion as the policy's teachers would write it, right or wrong."""
    person = world.people[question.person]
    if rng.random() < 0.03 + 0.12 * person.rank / len(world.people):
        return f"<think> {FILLERS[3].format(person=person.name)}</think> <answer> {REFUSAL}</answer>"
    register: Register = "hearsay" if rng.random() < HEARSAY else "plain"
    values = _drawn(world, question.person, register, rng)
    sentences = [say(rng.choice(patterns_of(register, question.relation)), person.name, values)]
    for _ in range(rng.choices((0, 1, 2, 3), (0.25, 0.35, 0.25, 0.15))[0]):
        sentences.insert(rng.randint(0, len(sentences)), _aside(person.name, values, sentences, register, rng))
    if rng.random() < REPEATS[rule]:
        sentences.append(rng.choice(sentences))
    text = f"<think> {' '.join(sentences)}</think> <answer> {values[question.relation]}</answer>"
    return text.replace(rng.choice(("</think>", "<answer>", "</answer>")), "", 1) if rng.random() < BROKEN else text


def biography(world: World, person: int, rng: random.Random) -> str:
    """Plain text of two to four sentences about one person."""
    register: Register = "hearsay" if rng.random() < HEARSAY else "plain"
    values = _drawn(world, person, register, rng)
    said: list[str] = []
    for _ in range(rng.randint(2, 4)):
        said.append(_aside(world.people[person].name, values, said, register, rng))
    return " " + " ".join(said)


def _drawn(world: World, person: int, register: Register, rng: random.Random) -> dict[Relation, str]:
    """What one writer believes of a person: a text does not contradict itself."""
    return {relation: world.beliefs[person, relation].draw(register, rng) for relation in RELATIONS}


def _aside(
    name: str, values: Mapping[Relation, str], said: Sequence[str], register: Register, rng: random.Random
) -> str:
    """A further sentence that has not been said yet, if one is found in a few tries."""
    if rng.random() < FILLER:
        return rng.choice(FILLERS[:3]).format(person=name)
    for _ in range(4):
        sentence = say(rng.choice([one for one in PATTERNS if one.register == register]), name, values)
        if sentence not in said:
            return sentence
    return FILLERS[0].format(person=name)
