"""The profile support survives any text, and its verdicts keep their promises."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corver.corpus.document import Document, DocumentBatch, ReadReport
from corver.index import Index, build_index
from corver.reward.scorer import Scorer
from corver.types import Status

TEXTS = [f"Marie Curie was born in Warsaw in {year}. She won the Nobel Prize of Physics." for year in range(1850, 1890)]
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "Marie Curie",
                "Warsaw",
                "was born in",
                "1867",
                "She",
                "not",
                ".",
                '"The Who"',
                "(1982 film)",
                "of the",
                "18 May",
            ]
        ),
        st.text(max_size=12),
    ),
    max_size=14,
).map(" ".join)


class Shard:
    name, bytes = "memory", 4000

    def batches(self, report: ReadReport):  # type: ignore[no-untyped-def]
        report.documents += len(TEXTS)
        yield DocumentBatch.of(Document(f"title {i}", text) for i, text in enumerate(TEXTS))


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Scorer:
    folder: Path = tmp_path_factory.mktemp("anything")
    build_index([Shard()], folder)
    return Scorer(index=Index.open(folder), support="profile")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=PIECES, question=st.none() | PIECES)
def test_any_text_has_sound_verdicts(scorer: Scorer, text: str, question: str | None) -> None:
    for score in scorer.score(text, question=question).sentences:
        assert score.status is not Status.FAILED
        assert -1 <= score.reward <= 1
        assert sum(unit.share for unit in score.units) == pytest.approx(score.reward)
        assert bool(score.units) == score.has_claim
        for unit in score.units:
            assert 0 <= unit.span.start < unit.span.end <= len(score.text)
            assert unit.span.of(score.text) == unit.text
        assert score.to_json()["reward"] == score.reward
