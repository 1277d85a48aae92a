"""Settings of extraction: paths, what goes together, and the extractor that they build."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from corver.config import RewardConfig, load_config
from corver.errors import ConfigError
from corver.extract.rules import RulesExtractor
from corver.extract.spacy import SpacyExtractor
from corver.reward.build import build_extractor


def written(folder: Path, reward: dict[str, object]) -> Path:
    path = folder / "run.yaml"
    run = {"output": "o", "index": "i", "policy": {"model": "m"}, "data": {"questions": "q"}, "reward": reward}
    path.write_text(yaml.safe_dump(run))
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    endpoint = {"base_url": "http://localhost:8000/v1/", "model": "m", "api_key_file": "key"}
    quco = {"model": "./quco", "template": "t.txt", "cache": "c.sqlite", "endpoint": endpoint}
    path = written(tmp_path, {"extractor": "quco", "quco": quco, "aliases": "names.tsv", "spacy": {"model": "./pipe"}})
    reward = load_config(path).reward
    assert reward.quco.endpoint is not None
    assert [reward.aliases, reward.quco.template, reward.quco.cache, reward.quco.endpoint.api_key_file] == [
        tmp_path / name for name in ("names.tsv", "t.txt", "c.sqlite", "key")
    ]
    assert (reward.quco.model, reward.spacy.model) == (str(tmp_path / "quco"), str(tmp_path / "pipe"))
    assert reward.quco.endpoint.base_url == "http://localhost:8000/v1"


def test_names_of_models_stay_as_they_are(tmp_path: Path) -> None:
    reward = load_config(written(tmp_path, {"quco": {"model": "owner/name"}})).reward
    assert (reward.quco.model, reward.spacy.model) == ("owner/name", "en_core_web_sm")


@pytest.mark.parametrize(
    ("reward", "told"),
    [
        ({"extractor": "stanza"}, "reward.extractor"),
        ({"extractor": "spacy", "support": "profile"}, "leave extractor out"),
        ({"aliases": "a", "rule": "min", "support": "profile"}, "leave aliases, rule out"),
        ({"window": 50, "support": "profile"}, "leave window out"),
        ({"levels": {"thresholds": [2], "rewards": [0, 1]}, "support": "profile"}, "leave levels out"),
        ({"question_subject": True, "support": "profile"}, "leave question_subject out"),
        ({"quco": {"endpoint": {"base_url": "localhost", "model": "m"}}}, "reward.quco.endpoint.base_url"),
        ({"quco": {"endpoint": {"base_url": "http://h/v1"}}}, "reward.quco.endpoint.model"),
        ({"quco": {"endpoint": {"base_url": "http://h/v1", "model": "m", "api_key": "k"}}}, "endpoint.api_key"),
        ({"quco": {"batch": 0}}, "reward.quco.batch"),
        ({"spacy": {"model": ""}}, "reward.spacy.model"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(tmp_path: Path, reward: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        load_config(written(tmp_path, reward))
    assert "\n" not in str(caught.value)


def test_the_settings_build_the_extractor() -> None:
    rules = build_extractor(RewardConfig(resolve_pronouns=False, question_subject=True))
    assert rules.fingerprint() == RulesExtractor(resolve_pronouns="off", question_subject=True).fingerprint()
    parsing = build_extractor(RewardConfig(extractor="spacy"))
    assert parsing.fingerprint() == SpacyExtractor().fingerprint()
