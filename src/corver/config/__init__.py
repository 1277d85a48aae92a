"""Configuration of a run: YAML in, checked models out.

In: a YAML file, a mapping, and `--key value` overrides with dotted keys. Out: frozen pydantic models, each with a
`fingerprint()`. Unknown keys, wrong types and contradictions are a ConfigError of one line. This room knows the
constants of the papers (arXiv 2605.29648: levels, λ, training set-up) but not what is done with them.
"""

from corver.config.base import ConfigModel
from corver.config.credit import AdvantageConfig, AppealsConfig, CreditConfig, NoiseConfig
from corver.config.endpoint import EndpointConfig
from corver.config.faults import first_fault
from corver.config.load import load_config, parse_overrides
from corver.config.policy import LoraSettings, PolicyConfig, SamplingConfig
from corver.config.reward import (
    FormatConfig,
    JudgeConfig,
    LevelsConfig,
    ProfileConfig,
    QucoConfig,
    RewardConfig,
    SpacyConfig,
)
from corver.config.run import DataConfig, EvaluationConfig, OptimizationConfig, RunConfig
from corver.config.yaml_text import parse_yaml, read_yaml

__all__ = [
    "AdvantageConfig",
    "AppealsConfig",
    "ConfigModel",
    "CreditConfig",
    "DataConfig",
    "EndpointConfig",
    "EvaluationConfig",
    "FormatConfig",
    "JudgeConfig",
    "LevelsConfig",
    "LoraSettings",
    "NoiseConfig",
    "OptimizationConfig",
    "PolicyConfig",
    "ProfileConfig",
    "QucoConfig",
    "RewardConfig",
    "RunConfig",
    "SamplingConfig",
    "SpacyConfig",
    "first_fault",
    "load_config",
    "parse_overrides",
    "parse_yaml",
    "read_yaml",
]
