"""From the same JSONL file to a finished index: corver against infini-gram 2.6.0, whole wall time, in one run.

    python benchmarks/build_against_infinigram.py --work DIR --infini-gram-python PY --parquet FILE… [--words 5000000]

infini-gram reads raw text in byte mode (`--token_dtype u8`), which needs no tokenizer; PY is a Python that has
infini-gram==2.6.0 and transformers, which it imports. corver runs as its command, with and without the text store.
Both may use all cores and 8 GiB. Each row is one run in a fresh process, the starts of Python and imports included.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from common import print_table

from corver.corpus.document import ReadReport
from corver.corpus.opening import open_corpus
from corver.text.words import words


def write_jsonl(parquet: list[Path], path: Path, wanted: int) -> int:
    """Articles, as they come, until they hold so many words; their number of words."""
    found = 0
    with path.open("w", encoding="utf-8") as file:
        for batch in open_corpus([str(source) for source in parquet]).batches(ReadReport()):
            bounds = batch.offsets.tolist()
            data = batch.text.tobytes()
            for first, last in pairwise(bounds):
                text = data[first:last].decode("utf-8")
                file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
                found += len(words(text))
                if found >= wanted:
                    return found
    return found


def timed(command: list[object], output: Path) -> tuple[float, int]:
    """(seconds, bytes in the output folder) of a command that fills it."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    began = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    return seconds, sum(path.stat().st_size for path in output.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--parquet", type=Path, nargs="+", required=True)
    parser.add_argument("--infini-gram-python", required=True)
    parser.add_argument("--words", type=int, default=5_000_000)
    options = parser.parse_args()
    data = (options.work / "jsonl").resolve()
    data.mkdir(parents=True, exist_ok=True)
    source = data / "articles.jsonl"
    found = write_jsonl(options.parquet, source, options.words)
    cores = len(os.sched_getaffinity(0))
    theirs, ours = (options.work / "infini-gram-bytes").resolve(), options.work / "corver-jsonl"
    corver = [Path(sys.executable).with_name("corver"), "index", "build", source, "--output", ours, "--memory", "8GiB"]
    rival = [
        options.infini_gram_python, "-m", "infini_gram.indexing", "--data_dir", data, "--save_dir", theirs,
        "--token_dtype", "u8", "--cpus", cores, "--mem", 8, "--ulimit", 4096,
    ]  # fmt: skip
    timed([*corver, "--no-text"], ours)  # compiles what is not cached yet
    rows = []
    slow, size = timed(rival, theirs)
    rows.append(["infini-gram, bytes", f"{slow:.1f}", f"{found / slow / 1e6:.2f} M", f"{size / found:.1f}", "1.0x"])
    for name, more in (("corver, with text", []), ("corver, without text", ["--no-text"])):
        seconds, size = timed([*corver, *more], ours)
        rows.append([name, f"{seconds:.1f}", f"{found / seconds / 1e6:.2f} M", f"{size / found:.1f}",
                     f"{slow / seconds:.1f}x"])  # fmt: skip
    title = f"{found / 1e6:.1f} M words, {source.stat().st_size / 1e6:.0f} MB of JSONL, {cores} cores"
    print_table(title, ["engine", "seconds", "words a second", "bytes a word", "faster"], rows)


if __name__ == "__main__":
    main()
