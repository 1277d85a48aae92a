"""Rates by name in a configuration, contradictions refused, and what appeals may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from corver.calibrate.rates import LevelRate, SentenceRates
from corver.config import RunConfig, load_config
from corver.errors import ConfigError, InputError, NoiseRatesError
from corver.evaluate.stats import Estimate
from corver.evaluate.verifier import VerifierRates
from corver.train.noise import appeals_note, rates_notes, with_measured_noise

PRICED = {"base_url": "http://localhost:1/v1", "model": "m", "input_price": 1.0, "output_price": 2.0}


def config(folder: Path, credit: dict[str, Any], **more: Any) -> RunConfig:
    raw = {"output": "o", "index": "i", "policy": {"model": "m"}, "data": {"questions": "q.jsonl"}}
    (folder / "run.yaml").write_text(yaml.safe_dump(raw | {"credit": credit} | more))
    return load_config(folder / "run.yaml")


def rate(value: float) -> Estimate:
    return Estimate(value, value / 2, min(1, value * 2))


FREE = {"advantage": {"scale": "none"}}


def test_rates_come_by_name_and_become_numbers(tmp_path: Path) -> None:
    VerifierRates("words", rate(0.02), rate(0.3), 100, 80).save(tmp_path / "rates.json")
    found = with_measured_noise(config(tmp_path, FREE | {"noise": {"rates": "rates.json"}}))
    noise = found.credit.noise
    assert noise is not None
    assert (noise.false_positive, noise.false_negative, noise.rates) == (0.02, 0.3, None)
    assert noise.values == (-1.0, 2.0)
    assert RunConfig.model_validate(found.model_dump(mode="json")) == found
    assert with_measured_noise(found) == found


def test_levels_are_paid_by_their_rates(tmp_path: Path) -> None:
    levels = [LevelRate(k, 50, 20, 0.25, rate(p)) for k, p in enumerate((0.24, 0.53, 0.7, 0.81))]
    SentenceRates("s", None, 200, rate(0.5), tuple(levels), ()).save(tmp_path / "s.json")
    found = with_measured_noise(config(tmp_path, FREE | {"noise": {"correction": "none", "sentences": "s.json"}}))
    rewards = found.reward.levels.rewards
    assert rewards[0] < -0.3
    assert rewards[3] > 0.1
    SentenceRates("s", None, 200, rate(0.5), tuple(levels[:3]), ()).save(tmp_path / "s.json")
    with pytest.raises(ConfigError, match="label sentences of every level"):
        with_measured_noise(config(tmp_path, FREE | {"noise": {"correction": "none", "sentences": "s.json"}}))


def test_files_without_usable_rates_are_refused(tmp_path: Path) -> None:
    settings = config(tmp_path, FREE | {"noise": {"rates": "rates.json"}})
    with pytest.raises(InputError, match="no such file"):
        with_measured_noise(settings)
    VerifierRates("words", rate(0.5), rate(0.6), 100, 80).save(tmp_path / "rates.json")
    with pytest.raises(NoiseRatesError, match=">= 1"):
        with_measured_noise(settings)


def test_appeals_without_noise_know_the_judges_rewards(tmp_path: Path) -> None:
    found = with_measured_noise(config(tmp_path, {"appeals": {}}, reward={"judge": {"rule": "words"}}))
    assert found.credit.noise is not None
    assert (found.credit.noise.correction, found.credit.noise.values) == ("off", (-1.0, 2.0))


def test_without_either_nothing_changes(tmp_path: Path) -> None:
    settings = config(tmp_path, {})
    assert with_measured_noise(settings) is settings
    assert appeals_note(settings) is None


@pytest.mark.parametrize(
    ("credit", "more", "told"),
    [
        ({"noise": {"false_negative": 0.2}}, {}, "credit.advantage.scale: group would undo credit.noise"),
        ({"noise": {"false_negative": 0.2}, "advantage": {"scale": "batch"}}, {}, "batch would undo"),
        (FREE | {"noise": {}}, {}, "noise needs rates"),
        (FREE | {"noise": {"false_negative": 0.7, "false_positive": 0.4}}, {}, ">= 1"),
        (FREE | {"noise": {"false_negative": 0.7, "rates": "x.json"}}, {}, "must not be given too"),
        (FREE | {"noise": {"correction": "appealed"}}, {}, "needs a section appeals"),
        (FREE | {"noise": {"false_negative": 0.1}}, {"reward": {"judge": {"not_attempted": 0.0}}}, "two rewards"),
        ({"appeals": {"judge": "lenient"}}, {"reward": {"judge": {"rule": "lenient"}}}, "is the judge itself"),
        ({"appeals": {"judge": "endpoint"}}, {}, "belong together"),
        ({"appeals": {"judge": "endpoint", "endpoint": PRICED}}, {}, "nothing is paid without a limit"),
        ({"appeals": {"model": "m"}}, {}, "belong together"),
    ],
)
def test_contradictions_are_refused_in_one_line(tmp_path: Path, credit: Any, more: Any, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        config(tmp_path, credit, **more)
    assert told in str(raised.value)
    assert "Value error" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_run_tells_what_its_appeals_may_cost(tmp_path: Path) -> None:
    appeals = {"judge": "endpoint", "endpoint": PRICED, "max_cost": 5.0, "q": 0.5}
    note = appeals_note(config(tmp_path, {"appeals": appeals}))
    assert note is not None
    # 3 questions × 16 completions × q .5 × 100 steps
    assert "2400 calls to m" in note
    assert "max_cost 5.0" in note
    free = {"judge": "endpoint", "endpoint": {"base_url": "http://localhost:1/v1", "model": "m"}, "budget": 4}
    assert "400 calls" in str(appeals_note(config(tmp_path, {"appeals": free})))


def test_levels_that_say_nothing_stop_a_run_and_doubtful_rates_are_told(tmp_path: Path) -> None:
    VerifierRates("words", Estimate(0.4, 0.2, 0.7), Estimate(0.4, 0.2, 0.7), 9, 9).save(tmp_path / "rates.json")

    def settings(*trues: float) -> RunConfig:
        levels = [LevelRate(k, 50, 20, 0.25, rate(p)) for k, p in enumerate(trues)]
        SentenceRates("s", None, 200, rate(0.5), tuple(levels), ()).save(tmp_path / "s.json")
        return config(tmp_path, FREE | {"noise": {"rates": "rates.json", "sentences": "s.json"}})

    first, second, third = rates_notes(settings(0.24, 0.53, 0.81, 0.7))
    assert third == "credit.noise.rates: are those of the judge rule words, and reward.judge.rule is lenient"
    assert first.startswith("credit.noise.rates: words: may say nothing")
    assert second.startswith("credit.noise.sentences: s: P(true) falls from level 2 to 3")
    assert len(rates_notes(settings(0.24, 0.53, 0.7, 0.81))) == 2
    assert rates_notes(with_measured_noise(settings(0.24, 0.53, 0.7, 0.81))) == []
    with pytest.raises(NoiseRatesError, match="not true more often"):
        with_measured_noise(settings(0.52, 0.41, 0.50, 0.50))
    noise = {"correction": "none", "sentences": "s.json"}
    other = config(tmp_path, FREE | {"noise": {"rates": "rates.json"}}, reward={"judge": {"rule": "words"}})
    assert len(rates_notes(other)) == 1
    with pytest.raises(ConfigError, match="support profile has none"):
        with_measured_noise(config(tmp_path, FREE | {"noise": noise}, reward={"support": "profile"}))


def test_sentence_rates_alone_need_no_rates_of_the_judge(tmp_path: Path) -> None:
    noise = config(tmp_path, {"noise": {"sentences": "s.json"}}).credit.noise
    assert noise is not None
    assert noise.correction == "off"
    with pytest.raises(ConfigError, match="noise needs rates"):
        config(tmp_path, FREE | {"noise": {"sentences": "s.json", "scale": 1.0}})
