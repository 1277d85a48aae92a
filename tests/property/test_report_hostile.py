"""Whatever stands in the files: excerpts join to their text, and the page holds no element that the text asked for."""

from __future__ import annotations

import json
import re
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corver.report.excerpts import make_excerpt
from corver.report.levels import LevelScale
from corver.report.page import write_report
from corver.report.values import printable
from corver.runs import RunFolder

SCALE = LevelScale.of_config({})
TEXT = st.text(max_size=60) | st.lists(
    st.sampled_from(["<think>", "</answer>", "<b x='", '">', "</script>", "<!--", "\x00", "\ud83d", "Ada. ", "&#60;"])
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
SPAN = st.integers(-3, 80) | JSON


def fields(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, JSON))


SENTENCE = st.builds(
    lambda start, end, rest: {"start": start, "end": end, **rest},
    SPAN,
    SPAN,
    fields("status", "pair", "words", "count", "capped", "level", "reward", "units", "reason"),
)


@given(TEXT, st.lists(SENTENCE | JSON, max_size=6), st.integers(0, 70))
def test_excerpt_joins_to_the_shown_text(text: str, sentences: list[Any], limit: int) -> None:
    excerpt = make_excerpt(text, sentences, SCALE, characters=limit)
    assert "".join(piece.text for piece in excerpt.pieces) == printable(text[:limit])
    assert excerpt.hidden == max(0, len(text) - limit)
    assert all(piece.text for piece in excerpt.pieces)


class Counter(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


ROW = st.builds(
    lambda row, sentences: row | {"sentences": sentences},
    fields("id", "question", "answers", "completion", "label", "tokens", "cut_off", "well_formed", "step", "response"),
    st.lists(SENTENCE, max_size=3) | JSON,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(ROW, max_size=3),
    st.lists(fields("step", "reward", "kl", "corver/claims"), max_size=3),
    fields("raw", "trained", "difference", "questions", "seconds", "fingerprints", "corpus"),
    JSON,
)
def test_any_files_give_a_page_of_known_elements(
    rows: list[dict[str, Any]], metrics: list[dict[str, Any]], summary: dict[str, Any], config: Any
) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = RunFolder(Path(path))
        folder.create()
        for target in (folder.samples, folder.evaluation("raw"), folder.evaluation("trained")):
            target.write_text("".join(json.dumps(row) + "\n" for row in rows))
        folder.metrics.write_text("".join(json.dumps(row) + "\n" for row in metrics))
        folder.summary.write_text(json.dumps(summary))
        folder.config.write_text(json.dumps(config))
        page = Counter(write_report(folder).read_bytes().decode("utf-8"))
    assert page.tags <= KNOWN_TAGS
    assert page.attributes <= KNOWN_ATTRIBUTES


KNOWN_TAGS = set(
    re.findall(
        r"\S+",
        """
        html head meta title style body header main section aside footer script h1 h2 h3 h4 p span b i small sup ul ol
        li dl dt dd div details summary pre code table thead tbody tr th td figure figcaption output form input label
        article svg path line circle rect text tspan
        """,
    )
)
KNOWN_ATTRIBUTES = set(
    re.findall(
        r"\S+",
        """
        lang charset http-equiv content name class dir id scope aria-hidden aria-label role tabindex type checked for
        hidden viewbox data-label data-x data-y data-step data-raw x y x1 x2 y1 y2 cx cy r rx d width height text-anchor
        """,
    )
)
