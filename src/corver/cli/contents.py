"""What is in an index, as a table for a person or as JSON.

In: an index folder. Out: its manifest on standard output. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corver.cli.bars import quantity
from corver.cli.output import emit, emit_json, table

if TYPE_CHECKING:
    from corver.corpus.document import ReadReport
    from corver.index.manifest import Manifest

__all__ = ["left_out", "number_of", "tell_contents"]


def tell_contents(directory: Path, *, json: bool) -> None:
    """Write what the manifest says. Raises IndexFormatError when it cannot be read."""
    from corver.index.manifest import Manifest

    facts = _facts(Manifest.read_from(directory))
    if json:
        emit_json({"index": str(directory), **facts}, indent=2)
    else:
        emit(_described(directory, facts))


def left_out(report: ReadReport) -> str:
    """Records that became no document, by reason; "nothing" when all did."""
    parts = [f"{report.empty:,} empty"] if report.empty else []
    parts += [f"{number:,} {reason}" for kind in (report.skipped, report.failed) for reason, number in kind.items()]
    return ", ".join(parts) or "nothing"


def number_of(count: int, noun: str) -> str:
    """1 file, 2 files."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _facts(manifest: Manifest) -> dict[str, Any]:
    """What an index says of itself, for a machine."""
    size = sum(file.bytes for segment in manifest.segments for file in segment.files.values())
    return {
        "fingerprint": manifest.fingerprint(),
        "documents": manifest.documents,
        "words": manifest.words,
        "bytes": size,
        "segments": len(manifest.segments),
        "has_text": all(segment.has_text for segment in manifest.segments),
        "word_rules": {"version": manifest.word_rules, "unicode": manifest.unicode},
        "function_words": len(manifest.function_words),
        "read": {
            "documents": manifest.read.documents,
            "empty": manifest.read.empty,
            "skipped": manifest.read.skipped,
            "failed": manifest.read.failed,
            "examples": manifest.read.examples,
        },
        "sources": [
            {"name": source.name, "format": source.format, "bytes": source.bytes, "sha256": source.sha256}
            for source in manifest.sources
        ],
    }


def _described(directory: Path, facts: Mapping[str, Any]) -> str:
    """The same for a person."""
    from corver.corpus.document import ReadReport

    read = ReadReport(**facts["read"])
    sources = facts["sources"]
    size = quantity(sum(source["bytes"] for source in sources), "bytes")
    rows = [
        ("index", str(directory)),
        ("documents", f"{facts['documents']:,}"),
        ("words", f"{facts['words']:,}"),
        ("size", f"{quantity(facts['bytes'], 'bytes')} in {number_of(facts['segments'], 'segment')}"),
        ("texts", "stored" if facts["has_text"] else "not stored"),
        ("left out", left_out(read)),
        *(("for example", example) for example in read.examples[:3]),
        ("sources", f"{number_of(len(sources), 'file')}, {size}"),
        ("fingerprint", facts["fingerprint"]),
    ]
    return table(rows)
