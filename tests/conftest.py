"""Fixtures that several rooms share: a tiny language model, a tiny index, questions. Made once a session."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from loopback import Reply, Serve, Server

# A busy machine is slow at random; how long an example takes is no property of the code. The suite draws the same
# examples every time, so that it says something about the change under test; `make fuzz` draws new ones.
settings.register_profile("corver", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("corver")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a fitted model of two layers, with its tokenizer."""
    from tiny import save_model

    folder = tmp_path_factory.mktemp("tiny") / "model"
    save_model(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an index over six documents."""
    from tiny import save_index

    folder = tmp_path_factory.mktemp("tiny") / "index"
    save_index(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """JSONL of eight questions: five to train on, three held out."""
    from tiny import save_questions

    path = tmp_path_factory.mktemp("tiny") / "questions.jsonl"
    save_questions(path)
    return path


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers on the loopback address; they end with the test."""
    servers: list[Server] = []

    def start(answer: Reply) -> Server:
        servers.append(Server(answer))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
