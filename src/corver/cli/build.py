"""`corver index build`, `add` and `merge`: what writes to an index folder.

In: sources of text, an index folder. Out: an index folder, and what is in it. Before the work a line says how much
memory and disk it will take, after it another one what became of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corver.cli.bars import quantity, shown_progress
from corver.cli.contents import left_out, number_of, tell_contents
from corver.cli.options import Directory, JsonFlag, parse_bytes, usable_cores
from corver.cli.output import say
from corver.errors import UsageError

if TYPE_CHECKING:
    from corver.corpus.document import ReadReport, SourceInfo
    from corver.corpus.opening import Corpus
    from corver.index import BuildEstimate, BuildProgress
    from corver.progress import Progress

__all__ = ["SourceFormat", "add_command", "build_command", "merge_command"]

SourceFormat: TypeAlias = Literal["auto", "parquet", "jsonl", "dump", "text"]
"""`corver.corpus.opening.FormatChoice`, spelled out because importing that loads numpy."""

Sources: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE", help="File, folder, glob or hf://datasets/OWNER/NAME.", show_default=False),
]
Format: TypeAlias = Annotated[SourceFormat, typer.Option("--format", help="Format of the sources.")]
Memory: TypeAlias = Annotated[str, typer.Option(metavar="SIZE", help="Memory to stay within: 500MB, 2GiB.")]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Processes; else one a core, as memory allows.", show_default=False),
]
TextField: TypeAlias = Annotated[str, typer.Option(metavar="NAME", help="Field or column of the text.")]
TitleField: TypeAlias = Annotated[str, typer.Option(metavar="NAME", help="Field or column of the title.")]
UrlField: TypeAlias = Annotated[str, typer.Option(metavar="NAME", help="Field or column of the address.")]
Revision: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Branch, tag or commit of hf:// sources.", show_default=False)
]


def build_command(
    sources: Sources,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the index.", show_default=False)],
    kind: Format = "auto",
    memory: Memory = "2GiB",
    workers: Workers = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Leave the documents out; counts stay the same.")] = False,
    text_field: TextField = "text",
    title_field: TitleField = "title",
    url_field: UrlField = "url",
    revision: Revision = None,
    json: JsonFlag = False,
) -> None:
    """Build the index of a corpus.

    Reads parquet, JSON Lines (plain, .gz, .zst), MediaWiki XML dumps and folders of text, and writes the index to
    DIR. An index that DIR holds is replaced once the new one is whole; a folder of other files is refused. Started
    again after it was stopped, it finishes the work. Says first how much memory and disk it will take, and does not
    begin where the disk cannot hold it.

    \b
    Examples:
      corver index build wiki/*.parquet --output index/
      corver index build hf://datasets/wikimedia/wikipedia/20231101.en --output index/ --memory 8GiB
      corver index build notes/ --output index/ --format text --no-text
    """
    limit = parse_bytes(memory, option="--memory")
    from corver.corpus.opening import open_corpus
    from corver.index import build_index
    from corver.index.build import check_folder, usual_workers

    check_folder(output)
    corpus = open_corpus(
        sources, format=kind, text_field=text_field, title_field=title_field, url_field=url_field, revision=revision
    )
    hands = workers or usual_workers(limit, usable_cores())
    work = _Reading(corpus, output, memory=limit, workers=hands, store_text=not no_text)
    with shown_progress() as progress:
        origin = work.hashed(progress)
        _tell_replaced(output, origin)
        build_index(
            corpus.shards(),
            output,
            memory=limit,
            workers=hands,
            store_text=not no_text,
            sources=origin,
            check=work.check,
            progress=work.teller(progress),
        )
    work.close()
    tell_contents(output, json=json)


def add_command(
    directory: Directory,
    sources: Sources,
    kind: Format = "auto",
    memory: Memory = "2GiB",
    workers: Workers = None,
    text_field: TextField = "text",
    title_field: TitleField = "title",
    url_field: UrlField = "url",
    revision: Revision = None,
    json: JsonFlag = False,
) -> None:
    """Add documents to an index.

    They become a segment of their own; counts are those of all documents together. Texts are stored when the index
    stores texts. Who has the index open goes on seeing it as it was. A file that is in the index already is refused.

    \b
    Examples:
      corver index add index/ new.jsonl
      corver index add index/ more/*.parquet --memory 8GiB
    """
    limit = parse_bytes(memory, option="--memory")
    from corver.corpus.opening import open_corpus
    from corver.index import add_segment
    from corver.index.build import usual_workers
    from corver.index.manifest import Manifest

    manifest = Manifest.read_from(directory)
    corpus = open_corpus(
        sources, format=kind, text_field=text_field, title_field=title_field, url_field=url_field, revision=revision
    )
    with_text = all(segment.has_text for segment in manifest.segments)
    hands = workers or usual_workers(limit, usable_cores())
    work = _Reading(corpus, directory, memory=limit, workers=hands, store_text=with_text)
    with shown_progress() as progress:
        origin = work.hashed(progress)
        _refuse_known(directory, origin, manifest.sources)
        add_segment(
            corpus.shards(),
            directory,
            memory=limit,
            workers=hands,
            sources=origin,
            check=work.check,
            progress=work.teller(progress),
        )
    work.close()
    tell_contents(directory, json=json)


def merge_command(directory: Directory, memory: Memory = "2GiB", json: JsonFlag = False) -> None:
    """Make one segment of several.

    Counts stay the same and become faster. Needs as much free disk as the index takes, until it is done. Segments that
    do not fit into --memory together stay apart.

    \b
    Example:
      corver index merge index/
    """
    limit = parse_bytes(memory, option="--memory")
    from corver.index import merge_segments
    from corver.index.manifest import Manifest

    before = len(Manifest.read_from(directory).segments)
    with shown_progress() as progress:

        def tell(state: BuildProgress) -> None:
            progress(state.stage, state.done, state.total, "words")

        after = merge_segments(directory, memory=limit, progress=tell).segments
    if after == before:
        reason = "there is nothing to merge" if before == 1 else "a larger --memory may allow more"
        say(f"{number_of(before, 'segment')} as before: {reason}")
    else:
        say(f"merged {before:,} segments into {after:,}")
    tell_contents(directory, json=json)


class _Reading:
    """What building and adding tell: the estimate before, the progress meanwhile, the records afterwards.

    Raises CorverError at once when the disk of `folder` cannot hold the work.
    """

    def __init__(self, corpus: Corpus, folder: Path, *, memory: int, workers: int, store_text: bool) -> None:
        from corver.index import estimate_build
        from corver.index.build import check_room

        self._corpus = corpus
        self._reports: list[ReadReport] = []
        estimate = estimate_build(corpus.shards(), memory=memory, workers=workers, store_text=store_text)
        check_room(folder, estimate)
        say(_foreseen(estimate))

    def hashed(self, progress: Progress) -> list[SourceInfo]:
        """The sources with their hashes, for the manifest."""
        size = self._corpus.bytes
        progress("hashing the sources", 0, size, "bytes")
        origin = self._corpus.sources()
        progress("hashing the sources", size, size, "bytes")
        progress("reading", 0, size, "bytes")
        return origin

    def teller(self, progress: Progress) -> Callable[[BuildProgress], None]:
        """What the builder is to call."""

        def tell(state: BuildProgress) -> None:
            progress(state.stage, state.done, state.total, "words" if state.stage == "merging" else "bytes")

        return tell

    def check(self, reports: Sequence[ReadReport]) -> None:
        """Keep the reports. Raises CorpusError when one of the named sources gave no document."""
        self._corpus.check(reports)
        self._reports = list(reports)

    def close(self) -> None:
        """Say what became of the records."""
        from corver.corpus.document import ReadReport

        total = ReadReport()
        for report in self._reports:
            total.add(report)
        say(f"read {number_of(total.documents, 'document')}; left out: {left_out(total)}")


def _foreseen(estimate: BuildEstimate) -> str:
    disk = quantity(estimate.disk_final, "bytes")
    if estimate.disk_peak > estimate.disk_final:
        disk += f" ({quantity(estimate.disk_peak, 'bytes')} meanwhile)"
    memory = quantity(estimate.memory, "bytes")
    return f"about {quantity(estimate.words, 'words')} words, to take {memory} of memory and {disk} of disk"


def _tell_replaced(folder: Path, origin: Sequence[SourceInfo]) -> None:
    """Say that an index of other sources is about to go."""
    from corver.errors import IndexFormatError
    from corver.index.manifest import MANIFEST_NAME, Manifest

    if not (folder / MANIFEST_NAME).exists():
        return
    try:
        known = Manifest.read_from(folder)
    except IndexFormatError:
        say(f"{folder} holds an index that cannot be read; it is replaced when the new one is whole")
        return
    if {source.sha256 for source in known.sources} != {source.sha256 for source in origin}:
        size = f"{number_of(known.documents, 'document')}, {number_of(known.words, 'word')}"
        say(f"{folder} holds another index ({size}); it is replaced when the new one is whole")


def _refuse_known(directory: Path, origin: Sequence[SourceInfo], known: Sequence[SourceInfo]) -> None:
    """Raise UsageError when a file is in the index already: every count of it would double."""
    hashes = {source.sha256 for source in known}
    for source in origin:
        if source.sha256 in hashes:
            raise UsageError(f"{source.name} is in {directory} already; adding it again would count it twice")
