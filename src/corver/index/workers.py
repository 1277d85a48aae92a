"""Tasks of a build, each in a process of its own.

In: runs of shards. Out: their final states. A worker that fails sends its error; one that dies is named. With one task
everything happens in this process.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from corver.corpus.document import Shard
from corver.errors import CorverError
from corver.index.plan import TaskState
from corver.index.task import BuildOptions, run_task

__all__ = ["run_tasks"]


def _work(connection: Connection, shards: Sequence[Shard], folder: Path, options: BuildOptions) -> None:
    """What a worker process does: the task, its progress and its end through the connection."""

    def tell(done: int, documents: int, words: int) -> None:
        connection.send(("progress", (done, documents, words)))

    try:
        connection.send(("done", run_task(shards, folder, options, tell)))
    except (CorverError, OSError) as error:
        connection.send(("error", error))
    connection.close()


def run_tasks(
    runs: Sequence[Sequence[Shard]],
    folder: Path,
    options: BuildOptions,
    tell: Callable[[int, int, int], None],
) -> list[TaskState]:
    """Run every task; tell is called with the sums over all of (source bytes, documents, words)."""
    folders = [folder / f"task-{number:04d}" for number in range(len(runs))]
    if len(runs) == 1:
        return [run_task(runs[0], folders[0], options, tell)]
    context = multiprocessing.get_context("spawn")
    processes: list[Any] = []
    readers: dict[Connection, int] = {}
    try:
        for number, run in enumerate(runs):
            reader, writer = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(writer, run, folders[number], options), daemon=True)
            process.start()
            writer.close()
            processes.append(process)
            readers[reader] = number
        return _collect(processes, readers, tell)
    finally:
        for process in processes:
            if process.is_alive():
                process.terminate()
            process.join()


def _collect(
    processes: Sequence[Any], readers: dict[Connection, int], tell: Callable[[int, int, int], None]
) -> list[TaskState]:
    states: dict[int, TaskState] = {}
    progress = [(0, 0, 0)] * len(processes)
    while readers:
        for reader in wait(list(readers)):
            assert isinstance(reader, Connection)
            number = readers[reader]
            try:
                kind, value = reader.recv()
            except EOFError:
                del readers[reader]
                if number not in states:
                    processes[number].join()
                    raise CorverError(_death(processes[number].exitcode)) from None
                continue
            if kind == "error":
                raise value
            if kind == "done":
                states[number] = value
            else:
                progress[number] = value
                tell(*(sum(column) for column in zip(*progress, strict=True)))
    return [states[number] for number in range(len(processes))]


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return (
            f"a build process was ended by signal {-code} (9 is often a lack of memory); run the same command again "
            f"to go on, with a smaller --memory or fewer workers; this machine has {os.cpu_count()} cores"
        )
    return f"a build process ended with code {code}; run the same command again to go on where it stopped"
