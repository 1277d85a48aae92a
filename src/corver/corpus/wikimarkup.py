"""The two ends of reading wikitext: what is taken out before it is scanned, and what is smoothed after.

In: raw wikitext, or the text that the scanner left. Out: the same with comments, references and other elements of raw
content removed, or with quotes, tags, headings, lists, entities and addresses reduced to plain text. Every step takes
time in proportion to the length of the text. This module knows no templates, links or tables.
"""

from __future__ import annotations

import html
import re

__all__ = ["Literals", "join_space", "smooth", "take_out_raw"]

_REMOVED = (
    "ref|references|math|chem|ce|score|timeline|syntaxhighlight|source|graph|hiero|imagemap|templatedata|templatestyles"
    "|mapframe|maplink|inputbox|categorytree|includeonly|indicator|section|phonos|rss|charinsert|dynamicpagelist|quiz"
)
_RAW = re.compile(rf"<(?:!--|(/?)({_REMOVED}|nowiki|pre|gallery)(?=[\s/>])([^<>]*)>)", re.IGNORECASE)
_KEPT = ("nowiki", "pre", "gallery")
_INLINE = ("ref", "math", "chem", "ce", "templatestyles", "section", "indicator")
_PARAGRAPH = r"\n\s*\n"
_PLAIN_MATH = re.compile(r"[\w\s+−=<>.,()-]{1,60}")
_GALLERY_OPTION = re.compile(r"[ \t]*(?:alt|link|page|lang|class)[ \t]*=[^|]*\|")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_MARK = "\x7f"
"""Encloses the number of a literal: text that no later step may touch."""
_LITERAL = re.compile(f"{_MARK}([0-9]+){_MARK}")

Literals = list[str]


def join_space(before: str, after: str) -> str:
    """What replaces something that vanished between two letters: a space, so that no two words become one."""
    return " " if before[-1:].isalnum() and after[:1].isalnum() else ""


class _Finder:
    """Next places of patterns in a text. They are kept, so that many questions about one pattern cost one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[int, int]] = {}

    def after(self, pattern: str, position: int) -> tuple[int, int]:
        """Start and end of the first match from `position` on; both the text's length where there is none."""
        found = self._found.get(pattern)
        if found is None or found[0] < position:
            match = re.compile(pattern, re.IGNORECASE).search(self._text, position)
            found = match.span() if match else (len(self._text), len(self._text))
            self._found[pattern] = found
        return found


def take_out_raw(text: str) -> tuple[str, Literals]:
    """Remove comments, references and elements whose content is no wikitext; keep literals aside.

    A reference that is never closed ends with its line, another element with its paragraph. `<gallery>` leaves the
    captions of its files. Returns the text and the literals that its marks stand for.
    """
    literals: Literals = []
    return _take_out(_CONTROL.sub("", text), literals), literals


def _take_out(text: str, literals: Literals) -> str:
    out: list[str] = []
    finder = _Finder(text)
    position = 0
    while match := _RAW.search(text, position):
        if match.start() > position:
            out.append(text[position : match.start()])
        closing, tag, attributes = match.groups()
        if tag is None:
            position = _end_of_comment(text, match.start(), finder)
            continue
        content, position = "", match.end()
        if not closing and not attributes.rstrip().endswith("/"):
            content, position = _element(text, position, tag.lower(), finder)
        left = _content(tag.lower(), content, literals)
        left = left or join_space(out[-1] if out else "", text[position : position + 1])
        if left:
            out.append(left)
    out.append(text[position:])
    return "".join(out)


def _element(text: str, position: int, tag: str, finder: _Finder) -> tuple[str, int]:
    """The content of an element whose tag ends at `position`, and where the text goes on behind it."""
    start, after = finder.after(rf"</{tag}\s*>", position)
    runs_on = tag in _INLINE and finder.after(r"\n==", position)[0] < start
    if start < len(text) and not runs_on:
        return text[position:start], after
    if tag in _KEPT:
        return "", position
    return "", finder.after(r"\n" if tag in _INLINE else _PARAGRAPH, position)[0]


def _end_of_comment(text: str, start: int, finder: _Finder) -> int:
    """A comment that has its line for itself takes the line end along; one without an end takes its paragraph."""
    close, after = finder.after("-->", start + 4)
    if close == len(text):
        return finder.after(_PARAGRAPH, start)[0]
    if text[start - 1 : start] in ("\n", "") and text[after : after + 1] == "\n":
        after += 1
    return after


def _content(tag: str, content: str, literals: Literals) -> str:
    """What an element of raw content leaves in the text."""
    if not content:
        return ""
    if tag in ("nowiki", "pre"):
        literals.append(content)
        return f"{_MARK}{len(literals) - 1}{_MARK}"
    if tag == "gallery":
        captions = map(_gallery_caption, _take_out(content, literals).split("\n"))
        return "\n" + "\n".join(filter(None, captions)) + "\n"
    if tag in ("math", "chem", "ce") and _PLAIN_MATH.fullmatch(content):
        return content
    return ""


def _gallery_caption(line: str) -> str:
    """A line is a file and, after a bar, its caption; options may stand between them."""
    caption = line.partition("|")[2]
    while option := _GALLERY_OPTION.match(caption):
        caption = caption[option.end() :]
    return caption


_TAGS = (
    "abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|nobr|q|rb|rp|rt|rtc|ruby|s|samp|small|span|strike"
    "|strong|sub|sup|time|tt|u|var|wbr|noinclude|onlyinclude|includeonly|nowiki|ref|langconvert|translate|section"
)
_BLOCK_TAGS = (
    "blockquote|br|caption|center|dd|div|dl|dt|h[1-6]|hr|li|ol|p|poem|pre|table|tbody|td|tfoot|th|thead|tr|ul|gallery"
    "|references|source|syntaxhighlight|timeline|math|imagemap|score"
)
_TAG = re.compile(rf"</?(?:({_BLOCK_TAGS})|{_TAGS})(?:[\s/][^<>]*)?>", re.IGNORECASE)
_POWER = re.compile(r"([0-9])<sup>\s*(?=[-−–+]?[0-9])", re.IGNORECASE)
# Possessive quantifiers keep an address without its closing bracket from being tried in every way to split it.
_EXTERNAL = re.compile(
    r"\[(?:(?:https?|ftps?|sftp|ircs?|news|gopher|mailto|magnet|urn|tel|svn|git):|//)"
    r"[^\s\[\]<>]*+[ \t]*+([^\[\]\n]*+)\]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[hHfF][tT][tT]?[pP][sS]?://[^\s<>\[\]{}|\"]*[^\s<>\[\]{}|\".,;:!?)']")
_QUOTES = re.compile("''+")
_MAGIC = re.compile(r"__([^\W\d_]{3,40})__")
_VARIANT = re.compile(r"-\{([^{}]*)\}-")
_HEADING = re.compile(r"^=[^\n]*$", re.MULTILINE)
_LINE_START = re.compile(r"^(?:[*#:;]+[ \t]*|-{4,}|[ \t]+)", re.MULTILINE)
_BRACKETS = ("[[", "]]", "{{", "}}")
_BROKEN_TABLE = re.compile(r"^(?:\{\||\|[}+-]?[ \t]*)", re.MULTILINE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_EMPTY_PARENTHESES = re.compile(r"\([ \t]*(?:[;,:/–-][ \t]*)*\)")
_HOLLOW_START = re.compile(r"\((?:[ \t]*[;,:])+[ \t]*")
_ODD_SPACES = re.compile("[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_SPACES = re.compile("  +")
_BLANK_LINES = re.compile(r"\n\n\n+")
_BARE_MARKS = re.compile(r"^[\s.,;:!?()·•|–—-]+\n", re.MULTILINE)
_SPACE_BEFORE = re.compile(r" ([,.;:!?)](?:\s|$))")

_HEADING_MARK = "\x1d"


def smooth(text: str, literals: Literals) -> str:
    """Reduce what is left of the markup to plain text: a line a paragraph, list item, heading or table row."""
    if "<" in text:
        text = _TAG.sub(_tag, _POWER.sub(r"\1^", text))
    if "[" in text:
        text = _EXTERNAL.sub(r"\1", text)
    if "://" in text:
        text = _ADDRESS.sub("", text)
    text = _QUOTES.sub(_quotes, text)
    if "__" in text:
        text = _MAGIC.sub(lambda match: "" if match[1].isupper() else match[0], text)
    if "-{" in text:
        text = _VARIANT.sub(_variant, text)
    for bracket in _BRACKETS:
        text = text.replace(bracket, "")
    if "\n|" in text or "\n{|" in text:
        text = _BROKEN_TABLE.sub("", text)
    text = _HEADING.sub(_heading, text)
    text = _LINE_START.sub("", text)
    if _MARK in text:
        text = _LITERAL.sub(lambda match: literals[int(match[1])], text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text).replace("\u00ad", "")
    return _tidy(text)


def _tidy(text: str) -> str:
    """Single spaces, no blanks at the ends of lines, no parentheses or lines that lost all their words."""
    text = _ODD_SPACES.sub(" ", text)
    text = _HOLLOW_START.sub("(", _EMPTY_PARENTHESES.sub("", text))
    text = _SPACES.sub(" ", text).replace(" \n", "\n").replace("\n ", "\n")
    text = _BARE_MARKS.sub("\n", _SPACE_BEFORE.sub(r"\1", text))
    if _HEADING_MARK in text:
        text = _without_empty_sections(text)
    return _BLANK_LINES.sub("\n\n", text).strip()


def _tag(match: re.Match[str]) -> str:
    return "\n" if match[1] else ""


def _quotes(match: re.Match[str]) -> str:
    """Two, three or five apostrophes are italics and bold; what goes beyond is a letter of the text."""
    length = len(match[0])
    return "'" if length == 4 else "'" * (length - 5) if length > 5 else ""


def _variant(match: re.Match[str]) -> str:
    """The first of the forms of a language converter: -{zh-hans:计算机; zh-hant:電腦}-."""
    first = match[1].split(";", 1)[0]
    code, colon, form = first.partition(":")
    return form if colon and code.strip().isascii() and len(code) < 12 else first


def _heading(match: re.Match[str]) -> str:
    line = match[0].rstrip()
    level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
    if level == 0 or len(line) <= 2 * level:
        return line.strip("=")
    return f"\n{_HEADING_MARK}{level}{line[level:-level].strip()}\n"


def _without_empty_sections(text: str) -> str:
    """Drop headings under which nothing is left, such as those of reference lists; take the marks off the others."""
    kept: list[str] = []
    body_level = 0
    """The level of the sections that have text below this line: 7 for text itself, 0 for nothing yet."""
    for line in reversed(text.split("\n")):
        if line.startswith(_HEADING_MARK):
            level = int(line[1])
            if body_level > level:
                kept.append(line[2:])
                body_level = level
            # Under an empty section stands what belongs to the sections around it.
        else:
            kept.append(line)
            if line:
                body_level = 7
    return "\n".join(reversed(kept))
