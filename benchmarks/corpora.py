"""How fast corpora are read on one core, and how the wikitext reader compares with mwparserfromhell.

    python benchmarks/corpora.py read SOURCE… [--passes 3]
    python benchmarks/corpora.py wikitext DUMP [--passes 3] [--articles 100]

Both print a Markdown table of medians over the passes, in seconds of processor time. `wikitext` needs
`pip install mwparserfromhell`; it runs both parsers in one process on the same articles, then on repeated markup of
growing length.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median

from corver.corpus import ReadReport, open_corpus
from corver.corpus.bzip2 import read_blocks
from corver.corpus.pages import PageCutter, parse_page
from corver.corpus.wikitext import plain_text

REPEATED = ("{{a|", "[[a|", "''a ", "<b>", "{|\n|a", "<ref>a")
LENGTHS = (500, 1000, 2000)


def seconds(work: Callable[[], object], passes: int) -> float:
    """Median seconds of processor time of some passes; all work here is done by one thread."""
    times = []
    for _ in range(passes):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


def read(sources: list[str], passes: int) -> None:
    """One row a source: all its shards, one after the other."""
    print("| source | on disk, MB | documents | text, MB | seconds | text, MB/s | on disk, MB/s | documents/s |")
    print("|---|---|---|---|---|---|---|---|")
    for source in sources:
        report = ReadReport()
        size = sum(len(batch.text) for batch in open_corpus([source]).batches(report)) / 1e6

        def one_pass(source: str = source) -> None:
            for _ in open_corpus([source]).batches(ReadReport()):
                pass

        spent = seconds(one_pass, passes)
        disk = open_corpus([source]).bytes / 1e6
        print(
            f"| {Path(source).name} | {disk:.1f} | {report.documents} | {size:.1f} | {spent:.2f} | {size / spent:.1f} "
            f"| {disk / spent:.1f} | {report.documents / spent:.0f} |"
        )


def wikitext(dump: str, passes: int, articles: int) -> None:
    """Both parsers on the same articles, then on repeated markup."""
    import mwparserfromhell

    path = Path(dump)
    pages = map(parse_page, PageCutter(read_blocks(path, 0, path.stat().st_size)))
    texts = [page.text for page in islice((page for page in pages if not page.redirect and page.text), articles)]
    size = sum(len(text.encode()) for text in texts) / 1e6
    print("| parser | articles | wikitext, MB | seconds | MB/s | articles/s |")
    print("|---|---|---|---|---|---|")
    parsers: dict[str, Callable[[str], object]] = {
        "corver": plain_text,
        "mwparserfromhell strip_code": lambda text: mwparserfromhell.parse(text).strip_code(),
    }
    for name, parse in parsers.items():
        spent = seconds(lambda parse=parse: [parse(text) for text in texts], passes)  # type: ignore[misc]
        print(f"| {name} | {len(texts)} | {size:.2f} | {spent:.2f} | {size / spent:.1f} | {len(texts) / spent:.0f} |")
    print(f"\n| repeated | times | {' | '.join(f'{name}, s' for name in parsers)} |")
    print("|---|---|---|---|")
    for piece in REPEATED:
        for length in LENGTHS:
            row = [f"{seconds(lambda parse=parse: parse(piece * length), 1):.4f}" for parse in parsers.values()]  # type: ignore[misc]  # noqa: B023
            print(f"| `{piece!r}` | {length} | {' | '.join(row)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("read", "wikitext"):
        command = commands.add_parser(name)
        command.add_argument("sources", nargs="+" if name == "read" else 1)
        command.add_argument("--passes", type=int, default=3)
        command.add_argument("--articles", type=int, default=100)
    options = parser.parse_args()
    if options.command == "read":
        read(options.sources, options.passes)
    else:
        wikitext(options.sources[0], options.passes, options.articles)


if __name__ == "__main__":
    main()
