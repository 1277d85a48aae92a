"""`corver index`: build, describe and check the index of a corpus.

In: sources of text, an index folder. Out: an index folder; what is in it, as a table or as JSON. The commands word
what the builder and the manifest say; they decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from corver.cli.bars import quantity, shown_progress
from corver.cli.count import count_command
from corver.cli.options import Directory, JsonFlag, parse_bytes, usable_cores
from corver.cli.output import emit, emit_json, say, table

if TYPE_CHECKING:
    from corver.index.manifest import Manifest

__all__ = ["index_app"]

SourceFormat: TypeAlias = Literal["auto", "parquet", "jsonl", "dump", "text"]
"""`corver.corpus.opening.FormatChoice`, spelled out because importing that loads numpy."""

index_app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Build, describe and check the index of a corpus."
)


@index_app.command("build")
def build_command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="File, folder, glob or hf://datasets/OWNER/NAME.", show_default=False),
    ],
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the index.", show_default=False)],
    kind: Annotated[SourceFormat, typer.Option("--format", help="Format of the sources.")] = "auto",
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Memory to stay within: 500MB, 2GiB.")] = "2GiB",
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes; else one a core.", show_default=False)
    ] = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Leave the documents out; counts stay the same.")] = False,
    text_field: Annotated[str, typer.Option(metavar="NAME", help="Field or column of the text.")] = "text",
    title_field: Annotated[str, typer.Option(metavar="NAME", help="Field or column of the title.")] = "title",
    url_field: Annotated[str, typer.Option(metavar="NAME", help="Field or column of the address.")] = "url",
    revision: Annotated[
        str | None, typer.Option(metavar="NAME", help="Branch, tag or commit of hf:// sources.", show_default=False)
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Build the index of a corpus.

    Reads parquet, JSON Lines (plain, .gz, .zst), MediaWiki XML dumps and folders of text, and writes the index to
    DIR. An index that DIR holds is replaced once the new one is whole. Started again after it was stopped, it finishes
    the work.

    \b
    Examples:
      corver index build wiki/*.parquet --output index/
      corver index build hf://datasets/wikimedia/wikipedia/20231101.en --output index/ --memory 8GiB
      corver index build notes/ --output index/ --format text --no-text
    """
    limit = parse_bytes(memory, option="--memory")
    from corver.corpus.opening import open_corpus
    from corver.index import BuildProgress, build_index

    corpus = open_corpus(
        sources,
        format=kind,
        text_field=text_field,
        title_field=title_field,
        url_field=url_field,
        revision=revision,
    )
    with shown_progress() as progress:

        def tell(state: BuildProgress) -> None:
            progress(state.stage, state.done, state.total, "bytes")

        progress("hashing the sources", 0, corpus.bytes, "bytes")
        origin = corpus.sources()
        progress("hashing the sources", corpus.bytes, corpus.bytes, "bytes")
        progress("reading", 0, corpus.bytes, "bytes")
        build_index(
            corpus.shards(),
            output,
            memory=limit,
            workers=workers or usable_cores(),
            store_text=not no_text,
            progress=tell,
            sources=origin,
        )
    _tell(output, json=json)


@index_app.command("info")
def info_command(directory: Directory, json: JsonFlag = False) -> None:
    """Tell what is in an index.

    \b
    Examples:
      corver index info index/
      corver index info index/ --json
    """
    _tell(directory, json=json)


@index_app.command("verify")
def verify_command(directory: Directory, json: JsonFlag = False) -> None:
    """Read every byte of an index and compare it with its checksums.

    Exit code 1 when something is missing or differs.

    \b
    Example:
      corver index verify index/
    """
    from corver.index import verify_index

    with shown_progress() as progress:
        report = verify_index(directory, progress=lambda done, total: progress("verifying", done, total, "bytes"))
    if json:
        emit_json(
            {
                "index": str(directory),
                "ok": not report.problems,
                "files": report.files,
                "bytes": report.bytes,
                "problems": list(report.problems),
            },
            indent=2,
        )
    elif not report.problems:
        emit(f"good: {report.files} files, {quantity(report.bytes, 'bytes')}")
    for problem in report.problems:
        say(f"error: {problem}; rebuild the index")
    if report.problems:
        raise typer.Exit(1)


index_app.command("count")(count_command)


def _tell(directory: Path, *, json: bool) -> None:
    from corver.index.manifest import Manifest

    facts = _facts(Manifest.read_from(directory))
    if json:
        emit_json({"index": str(directory), **facts}, indent=2)
    else:
        emit(_described(directory, facts))


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
    read = facts["read"]
    left_out = [f"{read['empty']:,} empty"] if read["empty"] else []
    left_out += [f"{number:,} {reason}" for kind in ("skipped", "failed") for reason, number in read[kind].items()]
    sources = facts["sources"]
    rows = [
        ("index", str(directory)),
        ("documents", f"{facts['documents']:,}"),
        ("words", f"{facts['words']:,}"),
        ("size", f"{quantity(facts['bytes'], 'bytes')} in {_number(facts['segments'], 'segment')}"),
        ("texts", "stored" if facts["has_text"] else "not stored"),
        ("left out", ", ".join(left_out) or "nothing"),
        *(("for example", example) for example in read["examples"][:3]),
        ("sources", f"{_number(len(sources), 'file')}, {quantity(sum(source['bytes'] for source in sources), 'bytes')}"),
        ("fingerprint", facts["fingerprint"]),
    ]
    return table(rows)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
