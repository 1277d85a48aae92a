"""Several processes on this machine that find each other, as torch's launcher starts them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TESTS = Path(__file__).parent


def launch(
    words: Sequence[str], *, world: int, folder: Path | None = None, limit: float = 300
) -> list[tuple[int, str, str]]:
    """Run `python WORDS` in `world` processes; exit status, standard output and standard error of each."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    common = os.environ | {
        "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "WORLD_SIZE": str(world), "GLOO_SOCKET_IFNAME": "lo", "ACCELERATE_USE_CPU": "true",
    }  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, *words],
            env=common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
        )
        for rank in range(world)
    ]
    try:
        said = [process.communicate(timeout=limit) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(process.returncode, *texts) for process, texts in zip(processes, said, strict=True)]
