"""What a query holds, with every extractor and rule, counted in a real index: numbers, years, other names."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from corver.corpus.opening import open_corpus
from corver.endpoint import Reply
from corver.errors import InputError
from corver.extract.quco import QucoExtractor
from corver.extract.rules import RulesExtractor
from corver.extract.spacy import SpacyExtractor
from corver.index import Index, build_index
from corver.reward.aliases import Aliases
from corver.reward.content import content_words
from corver.reward.scorer import Scorer
from corver.reward.select import RULES, PairRule
from corver.types import AnyOf, Extractor, Phrase, SentenceScore, Status

DOCUMENTS = (
    "Apollo 11 landed on July 20, 1969. The crew of Apollo 11 came back in July.",
    "Apollo 13 was launched on April 11, 1970 and did not land.",
    "Malcolm X was killed in 1965. Malcolm Young was a guitarist.",
    "In the USA the capital is Washington. Big Apple is what people call it: New York City, not York.",
    "Washington was a general. The States were united by him.",
    "It is for us that they came to Ottawa.",
)
ANSWERS = {
    "Apollo {} landed on July 20, {}.": '[["Apollo {}", "landed on", "July 20, {}"]]',
    "Malcolm {} was killed in {}.": '[["Malcolm {}", "was killed in", "{}"]]',
}


class Model:
    """A language model that knows two sentences."""

    def answer(self, prompts: Sequence[str]) -> list[Reply]:
        return [Reply(self._triplets(prompt)) for prompt in prompts]

    def fingerprint(self) -> str:
        return "model"

    def _triplets(self, sentence: str) -> str:
        words = sentence.rstrip(".").split()
        kind = next(kind for kind in ANSWERS if kind.startswith(words[0]))
        return ANSWERS[kind].format(words[1], words[-1])


EXTRACTORS: dict[str, Extractor] = {
    "rules": RulesExtractor(),
    "spacy": SpacyExtractor(),
    "quco": QucoExtractor(Model(), template="{}"),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("queries")
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    source = open_corpus([str(folder / "corpus.jsonl")])
    build_index(source.shards(), folder / "index", workers=1, sources=source.sources())
    with Index.open(folder / "index") as opened:
        yield opened


def verdict(index: Index, extractor: str, rule: PairRule, sentence: str) -> SentenceScore:
    (score,) = Scorer(index=index, extractor=EXTRACTORS[extractor], rule=rule).score(sentence).sentences
    return score


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Apollo 11 landed on July 20, 1969.", "Apollo 11 landed on July 20, 1996."),
        ("Apollo 11 landed on July 20, 1969.", "Apollo 13 landed on July 20, 1969."),
        ("Malcolm X was killed in 1965.", "Malcolm X was killed in 1956."),
        ("Malcolm X was killed in 1965.", "Malcolm Young was killed in 1970."),
    ],
)
def test_a_number_a_year_and_a_letter_change_the_verdict(
    index: Index, extractor: str, rule: PairRule, right: str, wrong: str
) -> None:
    good, bad = (verdict(index, extractor, rule, sentence) for sentence in (right, wrong))
    assert (good.status, bad.status) == (Status.SUPPORTED, Status.UNSUPPORTED)
    assert good.reward > bad.reward


@pytest.mark.parametrize("extractor", ["rules", "spacy"])
def test_min_takes_the_worst_pair_and_relcheck_the_relation(index: Index, extractor: str) -> None:
    sentence = "Malcolm X was killed in 1965 and moved to Ottawa in 1970."
    assert verdict(index, extractor, "first", sentence).status is Status.SUPPORTED
    assert verdict(index, extractor, "min", sentence).status is Status.UNSUPPORTED
    told, untold = "Malcolm X was killed in 1965.", "Malcolm X was married in 1965."
    assert verdict(index, extractor, "relcheck", told).level == verdict(index, extractor, "first", told).level
    assert verdict(index, extractor, "first", untold).level == 1
    assert verdict(index, extractor, "relcheck", untold).level == 0


# -- aliases -----------------------------------------------------------------------------------------------------------


def count(index: Index, aliases: Aliases | None, sentence: str) -> int | None:
    (score,) = Scorer(index=index, aliases=aliases, exact_counts=True).score(sentence).sentences
    return score.count


def test_any_of_a_names_aliases_may_stand_in_its_place(index: Index) -> None:
    aliases = Aliases({"United States": ["USA", "United States of America"], "New York City": ["Big Apple"]})
    capital = "The capital of the United States is Washington."
    assert count(index, None, capital) == 1  # "The States were united by him": words that only stand near
    assert count(index, aliases, capital) == 2
    assert count(index, None, "The capital of the USA is Washington.") == 1
    # "United States" never stands there as a phrase.
    assert count(index, aliases, "The capital of the USA is Washington.") == 1
    for name in ("Big Apple", "New York City"):
        assert count(index, None, f"The {name} lies in the United States.") == 0
        assert count(index, aliases, f"The {name} lies in the United States.") == 2  # both its names stand there


def test_the_clauses_are_words_or_phrases() -> None:
    aliases = Aliases({"the United States": ["USA", "U.S.", "United States of America", "Uncle Sam"]})
    name = "United States"
    assert aliases.clauses(name, content_words(name)) == (
        AnyOf(("united", "usa", Phrase(("uncle", "sam")))),
        AnyOf(("states", "usa", Phrase(("uncle", "sam")))),
    )
    assert aliases.clauses("France", ("france",)) == ("france",)
    # What the longer name says beyond the shorter one is no longer asked for.
    long = "United States of America"
    assert aliases.clauses(long, content_words(long))[2] == AnyOf(
        ("america", Phrase(("united", "states")), "usa", Phrase(("uncle", "sam")))
    )


def test_small_words_and_letters_are_no_aliases() -> None:
    aliases = Aliases({"United States": ["U.S."], "World Health Organization": ["WHO"], "Twitter": ["X"]})
    for name in ("United States", "World Health Organization", "Twitter"):
        assert aliases.clauses(name, content_words(name)) == content_words(name)


def test_an_alias_of_several_names_stands_for_none_of_them() -> None:
    aliases = Aliases({"George Washington": ["Washington"], "Washington, D.C.": ["Washington"]})
    assert aliases.clauses("Washington", ("washington",)) == ("washington",)
    named = Aliases({"George Washington": ["Washington"], "Washington": ["Washington State"]})
    assert named.clauses("Washington", ("washington",)) == ("washington",)


def test_every_rule_counts_with_aliases(index: Index) -> None:
    aliases = Aliases({"Malcolm Little": ["Malcolm X"]})
    for rule in RULES:
        scorer = Scorer(index=index, aliases=aliases, rule=rule)
        (score,) = scorer.score("Malcolm Little was killed in 1965.").sentences
        assert (score.status, score.words) == (Status.SUPPORTED, ("1965", "little", "malcolm"))


def test_aliases_are_part_of_the_scorers_fingerprint(index: Index) -> None:
    tables = [None, Aliases({"a b": ["c"]}), Aliases({"a b": ["d"]})]
    assert len({Scorer(index=index, aliases=table).fingerprint() for table in tables}) == 3


def test_aliases_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("\ufeffUnited States\tUSA\tU.S.\n\nNew York City\tBig Apple\r\n")
    rows = [{"name": "United States", "aliases": ["USA", "U.S."]}, {"name": "New York City", "aliases": ["Big Apple"]}]
    (tmp_path / "names.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tables = [Aliases.load(tmp_path / name) for name in ("names.tsv", "names.jsonl")]
    assert tables[0].fingerprint() == tables[1].fingerprint()
    assert tables[0].clauses("Big Apple", ("big", "apple"))[0] == AnyOf(("big", Phrase(("new", "york", "city"))))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "holds no name"),
        (b"United States\n", ":1: expected a name and its aliases"),
        (b"a\tb\n{\n", ":2: is not valid JSON"),
        (b'{"name": "a"}', ":1: expected {"),
        (b'{"name": "a", "aliases": "b"}', ":1: expected {"),
        (b'{"name": 1, "aliases": ["b"]}', ":1: expected {"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"a\t" + b"\t".join(b"%d" % n for n in range(70)), "64 are the most"),
    ],
)
def test_a_bad_file_of_aliases_is_named_with_its_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "names").write_bytes(content)
    with pytest.raises(InputError, match=f"names.*{told}"):
        Aliases.load(tmp_path / "names")


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = "import sys, corver.reward.build, corver.cli.score; print({'torch', 'spacy', 'openai'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
