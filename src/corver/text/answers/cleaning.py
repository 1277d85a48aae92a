"""The text of an answer in one spelling: broken encodings, emphasis, money, units, times of day and ranges of years.

In: any text. Out: text, still with its capitals and punctuation. This module knows no terms.
"""

from __future__ import annotations

import re
import unicodedata

from corver.text.answers.forms import EMPHASIS
from corver.text.answers.quantities import GLUED_UNITS

__all__ = ["cleaned", "unbracketed"]

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_MOJIBAKE = re.compile(r"[ÂÃâ][\x80-\xbf\u0152-\u2122\xa0]")
_LETTER_SIGN = re.compile(r"(?<=[A-Za-z])[$!](?=[A-Za-z])")
_LETTERS = {"$": "s", "!": "i"}
_VULGAR = re.compile(r"(?<=\d)?\s?([¼½¾⅐-⅞])")
_SPLIT_THOUSANDS = re.compile(r"(?<=\d), (?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_MONEY = re.compile(
    r"(?:US|AU|CA)?([$€£])\s*(\d[\d,.]*\d|\d)\s*(thousand|million|billion|trillion|bn|mn|[mkb](?!\w))?", re.IGNORECASE
)
_CURRENCY = {"$": "dollars", "€": "euros", "£": "gbp"}
_SCALE = {"m": "million", "k": "thousand", "b": "billion"}
_DEGREES = re.compile(r"\s*(?:°|º|\bdegrees?)\s*(c|f|celsius|fahrenheit)\b", re.IGNORECASE)
_GLUED = re.compile(rf"(?<=\d)({'|'.join(GLUED_UNITS)})\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.](\d\d))?\s*([ap])\.?\s?m\b\.?(?:\s+(?:[ECMP][SD]?T|GMT|UTC|eastern|pacific)\b)?", re.IGNORECASE
)
_HEIGHT = re.compile(
    r"\b(\d+)\s*(?:['′’]|-?\s*(?:ft|feet|foot)\b\.?,?)\s*(\d{1,2}(?:\.\d+)?)(?!\d)\s*(?:[\"″”]|''|in\b|inch(?:es)?\b)?",
    re.IGNORECASE,
)
_YEARS = re.compile(r"\b(1[0-9]|20)(\d\d)\s?[-–—/]\s?(\d\d)\b(?![-–/.:]?\d)")
_SLASHED_YEARS = re.compile(r"\b((?:1[0-9]|20)\d\d)/((?:1[0-9]|20)\d\d)\b(?!/)")
_AND_A_HALF = re.compile(r"\b(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten) and a half\b", re.IGNORECASE)
_UNIT_AND_A_HALF = re.compile(r"\b(?:an?|one) (hour|year|mile|month|day|minute|foot) and a half\b", re.IGNORECASE)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]?")


def cleaned(text: str) -> str:
    """The text with broken encodings mended, marks of emphasis gone, and figures with their units spelled one way."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _MOJIBAKE.search(text):
        text = _mended(text)
    text = EMPHASIS.sub(" ", text.replace("\xa0", " ").replace("\u202f", " "))
    text = _LETTER_SIGN.sub(lambda match: _LETTERS[match[0]], text)
    text = _VULGAR.sub(lambda match: " " + unicodedata.normalize("NFKC", match[1]).replace("⁄", "/"), text)
    if " half" in text:
        text = _UNIT_AND_A_HALF.sub(r"1.5 \1s", text)
        text = _AND_A_HALF.sub(_with_half, text)
    if any("0" <= char <= "9" for char in text):
        text = _figures(text)
    return _POSSESSIVE.sub("", text).strip()


def unbracketed(text: str) -> str:
    """The text without what stands in brackets, unless it all does."""
    return _BRACKETS.sub("", text).strip() or text


def _figures(text: str) -> str:
    text = _SPLIT_THOUSANDS.sub("", text)
    text = _SLASHED_YEARS.sub(r"\1-\2", _YEARS.sub(_whole_years, text))
    text = _CLOCK.sub(_spelled_time, text)
    text = _HEIGHT.sub(r"\1 feet \2 inches", text)
    text = _MONEY.sub(_spelled_money, text)
    text = _DEGREES.sub(lambda match: " celsius" if match[1][0] in "cC" else " fahrenheit", text)
    text = _GLUED.sub(lambda match: " " + {"k": "thousand"}.get(match[1].lower(), match[1]), text)
    return text.replace("%", " percent").replace("per cent", "percent")


def _mended(text: str) -> str:
    """UTF-8 that was read as Latin-1 or Windows-1252, read again."""
    for wrong in ("latin-1", "cp1252"):
        try:
            return text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _with_half(match: re.Match[str]) -> str:
    word = match[1].lower()
    whole = word if word.isdigit() else str(_ONES.index(word) + 1 if word in _ONES else 1)
    return f"{whole}.5"


def _whole_years(match: re.Match[str]) -> str:
    """ "1939-45" and "2017/18" with both years whole; "2018-10" may be a month."""
    century, first, last = match[1], match[2], match[3]
    if last > first:
        return f"{century}{first}-{century}{last}"
    return f"{century}99-{int(century) + 1}00" if (first, last) == ("99", "00") else match[0]


def _spelled_time(match: re.Match[str]) -> str:
    minutes = f":{match[2]}" if match[2] and match[2] != "00" else ""
    return f"{int(match[1])}{minutes} {match[3].lower()}m"


def _spelled_money(match: re.Match[str]) -> str:
    scale = (match[3] or "").lower()
    return f"{match[2]} {_SCALE.get(scale, scale)} {_CURRENCY[match[1]]} ".replace("  ", " ")
