"""A web server of the tests' own, on the loopback address: it answers as it is told and remembers what was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""

Reply = Callable[[dict[str, Any], int], Answer]
"""What came, and the how-manieth it is, to an answer."""


class Server(ThreadingHTTPServer):
    """Answers as it is told; `asked` holds every object that came."""

    daemon_threads = True

    def __init__(self, answer: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(content)
            self.server.headers.append(dict(self.headers))
            self.server.times.append(time.monotonic())
            number = len(self.server.asked)
        status, headers, body = self.server.answer(content, number)
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Tests are quiet."""


Serve = Callable[[Reply], Server]
