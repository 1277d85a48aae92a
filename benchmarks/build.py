"""Building: words a second, bytes a word by file, peak memory; and opening: time and memory before the first query.

python benchmarks/build.py SOURCE… --work DIR [--memory 2147483648] [--workers 1]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from common import print_table

_OPEN = """
import json, sys, time
def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS")) / 1024
from corver.index import Index
import numpy
began, before = time.perf_counter(), resident()
from corver.index import query, segment, texts
loaded, code = time.perf_counter(), resident()
index = Index.open(sys.argv[1])
opened, after = time.perf_counter(), resident()
index.count(["{first}", "{second}"])
print(json.dumps([loaded - began, code - before, opened - loaded, after - code, time.perf_counter() - opened]))
"""


def build(sources: list[str], folder: Path, memory: int, workers: int, store_text: bool) -> dict[str, float]:
    """Build in this process; CPU seconds of it and its children, wall seconds, peak memory."""
    from corver.corpus.opening import open_corpus
    from corver.index import build_index

    corpus = open_corpus(sources)
    wall = time.perf_counter()
    report = build_index(corpus.shards(), folder, memory=memory, workers=workers, store_text=store_text)
    wall = time.perf_counter() - wall
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "words": report.words,
        "wall": wall,
        "cpu": sum(use.ru_utime + use.ru_stime for use in usage),
        "peak": max(use.ru_maxrss for use in usage) / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--memory", type=int, default=2 << 30)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--one", choices=["text", "bare"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.work / f"build-{options.one}"
    if options.one:
        shutil.rmtree(folder, ignore_errors=True)
        print(json.dumps(build(options.sources, folder, options.memory, options.workers, options.one == "text")))
        return
    rows, sizes = [], []
    for kind in ("bare", "text"):
        child = [sys.executable, *sys.argv, "--one", kind]
        subprocess.run(child, capture_output=True, check=True)  # compiles what is not cached yet
        found = json.loads(subprocess.run(child, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
        words = found["words"]
        rows.append([kind, f"{words / 1e6:.1f} M", f"{found['wall']:.1f}", f"{words / found['wall'] / 1e6:.2f} M",
                     f"{words / found['cpu'] / 1e6:.2f} M", f"{found['peak']:.0f} MB"])  # fmt: skip
        files: dict[str, int] = {}
        for path in (options.work / f"build-{kind}").glob("segment-*/*"):
            files[path.name] = files.get(path.name, 0) + path.stat().st_size
        texts = sum(size for name, size in files.items() if name.startswith("texts."))
        sizes += [[kind, name, f"{size / words:.3f}"] for name, size in sorted(files.items())]
        sizes.append([kind, "all but the stored titles and texts", f"{(sum(files.values()) - texts) / words:.3f}"])
    head = ["store", "words", "seconds", "words a second", "words a CPU second", "peak memory"]
    print_table(f"building with {options.workers} workers and {options.memory >> 20} MiB", head, rows)
    print_table("size", ["store", "file", "bytes a word"], sizes)
    times = [
        json.loads(subprocess.run(
            [sys.executable, "-c", _OPEN.format(first="paris", second="france"), options.work / "build-text"],
            capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]  # fmt: skip
    middle = [sorted(column)[2] for column in zip(*times, strict=True)]
    print_table(
        "opening, in a fresh process",
        ["what", "ms", "MB"],
        [
            ["importing corver.index", f"{middle[0] * 1e3:.0f}", f"{middle[1]:.0f}"],
            ["opening the index", f"{middle[2] * 1e3:.1f}", f"{middle[3]:.1f}"],
            ["first count, compiler and cached kernels loaded", f"{middle[4] * 1e3:.0f}", ""],
        ],
    )


if __name__ == "__main__":
    main()
