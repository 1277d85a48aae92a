"""The first pair of typical sentences, as a file that people can read and extend."""

from pathlib import Path

import pytest

from corver.extract.rules import RulesExtractor
from corver.types import Pair, Passage

CASES = [
    [field.strip() for field in line.split("|")]
    for line in (Path(__file__).parent / "pairs.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("##")
]


def first_pair(sentence: str) -> Pair | None:
    ((extraction,),) = RulesExtractor().extract([Passage((sentence,))])
    assert extraction.failure is None
    return extraction.pairs[0] if extraction.pairs else None


def test_the_file_holds_enough_cases() -> None:
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_first_pair(case: list[str]) -> None:
    sentence, *expected = case
    pair = first_pair(sentence)
    assert ([pair.head, pair.relation, pair.tail] if pair else ["-"]) == expected
