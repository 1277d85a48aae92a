"""A server of chat completions on the loopback address, for tests: it answers as it is told and keeps what was asked.

`answer` gets the request's body and its number (from 1) and returns a `Sent`. Any client of the protocol can use it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Sent:
    """One answer of the server. drops: seconds between single bytes of the body."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drops: float = 0.0


def chat(*texts: str | None, finish: str = "stop", usage: dict[str, Any] | str | None = "counted") -> Sent:
    """A completion with one choice a text, as servers write it."""
    choices = [
        {"index": number, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
        for number, text in enumerate(texts)
    ]
    row: dict[str, Any] = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    if usage == "counted":
        row["usage"] = {"prompt_tokens": 10, "completion_tokens": 3 * len(texts), "total_tokens": 10 + 3 * len(texts)}
    elif usage is not None:
        row["usage"] = usage
    return Sent(row)


Answer = Callable[[dict[str, Any], int], Sent]


class ChatServer(ThreadingHTTPServer):
    """`url` is the base address for clients; `asked` holds the requests' bodies, `headers` theirs, in lower case."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer: Answer, models: Sent) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.models = models
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.busy = self.busiest = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(self.server.models if self.path == "/v1/models" else Sent({"error": "no such page"}, 404))

    def do_POST(self) -> None:
        server, body = self.server, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            return self._send(Sent({"detail": "Not Found"}, 404))
        with server.lock:
            server.asked.append(body)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            number = len(server.asked)
            server.busy += 1
            server.busiest = max(server.busiest, server.busy)
        try:
            return self._send(server.answer(body, number))
        finally:
            with server.lock:
                server.busy -= 1

    def _send(self, sent: Sent) -> None:
        time.sleep(sent.delay)
        body = sent.body if isinstance(sent.body, bytes) else json.dumps(sent.body).encode()
        try:
            self.send_response(sent.status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body))} | sent.headers
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            for part in [body[i : i + 1] for i in range(len(body))] if sent.drops else [body]:
                self.wfile.write(part)
                self.wfile.flush()
                time.sleep(sent.drops)
        except OSError:
            pass  # The client has given up, as some tests want it.

    def log_message(self, *_: Any) -> None:
        """Tests are quiet."""


@contextmanager
def chat_server(answer: Answer, *, models: Sent | None = None) -> Iterator[ChatServer]:
    """A running server that ends with the block; it serves a model named `m` unless told otherwise."""
    server = ChatServer(answer, models or Sent({"object": "list", "data": [{"id": "m", "object": "model"}]}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
