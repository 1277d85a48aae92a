"""SIGKILL at random moments of many builds, each then run again: every one must give the right index.

python benchmarks/kills.py SOURCE… --work DIR [--times 50]
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import print_table

from corver.index import Index, verify_index

_BUILD = """
import sys
from corver.corpus.opening import open_corpus
from corver.index import build_index, task
task.SegmentWriter.bytes = property(lambda writer: writer.words * (1 << 30) // {words})
if __name__ == "__main__":
    build_index(open_corpus(sys.argv[2:]).shards(), sys.argv[1], memory=1 << 30)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--segment-words", type=int, default=100_000, help="so many make a segment, to be merged")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    script = options.work / "build_once.py"
    script.write_text(_BUILD.format(words=options.segment_words))
    command = [sys.executable, str(script)]
    right = options.work / "right"
    subprocess.run([*command, right, *options.sources], check=True)
    began = time.perf_counter()
    shutil.rmtree(right)
    subprocess.run([*command, right, *options.sources], check=True)
    length = time.perf_counter() - began
    rng = random.Random(1)
    killed = whole = same = 0
    with Index.open(right) as index:
        fingerprint = index.fingerprint()
    for number in range(options.times):
        folder = options.work / f"killed-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        child = subprocess.Popen([*command, folder, *options.sources])
        time.sleep(rng.random() * length * 0.9)
        child.send_signal(signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        subprocess.run([*command, folder, *options.sources], check=True)
        whole += not verify_index(folder).problems
        with Index.open(folder) as index:
            same += index.fingerprint() == fingerprint
        shutil.rmtree(folder)
    head = ["builds", "killed in time", "whole after the second run", "same fingerprint"]
    print_table("kills", head, [[options.times, killed, whole, same]])


if __name__ == "__main__":
    main()
