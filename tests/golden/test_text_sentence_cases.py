"""Hard cases of sentence splitting, as a file that people can read and extend."""

from pathlib import Path

import pytest

from corver.text.sentences import split_sentences

CASES = [
    line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    for line in (Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("##")
]


def test_the_file_holds_enough_cases() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize("case", CASES)
def test_boundaries(case: str) -> None:
    text = case.replace("¦", "")
    assert [span.of(text) for span in split_sentences(text)] == [piece.strip() for piece in case.split("¦")]


@pytest.mark.parametrize("case", CASES)
def test_windows_line_ends_and_exotic_spaces_change_nothing(case: str) -> None:
    text = case.replace("¦", "")
    changed = text.replace("\r\n", "\n").replace("\n", "\r\n").replace(" ", "\u00a0")
    plain = [span.of(text).split() for span in split_sentences(text)]
    assert [span.of(changed).split() for span in split_sentences(changed)] == plain
