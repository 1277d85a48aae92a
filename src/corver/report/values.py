"""Careful reading of values that a model, a stranger or a half-written file may have put there, and their display.

In: decoded JSON or YAML. Out: finite floats or None, text without control characters, and formatted numbers. This
module knows nothing of runs or pages; escaping for HTML or Markdown is the writer's part.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

__all__ = [
    "Kind",
    "change",
    "clip",
    "duration",
    "integer",
    "items",
    "lookup",
    "number",
    "points",
    "printable",
    "show",
    "text_of",
]

Kind: TypeAlias = Literal["share", "reward", "amount", "small"]
"""How a number is shown: in per cent; with its sign and two or three decimals; with one decimal; by magnitude."""

NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"

# Control characters, lone surrogates (they cannot be encoded) and bidirectional overrides (they reorder the page).
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def number(value: Any) -> float | None:
    """A finite float, or None for anything else (true and false are not numbers)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def integer(value: Any) -> int | None:
    """An int, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def items(value: Any) -> list[Any]:
    """A list as it is; anything else becomes an empty one."""
    return value if isinstance(value, list) else []


def lookup(value: Any, dotted: str) -> Any:
    """What lies under a dotted key of nested mappings, or None."""
    for key in dotted.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def printable(text: str) -> str:
    """The same text, code point for code point, with nothing in it that breaks a page or cannot be encoded.

    Offsets into the text stay valid: each offending character is replaced by exactly one other.
    """
    return _UNPRINTABLE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x0D:
        return " "
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis stands for the rest."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def text_of(value: Any, *, limit: int = 300) -> str:
    """Any scalar as printable text of at most `limit` characters; None and containers become ''."""
    if isinstance(value, str):
        return clip(printable(value[: limit + 1]), limit)
    if isinstance(value, bool | int | float):
        return clip(str(value), limit)
    return ""


def show(value: float | None, kind: Kind) -> str:
    """A number for people; an en dash when there is none."""
    if value is None:
        return NOTHING
    if kind == "share":
        return f"{_plain(100 * value, 1)}{NARROW_SPACE}%"
    if kind == "reward":
        return _signed(value, 3)
    if kind == "amount":
        return _plain(value, 1)
    return _by_magnitude(value)


def points(value: float | None) -> str:
    """The reward of one sentence or completion: its sign, and no more decimals than it has (three at most)."""
    if value is None:
        return NOTHING
    text = _signed(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def change(value: float | None, kind: Kind) -> str:
    """A difference for people: always with its sign; shares in percentage points."""
    if value is None:
        return NOTHING
    if kind == "share":
        return _signed(100 * value, 1)
    return _signed(value, 1 if kind == "amount" else 3)


def duration(seconds: float | None) -> str:
    """Seconds as `48 s`, `9 min 12 s` or `3 h 05 min`."""
    if seconds is None or seconds < 0:
        return NOTHING
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02d} min"


def _plain(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}" if abs(value) < 1e9 else f"{value:.3g}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _signed(value: float, decimals: int) -> str:
    text = _plain(value, decimals)
    return text if text.startswith(MINUS) or not text.strip("0.,") else f"+{text}"


def _by_magnitude(value: float) -> str:
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}".replace("-", MINUS)
    mantissa, exponent = f"{value:.1e}".split("e")
    digits = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa.replace('-', MINUS)}×10{digits}"
