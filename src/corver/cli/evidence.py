"""`corver evidence`: the passages behind a count.

In: an index folder and words. Out: pieces of documents where the words stand together, the tightest first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from corver.cli.options import Directory, JsonFlag, WindowOption, WordList
from corver.cli.output import emit, emit_json

if TYPE_CHECKING:
    from corver.index import Passage

__all__ = ["evidence_command"]


def evidence_command(
    directory: Directory,
    words: WordList,
    number: Annotated[int, typer.Option("-n", "--number", min=1, metavar="N", help="Passages at most.")] = 5,
    window: WindowOption = 1000,
    json: JsonFlag = False,
) -> None:
    """Show passages where words stand together.

    One passage a document at most, those first in which the words stand closest. Needs an index with stored texts.

    \b
    Examples:
      corver evidence index/ marie curie warsaw
      corver evidence index/ "New York" 1977 -n 2 --json
    """
    from corver.index import Index

    with Index.open(directory) as index:
        passages = index.evidence(words, n=number, window=window)
    if json:
        emit_json({"passages": [_row(passage) for passage in passages], "window": window})
        return
    for place, passage in enumerate(passages, start=1):
        source = f"  {passage.url}" if passage.url else ""
        emit(f"{place}. {passage.title or f'document {passage.document}'}{source}")
        emit(f"   {' '.join(passage.text.split())}")


def _row(passage: Passage) -> dict[str, object]:
    """start, end: offsets in the document's text; spans: of the words, offsets in `text`."""
    return {
        "document": passage.document,
        "title": passage.title,
        "url": passage.url,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "spans": [[span.start, span.end] for span in passage.spans],
        "distance": passage.distance,
    }
