"""corver: verifiable rewards for facts.

The public names below load on first use; importing corver loads neither torch nor numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corver.config import RunConfig as RunConfig
    from corver.errors import CorverError as CorverError
    from corver.index.query import Index as Index
    from corver.reward.scorer import Scorer as Scorer
    from corver.types import Count as Count
    from corver.types import Pair as Pair
    from corver.types import Rollout as Rollout
    from corver.types import ScoredText as ScoredText
    from corver.types import SentenceScore as SentenceScore
    from corver.types import Span as Span
    from corver.types import Status as Status

__version__ = "0.1.0"

_HOMES = {
    "Count": "corver.types",
    "CorverError": "corver.errors",
    "Index": "corver.index.query",
    "Pair": "corver.types",
    "Rollout": "corver.types",
    "RunConfig": "corver.config",
    "ScoredText": "corver.types",
    "Scorer": "corver.reward.scorer",
    "SentenceScore": "corver.types",
    "Span": "corver.types",
    "Status": "corver.types",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'corver' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
