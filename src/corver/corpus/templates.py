"""What a template call leaves in the text of an article.

In: the name of a template and its arguments, already turned to text. Out: the words that a reader would see, or
nothing. A table says where the text stands in common templates of the English Wikipedia; a general rule covers all
others. No template is expanded: the wiki's own definitions are not at hand. This module knows nothing of how wikitext
is scanned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from corver.corpus.template_names import (
    DATES,
    DROPPED,
    DROPPED_ENDINGS,
    DROPPED_STARTS,
    FIXED,
    JOINED,
    NTH,
    SHIPS,
    UNITS,
)

__all__ = ["PROTECTED_EQUALS", "Call", "expand", "normal_name"]

PROTECTED_EQUALS = "\x1e"
"""Stands for "=" in text that came out of an inner call or link, so that it makes no argument a named one."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TEXT_NAMES = ("text", "quote", "content", "caption")
_NUMBER = re.compile(r"[-+−±]?[0-9][0-9.,/+×⁄eE−-]*")
_RANGES = {
    "-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "x": " × ", "by": " by ", "×": " × ", "*": " × ",
    "to(-)": " to ", "+/-": " ± ", "±": " ± ", "to about": " to about ", "and(-)": " and ", "xx": " × ", "+": " + ",
}  # fmt: skip
_JUNK = re.compile(
    r"(?:https?:)?//|#[0-9a-f]{3,8}$|[0-9]+(?:px|em|%)$|[^\s]+\.(?:svg|png|jpe?g|gif|ogg|oga|ogv|wav|webm|pdf|html?)$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?=[^\s]*[0-9])[a-zA-Z0-9]*[a-z][a-zA-Z0-9.-]*$|[^\s]*[/_][^\s]*$|[a-z]+(?:-[a-z0-9]+)+$|[0-9]{5,}$"
)
"""What an outside catalogue is asked for: p0038x9t, people/l/lincoln, altruism-biological, 10000009."""
_MAX_IDENTIFIER = 80
"""The pattern tries many ways to match, so it is kept from long arguments."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,8})*")
_PROSE_WORDS = 5
_MUSIC = {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}
_NAME = re.compile(r"[^=\n]{0,80}")


@dataclass(frozen=True, slots=True)
class Call:
    """A template call. name: in normal form. block: it stands alone on its lines. title: of the page."""

    name: str
    positional: Sequence[str] = ()
    named: dict[str, str] = field(default_factory=dict)
    block: bool = False
    title: str = ""

    @classmethod
    def of(cls, name: str, arguments: Sequence[str], *, block: bool, title: str) -> Call:
        """Sort the arguments of a call into those with and without a name."""
        positional: list[str] = []
        named: dict[str, str] = {}
        for argument in arguments:
            key, equals, value = argument.partition("=")
            key = key.strip()
            if not equals or "\n" in key:
                positional.append(argument.strip())
            elif _is_number(key) and len(key) <= 2:
                number = int(key)
                positional.extend([""] * (number - len(positional)))
                if number:
                    positional[number - 1] = value.strip()
            else:
                named[key.lower()] = value.strip()
        return cls(name, positional, named, block, title)

    def at(self, number: int) -> str:
        """A positional argument, or "" where the call has none."""
        return self.positional[number] if -len(self.positional) <= number < len(self.positional) else ""


def normal_name(raw: str) -> str:
    """Lower case, plain single spaces, without the prefixes that change nothing."""
    name = " ".join(raw.replace("_", " ").split()).lower()
    for prefix in ("safesubst:", "subst:", "template:", "msg:", "raw:"):
        name = name.removeprefix(prefix).lstrip()
    return name


def expand(raw_name: str, arguments: Sequence[str], *, block: bool = False, title: str = "") -> str:
    """The text that a call leaves; "" for nothing. `{{formatnum:18}}` comes with the name `formatnum:18`."""
    name = normal_name(raw_name)
    if name in FIXED and not arguments:
        return FIXED[name]
    function, colon, _ = name.partition(":")
    if colon and (function in _FUNCTIONS or function.startswith("#") or function in DROPPED):
        first = raw_name.partition(":")[2].strip()
        name, arguments = function, [first.replace("=", PROTECTED_EQUALS), *arguments]
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](Call(name, [argument.strip() for argument in arguments], {}, block, title))
    if _is_dropped(name):
        return ""
    call = Call.of(name, arguments, block=block, title=title)
    if name in _RULES:
        return _RULES[name](call)
    for names, rule in _FAMILIES:
        if name in names:
            return rule(call)
    if name.startswith("lang-"):
        return call.at(0)
    if name.startswith(("script/", "sclass", "font ")):
        return call.at(0)
    return _general(call)


def _is_number(text: str) -> bool:
    return len(text) < 10 and text.isascii() and text.isdigit()  # Python itself refuses to read very long numbers


def _is_dropped(name: str) -> bool:
    return name in DROPPED or (
        name not in NTH and name not in DATES and (name.startswith(DROPPED_STARTS) or name.endswith(DROPPED_ENDINGS))
    )


def _general(call: Call) -> str:
    """An unknown template: inside a sentence its unnamed arguments are most likely text that names something.

    Alone on its lines it is most likely a box or a notice, of which only what reads like a sentence is kept.
    """
    kept = [argument for argument in call.positional if argument and not _JUNK.match(argument)]
    if len(kept) > 1 and _LANGUAGE.fullmatch(kept[0]):
        del kept[0]
    if len(kept) > 1:
        kept = [argument for argument in kept if len(argument) > _MAX_IDENTIFIER or not _IDENTIFIER.match(argument)]
    kept += [call.named[key] for key in _TEXT_NAMES if call.named.get(key)]
    if call.block:
        kept = [argument for argument in kept if len(argument.split()) >= _PROSE_WORDS]
        return "\n".join(kept)
    return " ".join(kept)


def _nth(call: Call) -> str:
    number = NTH[call.name]
    text = call.at(number)
    if not text:
        # {{lang|Paris}} and {{quote|text=…}}: the text stands where it should not, or under its name.
        named = next((call.named[key] for key in _TEXT_NAMES if call.named.get(key)), "")
        text = named or call.at(0)
    return text


def _joined(call: Call) -> str:
    return JOINED[call.name].join(argument for argument in call.positional if argument)


def _date(call: Call) -> str:
    """The first date of a call as it is read: "January 2, 1950", or "2 January 1950" with df=y."""
    parts = [argument for argument in call.positional if argument][:3]
    numbers: list[str] = []
    for part in parts:
        if not _is_number(part):
            break
        numbers.append(part)
    if not numbers:
        return parts[0] if parts else ""
    year, month, day = [*numbers, "", ""][:3]
    prefix = "As of " if call.name in ("as of", "asof") else ""
    if not month or not 1 <= int(month) <= 12:
        return prefix + year
    name = _MONTHS[int(month) - 1]
    if not day:
        return f"{prefix}{name} {year}"
    if call.named.get("df", "n")[:1].lower() in "y1":
        return f"{prefix}{int(day)} {name} {year}"
    return f"{prefix}{name} {int(day)}, {year}"


def _convert(call: Call) -> str:
    """{{convert|5|km|mi}} is "5 km", {{convert|6|ft|2|in}} "6 ft 2 in", {{convert|5|-|10|km}} "5–10 km"."""
    text = ""
    unit_seen = False
    for argument in call.positional:
        number = _NUMBER.fullmatch(argument)
        if argument.lower() in _RANGES and not unit_seen:
            text += _RANGES[argument.lower()]
        elif number and not unit_seen:
            text += argument
        elif number:
            text += f" {argument}"
            unit_seen = False
        elif not unit_seen and argument:
            text += f" {UNITS.get(argument.lower(), argument)}"
            unit_seen = True
        elif unit_seen:
            break
    return text


def _val(call: Call) -> str:
    unit = next((call.named[key] for key in ("u", "ul", "upl", "up") if call.named.get(key)), "")
    power = f"×10^{call.named['e']}" if call.named.get("e") else ""
    return f"{call.named.get('p', '')}{call.at(0)}{power} {unit}{call.named.get('s', '')}".strip()


def _height(call: Call) -> str:
    units = (("m", "m"), ("cm", "cm"), ("ft", "ft"), ("in", "in"))
    return " ".join(f"{call.named[key]} {unit}" for key, unit in units if call.named.get(key))


def _sortname(call: Call) -> str:
    return f"{call.at(0)} {call.at(1)}".strip()


def _nihongo(call: Call) -> str:
    """English, then kanji, reading and remark in parentheses."""
    inside = ", ".join(argument for argument in call.positional[1:4] if argument)
    english = call.at(0)
    return f"{english} ({inside})" if english and inside else english or inside


def _after(prefix: str) -> Callable[[Call], str]:
    def rule(call: Call) -> str:
        return f"{prefix} {'–'.join(argument for argument in call.positional[:2] if argument)}".strip()

    return rule


def _ship(call: Call) -> str:
    """{{USS|Enterprise|CV-6}} and {{ship|HMS|Victory|1765}}; a last single digit asks for a form of the link."""
    parts = [argument for argument in call.positional if argument]
    if call.name != "ship":
        parts = [call.name.upper(), *parts]
    if len(parts) > 2 and len(parts[-1]) == 1 and _is_number(parts[-1]):
        parts.pop()
    extra = f" ({parts[2]})" if len(parts) > 2 else ""
    return " ".join(parts[:2]) + extra


def _quote(call: Call) -> str:
    """A quotation and, on the next line, who said it and where."""
    names = call.named
    text = names.get("text") or names.get("quote") or names.get("content") or call.at(0)
    author = names.get("author") or names.get("sign") or names.get("by") or call.at(1)
    source = names.get("source") or names.get("title") or call.at(2)
    return "\n".join(filter(None, (text, ", ".join(filter(None, (author, source))))))


def _marriage(call: Call) -> str:
    years = "–".join(argument for argument in call.positional[1:3] if argument)
    return f"{call.at(0)} (m. {years})" if years else call.at(0)


def _chinese(call: Call) -> str:
    keys = ("c", "t", "s", "p", "w", "j", "y", "hangul", "hanja", "rr", "mr", "kanji", "romaji", "l")
    return ", ".join([*filter(None, call.positional), *(call.named[key] for key in keys if call.named.get(key))])


def _ordinal(call: Call) -> str:
    number = call.at(0)
    if not _is_number(number):
        return number
    teen = number[-2:] in ("11", "12", "13")
    return number + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th"))


def _money(sign: str) -> Callable[[Call], str]:
    return lambda call: f"{sign}{call.at(0)}"


def _if(call: Call) -> str:
    return call.at(1) if call.at(0) else call.at(2)


def _ifeq(call: Call) -> str:
    return call.at(2) if call.at(0) == call.at(1) else call.at(3)


def _plural(call: Call) -> str:
    return call.at(1) if call.at(0) == "1" else call.at(2) or call.at(1)


def _page_name(call: Call) -> str:
    return call.title


def _tracks(call: Call) -> str:
    """The titles of a list of songs."""
    return "\n".join(value for key, value in call.named.items() if value and key.rstrip("0123456789") == "title")


def _captions(call: Call) -> str:
    captions = [
        value for key, value in call.named.items() if key.rstrip("0123456789") in ("caption", "footer", "header")
    ]
    return "\n".join(filter(None, captions))


_FUNCTIONS: dict[str, Callable[[Call], str]] = {
    "formatnum": lambda call: call.at(0),
    "lc": lambda call: call.at(0).lower(),
    "uc": lambda call: call.at(0).upper(),
    "lcfirst": lambda call: call.at(0)[:1].lower() + call.at(0)[1:],
    "ucfirst": lambda call: call.at(0)[:1].upper() + call.at(0)[1:],
    "padleft": lambda call: call.at(0),
    "plural": _plural,
    "#if": _if,
    "#ifeq": _ifeq,
    "#iferror": lambda call: call.at(2) or call.at(0),
}

_RULES: dict[str, Callable[[Call], str]] = {
    **dict.fromkeys(("convert", "cvt", "convert2", "disp convert"), _convert),
    **dict.fromkeys(("sortname", "sort name", "sortn"), _sortname),
    **dict.fromkeys(("nihongo", "nihongo krt", "nihongo foot", "nihongo4"), _nihongo),
    **dict.fromkeys(("zh", "zh-full", "chinese", "korean", "ko-hhrm", "lang-zh", "kanji"), _chinese),
    **dict.fromkeys(("circa", "c.", "ca.", "c"), _after("c.")),
    **dict.fromkeys(("floruit", "fl.", "fl"), _after("fl.")),
    **dict.fromkeys(("reign", "r."), _after("r.")),
    **dict.fromkeys(("multiple image", "double image", "auto images"), _captions),
    **dict.fromkeys(("pagename", "fullpagename", "basepagename", "pagenamebase", "rootpagename"), _page_name),
    **dict.fromkeys(
        (
            "quote",
            "quotation",
            "blockquote",
            "bquote",
            "cquote",
            "rquote",
            "quote frame",
            "pull quote",
            "centered pull quote",
            "quote box",
            "quotebox",
            "poemquote",
            "poem quote",
        ),
        _quote,
    ),
    "born": _after("b."),
    "died": _after("d."),
    "born-in": _after("b."),
    **dict.fromkeys(("track listing", "tracklist"), _tracks),
    "ordinal": _ordinal,
    "ord": _ordinal,
    "val": _val,
    "height": _height,
    "marriage": _marriage,
    "married": _marriage,
    "ship": _ship,
    "usd": _money("US$"),
    "us$": _money("US$"),
    "gbp": _money("£"),
    "£": _money("£"),
    "eur": _money("€"),
    "€": _money("€"),
    "inr": _money("₹"),
    "₹": _money("₹"),
    "jpy": _money("¥"),
    "cny": _money("CN¥"),
    "aud": _money("A$"),
    "e": lambda call: f"×10^{call.at(0)}",
    "esp": lambda call: f"×10^{call.at(0)}",
    "wide image": lambda call: call.at(2),
    "music": lambda call: _MUSIC.get(call.at(0), ""),
    **dict.fromkeys(("nbsp", "spaces", "space", "pad", "gap"), lambda call: " "),
    "map caption": lambda call: "",
    "inflation": lambda call: "",
}

_FAMILIES: tuple[tuple[Container[str], Callable[[Call], str]], ...] = (
    (NTH, _nth),
    (DATES, _date),
    (JOINED, _joined),
    (SHIPS, _ship),
)
