"""The profile support over a small real index: units, states, the guard, and what must not pay."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from corver.config import ProfileConfig, RewardConfig
from corver.corpus.document import Document, DocumentBatch, ReadReport
from corver.errors import ConfigError, LookupFailedError, UsageError
from corver.index import Index, build_index
from corver.reward.build import build_scorer
from corver.reward.neutral import measure_neutral
from corver.reward.profile import NEGATED, ProfileSettings, sentence_score
from corver.reward.repetition import REPEATED
from corver.reward.scorer import Scorer
from corver.reward.stats import ScoreStats
from corver.types import Rollout, ScoredText, SentenceScore, Status

CURIE = "Marie Curie was a Polish physicist born in Warsaw in 1867. Curie won the Nobel Prize and discovered polonium. "
PARIS = "Paris is the capital of France. The Seine flows through Paris. Many tourists visit the Louvre in Paris. "
FILLER = "Ships sail across the ocean with cargo of grain, timber and iron in 1912 and 1850 near London and Rome. "


class Texts:
    """A shard of documents in memory."""

    name, bytes = "memory", 10_000

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def batches(self, report: ReadReport) -> Any:
        report.documents += len(self.texts)
        yield DocumentBatch.of(Document(f"title {i}", text) for i, text in enumerate(self.texts))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("support")
    build_index([Texts([CURIE * 2, CURIE, PARIS * 3, PARIS, *[FILLER * 20] * 30])], folder)
    return Index.open(folder)


@pytest.fixture
def scorer(index: Index) -> Scorer:
    return Scorer(index=index, support="profile", profile=ProfileSettings(neutral=0.0))


def one(scored: ScoredText) -> SentenceScore:
    (score,) = scored.sentences
    return score


def test_a_sentence_carries_its_units_and_their_shares_add_up(scorer: Scorer) -> None:
    sentence = "Marie Curie was a physicist born in Warsaw in 1867."
    score = one(scorer.score(sentence))
    assert score.status is Status.SUPPORTED
    assert [unit.text for unit in score.units] == ["physicist", "Warsaw", "1867"]
    assert [unit.weight for unit in score.units] == [0.5, 1.0, 1.0]
    assert all(unit.span.of(sentence) == unit.text for unit in score.units)
    assert sum(unit.share for unit in score.units) == pytest.approx(score.reward)
    assert score.pair is not None
    assert score.pair.head == "Marie Curie"
    assert score.count is None
    assert score.level is None
    row = score.to_json()
    assert row["units"][2] == score.units[2].to_json()


def test_what_stands_near_the_subject_is_worth_more(scorer: Scorer) -> None:
    right, wrong = scorer.score_texts(["Marie Curie was born in Warsaw.", "Marie Curie was born in Rome."])
    assert one(right).reward > 0 > one(wrong).reward
    assert one(wrong).status is Status.UNSUPPORTED
    year, wrong_year = scorer.score_texts(["Marie Curie was born in 1867.", "Marie Curie was born in 1912."])
    assert one(year).reward > one(wrong_year).reward


def test_words_of_the_relation_are_read_only_where_nothing_else_is_said(scorer: Scorer) -> None:
    score = one(scorer.score("Marie Curie was born."))
    assert [(unit.text, unit.weight) for unit in score.units] == [("born", 0.05)]


def test_forms_of_a_word_count_for_it(index: Index) -> None:
    settings = ProfileSettings(neutral=0.0)
    with_forms = Scorer(index=index, support="profile", profile=settings)
    without = Scorer(index=index, support="profile", profile=replace(settings, forms=False))
    sentence = "Marie Curie came from Poland."
    assert one(with_forms.score(sentence)).units[-1].score > one(without.score(sentence)).units[-1].score


def test_what_an_article_says_anywhere_counts_for_its_subject(tmp_path: Path) -> None:
    article = (
        "Ada Lovelace wrote programs. " + "She walked in the garden every day and read. " * 40 + "She liked zebras. "
    )
    other = (
        "Long ago some wild horses met Ada Lovelace once. "
        + "Other things were said at length there. " * 40
        + "Okapis slept. "
    )
    build_index([Texts([article * 3, other * 3, *[FILLER * 20] * 30])], tmp_path)
    with Index.open(tmp_path) as opened:
        settings = ProfileSettings(neutral=0.0, scales=(100.0,), cut=50)
        scores = {}
        for weight in (0.0, 0.25):
            scorer = Scorer(index=opened, support="profile", profile=replace(settings, article_weight=weight))
            about, aside = scorer.score_texts(["Ada Lovelace liked zebras.", "Ada Lovelace had okapis."])
            scores[weight] = one(about).units[-1].score - one(aside).units[-1].score
        assert abs(scores[0.0]) < 0.1  # only their frequencies differ
        assert scores[0.25] > 0.5


def test_the_states_are_kept_apart(scorer: Scorer) -> None:
    statuses = {
        "Zebulon Quux was born in Warsaw.": Status.NO_EVIDENCE,
        "The answer is unclear.": Status.NO_CLAIM,
        "Marie Curie.": Status.NO_CLAIM,
        "Was Marie Curie born in Warsaw?": Status.NO_CLAIM,
    }
    for text, status in statuses.items():
        score = one(scorer.score(text))
        assert (score.status, score.reward, score.units) == (status, 0.0, ())


def test_a_denial_is_no_claim_unless_told_otherwise(index: Index, scorer: Scorer) -> None:
    denial = "Marie Curie was not born in Warsaw."
    score = one(scorer.score(denial))
    assert (score.status, score.reward, score.reason) == (Status.NO_CLAIM, 0.0, NEGATED)
    ignored = Scorer(index=index, support="profile", profile=ProfileSettings(neutral=0.0, negation="ignore"))
    assert one(ignored.score(denial)).status is Status.SUPPORTED


def test_the_question_gives_the_subject_and_its_words_are_no_details(scorer: Scorer) -> None:
    score = one(scorer.score("The capital is Paris.", question="What is the capital of France?"))
    assert score.pair is not None
    assert score.pair.head == "France"
    assert [unit.text for unit in score.units] == ["Paris"]


def test_pronouns_keep_the_subject(scorer: Scorer) -> None:
    first, second = scorer.score("Marie Curie was born in Warsaw. She discovered polonium.").sentences
    assert first.pair is not None
    assert second.pair is not None
    assert second.pair.head == first.pair.head == "Marie Curie"


def test_a_detail_is_credited_once_a_completion(index: Index, scorer: Scorer) -> None:
    once, again, more = scorer.score(
        "Marie Curie was born in Warsaw. She was born in Warsaw. She left Warsaw and won the Nobel Prize."
    ).sentences
    assert once.reward > 0
    assert again.repeated
    assert again.reason == REPEATED
    assert again.reward <= 0
    assert not more.repeated
    assert {unit.text for unit in more.units if unit.repeated} == {"Warsaw"}
    stats = ScoreStats()
    stats.add([once, again, more])
    assert (stats.repeated, stats.repeated_details) == (1, 2)
    shares = {unit.text: unit.share for unit in more.units}
    assert shares["Warsaw"] <= 0 < shares["Nobel Prize"]
    assert sum(shares.values()) == pytest.approx(more.reward)
    unguarded = Scorer(index=index, support="profile", profile=ProfileSettings(neutral=0.0), repetition_guard=False)
    assert unguarded.score("Marie Curie was born in Warsaw. She was born in Warsaw.").sentences[1].reward > 0


def test_rollouts_are_scored_like_texts(scorer: Scorer) -> None:
    rollout = Rollout("<think>Marie Curie was born in Warsaw.</think> <answer>Warsaw</answer>", "Where was she born?")
    (row,) = scorer.score_rollouts([rollout])
    assert [score.text for score in row] == ["Marie Curie was born in Warsaw.", "Warsaw"]
    assert row[0].status is Status.SUPPORTED


def test_the_score_for_ranking_is_the_weighted_mean(scorer: Scorer) -> None:
    score = one(scorer.score("Marie Curie was a physicist born in Warsaw."))
    weight = sum(unit.weight for unit in score.units)
    assert sentence_score(score.units) == pytest.approx(sum(u.weight * u.score for u in score.units) / weight)
    assert math.isnan(sentence_score(()))


def test_z_is_the_median_of_names_and_numbers_and_does_not_depend_on_itself(index: Index) -> None:
    texts = ["Marie Curie was born in Warsaw in 1867.", "Paris is in France.", "Marie Curie lived in Rome."]
    values = []
    for neutral in (0.0, 2.0):
        scorer = Scorer(index=index, support="profile", profile=ProfileSettings(neutral=neutral))
        values.append(measure_neutral([scored.sentences for scored in scorer.score_texts(texts)], draws=50))
    assert values[0] == values[1]
    assert (values[0].units, values[0].texts) == (4, 3)
    assert values[0].low <= values[0].value <= values[0].high
    with pytest.raises(UsageError, match="no scored sentence has a unit"):
        measure_neutral([[]])


def test_a_failed_lookup_is_no_number_and_stays_with_its_subject(index: Index) -> None:
    class Broken:
        words = 1000

        def count_many(self, queries: Any, **_: Any) -> Any: ...

        def fingerprint(self) -> str:
            return "broken"

        def mentions(self, subject: str, **options: Any) -> Any:
            if subject == "Paris":
                raise LookupFailedError("the shard is gone")
            return index.mentions(subject, **options)

        def profile(self, *arguments: Any, **options: Any) -> Any:
            return index.profile(*arguments, **options)

    scorer = Scorer(index=Broken(), support="profile")  # type: ignore[arg-type]
    good, bad = scorer.score_texts(["Marie Curie was born in Warsaw.", "Paris is in France."])
    assert one(good).has_claim
    assert one(bad).status is Status.FAILED
    assert math.isnan(one(bad).reward)
    assert one(bad).reason == "the shard is gone"


def test_what_is_remembered_is_forgotten_when_phrases_take_too_much_room(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corver.reward import profile

    scorer = Scorer(index=index, support="profile", repetition_guard=False)
    before = scorer.score("Marie Curie won the Nobel Prize.").to_json()
    asked: list[str] = []
    mentions = index.mentions
    monkeypatch.setattr(index, "mentions", lambda name, **options: asked.append(name) or mentions(name, **options))
    assert scorer.score("Marie Curie won the Nobel Prize.").to_json() == before
    assert asked == []
    monkeypatch.setattr(profile, "_MOST_MADE", 0)
    assert scorer.score("Marie Curie won the Nobel Prize.").to_json() == before
    assert asked == ["Marie Curie"]


def test_a_counter_that_only_counts_is_refused() -> None:
    class Counts:
        def count_many(self, queries: Any, **_: Any) -> Any: ...

        def fingerprint(self) -> str:
            return "counts"

    with pytest.raises(UsageError, match="needs an index folder"):
        Scorer(index=Counts(), support="profile")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown support"):
        Scorer(index=Counts(), support="levels")  # type: ignore[arg-type]


def test_the_configuration_and_the_settings_have_the_same_defaults(index: Index) -> None:
    assert ProfileSettings(**ProfileConfig().model_dump()) == ProfileSettings()
    config = RewardConfig(support="profile", profile=ProfileConfig(neutral=-2.0))
    same = Scorer(index=index, support="profile", profile=ProfileSettings(neutral=-2.0))
    assert build_scorer(config, index=index).fingerprint() == same.fingerprint()
    with pytest.raises(ConfigError):
        Scorer(index=index, support="profile", profile=ProfileSettings(spread=0.0))
    for wrong in ({"scales": ()}, {"scales": (30.0, 0.0)}, {"cut": -1}):
        with pytest.raises(ConfigError, match="scales must be"):
            ProfileSettings(**wrong)


def test_every_constant_is_in_the_fingerprint(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint(settings: ProfileSettings) -> str:
        return Scorer(index=index, support="profile", profile=settings).fingerprint()

    default = ProfileSettings()
    seen = {fingerprint(default)}
    for field in fields(default):
        value = getattr(default, field.name)
        if isinstance(value, bool):
            other: Any = not value
        elif isinstance(value, tuple):
            other = value[:1]
        else:
            other = "ignore" if isinstance(value, str) else value + 1 if isinstance(value, int) else value / 2
        seen.add(fingerprint(replace(default, **{field.name: other})))
    for name in ("FLOOR", "PRIOR"):
        with monkeypatch.context() as patch:
            patch.setattr(f"corver.reward.profile.{name}", 0.5)
            seen.add(fingerprint(default))
    assert len(seen) == 1 + len(fields(default)) + 2


def test_small_words_in_a_name_may_be_any(tmp_path: Path) -> None:
    build_index([Texts(["The Lord of the Rings is long.", "The rings of the lord, they say."])], tmp_path)
    with Index.open(tmp_path) as opened:
        exact = opened.mentions("Lord of the Rings", surname=False)
        loose = opened.mentions("Lord of the Rings", surname=False, any_small_words=True)
        assert len(exact) == 1
        assert len(loose) == 2


def test_a_document_that_opens_with_a_fuller_name_is_about_its_subject(tmp_path: Path) -> None:
    about = "Chadwick Aaron Boseman was an actor. " + "Boseman liked zebras. " * 3
    aside = "Of all the actors of that time some name Chadwick, Aaron or Mr. Boseman. " + "Boseman liked okapis. " * 3
    build_index([Texts([about, aside, *[FILLER * 20] * 30])], tmp_path)
    with Index.open(tmp_path) as opened:
        assert len(opened.mentions("Chadwick Boseman", loose=0)) == 0
        found = opened.mentions("Chadwick Boseman", loose=0, fuller=True)
        assert found.exact
        assert found.total == 5  # the opening, and each surname of that document
        scorer = Scorer(index=opened, support="profile", profile=ProfileSettings(neutral=0.0))
        good, bad = scorer.score_texts(["Chadwick Boseman liked zebras.", "Chadwick Boseman liked okapis."])
        assert one(good).units[-1].score > one(bad).units[-1].score + 1


def test_parentheses_tell_the_documents_of_a_name_apart(tmp_path: Path) -> None:
    film = "Savages is a film of 2012. " + "Savages was shot in Malibu. " * 2
    play = "Savages is a play. " + "Savages was staged in Dublin. " * 2
    other = "Many a film was made in 2012. The film of 2012 was shown in Dublin. " * 5
    build_index([Texts([film, play, other, *[FILLER * 20] * 30])], tmp_path)
    with Index.open(tmp_path) as opened:
        scorer = Scorer(index=opened, support="profile", profile=ProfileSettings(neutral=0.0))
        question = "What is known about Savages (2012 film)?"
        right, wrong = scorer.score_texts(
            ["It was shot in Malibu.", "It was shot in Dublin."], questions=[question] * 2
        )
        malibu, dublin = (next(u for u in one(text).units if u.weight == 1.0) for text in (right, wrong))
        assert malibu.score > dublin.score + 2
