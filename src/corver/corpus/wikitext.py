"""Wikitext to plain text, in time proportional to its length.

In: the wikitext of one article. Out: its prose as plain text: labels of links, texts of templates that name things or
numbers, cells of tables, captions of pictures; no references, categories, file options, boxes or markup. One pass over
the tokens with a stack of open calls, links and tables replaces a parser: whatever is never closed ends as text, and
nothing is ever scanned twice. A deadline is checked on the way all the same. This module knows no XML and no dump.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from corver.corpus.templates import PROTECTED_EQUALS, expand
from corver.corpus.wikimarkup import join_space, smooth, take_out_raw

__all__ = ["ArticleTimeoutError", "Namespaces", "plain_text"]

_TOKEN = re.compile(
    r"""
      \[\[ ([^\[\]{}|\n]++) (?: \| ([^\[\]{}|\n]*+) )? \]\]         # 1, 2: a link without anything inside
    | \{\{ ([^\[\]{}|]++ (?: \| [^\[\]{}]*+ )?+ ) \}\}               # 3: a call without anything inside
    | ( \{\{+ | \}\}+ | \[\[ | \]\]                                # 4: everything else that opens, closes or parts
      | \n [ \t:*]* \{\| | \n [ \t]* (?: \|\}(?!\}) | \|- | \|\+ | \| | ! )
      | = [ \t]* \{\|(?!\}) | \n (?= [\n=] ) | \|\|? | !! )
    """,
    re.VERBOSE,
)
_MAX_DEPTH = 100
"""Deeper calls are read as text. MediaWiki itself gives up at 40; the bound keeps the work linear."""
_CHECK_EVERY = 256
"""Tokens between two looks at the clock."""

_SHOWN = frozenset({
    "thumb", "thumbnail", "frame", "framed", "mini", "miniatur", "miniatura", "vignette", "cadre", "gerahmt",
    "miniaturadeimagen", "мини", "миниатюра",
})  # fmt: skip
"""File options that give a picture a frame, and so a caption, in some large wikis."""
_FILE_WORDS = _SHOWN | {
    "frameless", "border", "right", "left", "center", "centre", "none", "baseline", "middle", "sub", "super",
    "text-top", "text-bottom", "top", "bottom", "upright", "gauche", "droite", "centré", "links", "rechts", "zentriert",
    "rahmenlos", "hochkant", "derecha", "izquierda", "centro", "destra", "sinistra", "direita", "esquerda", "справа",
    "слева", "центр",
}  # fmt: skip
_FILE_OPTION = re.compile(
    r"[0-9]*(?:x[0-9]+)?\s*px$|(?:alt|link|page|class|lang|upright|thumb|thumbtime|start|end)\s*="
)
_INTERLANGUAGE = re.compile(r"(?:[a-z]{2,3}(?:-[a-z]{2,12})*|simple):")
_Kind: TypeAlias = Literal["text", "call", "parameter", "link", "table"]


class ArticleTimeoutError(Exception):
    """An article took longer than it may. It is counted as failed, by name; never raised to a user."""


@dataclass(frozen=True, slots=True)
class Namespaces:
    """The names, in lower case, of the namespaces that links treat in a way of their own; a dump's header has them."""

    file: frozenset[str] = frozenset({"file", "image"})
    category: frozenset[str] = frozenset({"category"})


@dataclass(slots=True)
class _Frame:
    """Something open. pieces: of the part now being read. parts: those before it, split at "|"."""

    kind: _Kind
    start: int = 0
    pieces: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    attributes_possible: bool = False

    def part(self) -> None:
        """Close the present part."""
        self.parts.append("".join(self.pieces))
        self.pieces = []

    def cell(self) -> None:
        """Close the present cell of a table."""
        text = "".join(self.pieces).strip()
        self.pieces = []
        if text:
            self.rows[-1].append(text)


def plain_text(
    wikitext: str,
    *,
    title: str = "",
    namespaces: Namespaces | None = None,
    seconds: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> str:
    """The text of one article.

    title: of the page, for {{PAGENAME}}. seconds: raise `ArticleTimeoutError` when it takes longer.
    """
    deadline = None if seconds is None else clock() + seconds
    raw, literals = take_out_raw(wikitext)
    scanner = _Scanner(raw, title, namespaces or Namespaces(), deadline, clock)
    scanned = scanner.run()
    scanner.check_time()
    text = smooth(scanned, literals)
    scanner.check_time()
    return text


class _Scanner:
    """One pass over the tokens of an article."""

    def __init__(
        self,
        text: str,
        title: str,
        namespaces: Namespaces,
        deadline: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._text = "\n" + text + "\n"
        self._title = title
        self._namespaces = namespaces
        self._deadline = deadline
        self._clock = clock
        self._stack = [_Frame("text")]
        self._position = 0

    def check_time(self) -> None:
        if self._deadline is not None and self._clock() > self._deadline:
            raise ArticleTimeoutError

    def run(self) -> str:
        text, search = self._text, _TOKEN.search
        number = 0
        while match := search(text, self._position):
            number += 1
            if number % _CHECK_EVERY == 0:
                self.check_time()
            if match.start() > self._position:
                self._stack[-1].pieces.append(text[self._position : match.start()])
            self._position = match.end()
            group = match.lastindex
            if group == 4:
                self._other(match[4], match.start())
            elif group == 3:
                self._call(match[3].split("|"), match.start())
            else:
                self._emit(self._link([match[1], match[2]] if group == 2 else [match[1]]), match.start())
        self._stack[-1].pieces.append(text[self._position :])
        while len(self._stack) > 1:
            self._abandon()
        return "".join(self._stack[0].pieces).replace(PROTECTED_EQUALS, "=")

    def _emit(self, text: str, start: int) -> None:
        """Put the text of something closed into what is around it."""
        top = self._stack[-1]
        if not text:
            text = join_space(self._text[start - 1 : start], self._text[self._position : self._position + 1])
        elif top.kind == "call" and "=" in text:
            text = text.replace("=", PROTECTED_EQUALS)
        top.pieces.append(text)

    def _other(self, mark: str, start: int) -> None:
        first = mark[0]
        if first == "{":
            self._open_braces(len(mark), start)
        elif first == "}":
            self._close_braces(len(mark), start)
        elif mark == "[[":
            self._open(_Frame("link", start))
        elif mark == "]]":
            self._close_link(start)
        elif first == "\n":
            self._line_start(mark, start)
        elif first == "=":
            self._table_as_argument(mark, start)
        else:
            self._bar(mark)

    def _open(self, frame: _Frame) -> None:
        if len(self._stack) < _MAX_DEPTH:
            self._stack.append(frame)

    def _open_braces(self, length: int, start: int) -> None:
        """A run of braces: two open a call; an odd run holds a parameter, {{{name|default}}}, innermost."""
        for number in range(length // 2):
            last = number == length // 2 - 1
            self._open(_Frame("parameter" if last and length % 2 else "call", start + 2 * number))

    def _close_braces(self, length: int, start: int) -> None:
        end = self._position
        while length >= 2 and self._unwind_to(("call", "parameter")):
            frame = self._stack.pop()
            frame.part()
            size = min(length, 3 if frame.kind == "parameter" else 2)
            length -= size
            self._position = end - length
            if frame.kind == "parameter":
                self._emit("|".join(frame.parts[1:2]), frame.start)
            else:
                self._call(frame.parts, frame.start)
        self._position = end

    def _close_link(self, start: int) -> None:
        if self._unwind_to(("link",)):
            frame = self._stack.pop()
            frame.part()
            self._emit(self._link(frame.parts), frame.start)

    def _unwind_to(self, kinds: tuple[_Kind, ...]) -> bool:
        """Abandon what was left open inside the nearest frame of these kinds; False when there is none.

        A link never reaches out of the call or table that it stands in, nor does a call reach out of a table cell.
        """
        walls = ("table",) if "call" in kinds else ("call", "parameter", "table")
        for frame in reversed(self._stack):
            if frame.kind in kinds:
                while self._stack[-1] is not frame:
                    self._abandon()
                return True
            if frame.kind in walls:
                return False
        return False

    def _abandon(self) -> None:
        """End the innermost frame that never closed, keeping its text."""
        frame = self._stack.pop()
        if frame.kind == "table":
            self._stack[-1].pieces.append(_table(frame))
            return
        frame.part()
        if frame.kind == "link":
            is_file = self._is_file(frame.parts[0])
            self._stack[-1].pieces.append("\n" + frame.parts[-1] if is_file else "|".join(frame.parts))
            return
        # Of a broken box only what comes after its first blank line is certain to be the article's.
        name, *arguments = frame.parts
        named = [part for part in arguments if _is_named(part)]
        text = " ".join(part for part in frame.parts if not _is_named(part) and not (named and part is name))
        text += "".join(part[part.index("\n\n") :] for part in named if "\n\n" in part)
        self._stack[-1].pieces.append(text)

    def _call(self, parts: list[str], start: int) -> None:
        end = self._position
        block = (
            len(self._stack) == 1 and self._text[start - 1 : start] == "\n" and self._text[end : end + 1] in ("\n", "")
        )
        name = parts[0].strip()
        if name == "!" and self._stack[-1].kind == "table":
            self._bar("|")
            return
        self._emit(expand(name, parts[1:], block=block, title=self._title), start)

    def _bar(self, bars: str) -> None:
        top = self._stack[-1]
        if top.kind == "table":
            if bars == "|":
                if top.attributes_possible:
                    top.pieces, top.attributes_possible = [], False
                else:
                    top.pieces.append(" ")
            else:
                top.cell()
                top.attributes_possible = True
        elif bars == "!!" or top.kind == "text":
            top.pieces.append(bars)
        else:
            for _ in bars:
                top.part()

    def _line_start(self, token: str, start: int) -> None:
        mark = token.strip(" \t\n:*")
        if self._stack[-1].kind == "link" and mark != "{|" and self._breaks_link(mark):
            self._abandon()
        top = self._stack[-1]
        if not mark:
            top.pieces.append("\n")
        elif mark == "{|":
            table = _Frame("table", start, rows=[[]])
            self._open(table)
            self._skip_line()
        elif top.kind != "table":
            top.pieces.append("\n")
            if mark == "|}" and top.kind == "text":
                return
            self._position = start + len(token) - len(mark) + 1
            if mark[0] == "|" and top.kind != "text":
                self._bar("|")
            else:
                top.pieces.append(mark[0])
        elif mark == "|}":
            self._stack.pop()
            self._emit(_table(top), start)
        elif mark == "|-":
            top.cell()
            top.rows.append([])
            self._skip_line()
        else:
            top.cell()
            if mark == "|+":
                top.rows.append([])
            top.attributes_possible = True

    def _table_as_argument(self, sign: str, start: int) -> None:
        """A table may also start a named argument, | data = {| …; anywhere else these are plain signs."""
        if self._stack[-1].kind != "call":
            self._stack[-1].pieces.append(sign)
            return
        self._stack[-1].pieces.append("=")
        self._open(_Frame("table", start, rows=[[]]))
        self._skip_line()

    def _breaks_link(self, mark: str) -> bool:
        """True where an open link cannot go on: at the end of its cell or section, or, but for files, its paragraph."""
        if mark:
            return any(frame.kind == "table" for frame in self._stack[-3:])
        top = self._stack[-1]
        if self._text[self._position : self._position + 1] == "=":
            return True
        return not self._is_file(top.parts[0] if top.parts else "".join(top.pieces))

    def _is_file(self, target: str) -> bool:
        return target.partition(":")[0].strip().lower() in self._namespaces.file

    def _skip_line(self) -> None:
        """Read over the attributes that follow a table's or a row's mark."""
        end = self._text.find("\n", self._position)
        self._position = len(self._text) if end < 0 else end

    def _link(self, parts: list[str]) -> str:
        """The text of an internal link, [[target|label]], or the caption of a picture."""
        if self._stack[-1].kind == "table":
            self._stack[-1].attributes_possible = False  # what has a link in it is no attribute
        target = parts[0].strip()
        prefix, colon, _ = target.partition(":")
        if colon and prefix:
            space = prefix.strip().lower().replace("_", " ")
            if space in self._namespaces.file:
                return _caption(parts[1:])
            if space in self._namespaces.category or (len(parts) == 1 and _INTERLANGUAGE.match(target)):
                return ""
        if len(parts) > 1:
            label = " ".join(parts[1:])
            return label if label.strip() else _short_name(target)
        return target.lstrip(":#").replace("_", " ").replace("#", " § ") if target else ""


def _is_named(part: str) -> bool:
    key, equals, _ = part.partition("=")
    return bool(equals) and len(key) < 80


def _short_name(target: str) -> str:
    """What [[target|]] shows: the name without namespace and without a remark in parentheses at its end."""
    name = target.lstrip(":").rpartition(":")[2]
    if name.endswith(")"):
        name = name.rpartition("(")[0]
    return name.strip()


def _caption(options: list[str]) -> str:
    """The caption of a picture, a line of its own; only pictures with a frame show one."""
    words = [option.strip() for option in options]
    if not any(word.lower() in _SHOWN for word in words):
        return ""
    texts = [word for word in words if word.lower() not in _FILE_WORDS and not _FILE_OPTION.match(word.lower())]
    return f"\n{texts[-1]}\n" if texts and texts[-1] else ""


def _table(table: _Frame) -> str:
    """A line a row, cells parted by semicolons; a cell of several lines keeps them."""
    table.cell()
    lines = []
    for row in table.rows:
        between = "\n" if any("\n" in cell for cell in row) else "; "
        lines.append(between.join(row))
    return "\n" + "\n".join(line for line in lines if line) + "\n"
