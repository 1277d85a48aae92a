"""A patient client of one JSON endpoint: POST an object, get an object, however busy the server is.

In: an address and an object. Out: the answered object, or LookupFailedError in one line. It tries again with
exponential back-off and jitter where that may help, waits as long as the server asks, keeps to a rate, and bounds
attempts, time and size. Messages name the address without user, password and query string, and never a header. This
module knows no service.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from corver.errors import LookupFailedError, UsageError
from corver.index.cnf import RefusedError

__all__ = ["JsonClient", "Patience"]

_MOST_BYTES = 1 << 20
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Patience:
    """How a server is treated.

    attempts: tries of one request. timeout: seconds for one try. first_wait, longest_wait: seconds before the second
    try, doubled each time up to the longest; a server that asks for longer is given up. per_second: requests started
    a second, by all threads together. pause: seconds in which nothing is asked after all tries of a request failed and
    no other request succeeded meanwhile.
    """

    attempts: int = 5
    timeout: float = 30.0
    first_wait: float = 0.5
    longest_wait: float = 30.0
    per_second: float = 10.0
    pause: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"{self.attempts} attempts make no sense; it must be 1 or more")
        if not (self.timeout > 0 and self.per_second > 0):
            raise UsageError("timeout and per_second must be greater than 0")
        if not (0 <= self.first_wait <= self.longest_wait and self.pause >= 0):
            raise UsageError("waits must not be negative, and the first not longer than the longest")


class _TransientError(LookupFailedError):
    """Trying again may help. wait: seconds that the server asked for."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET without its object."""

    def redirect_request(self, *_: Any) -> None:
        return None


class JsonClient:
    """Posts objects to one address, from any number of threads. headers: sent along, for a server that wants a key."""

    def __init__(self, url: str, *, headers: Mapping[str, str] | None = None, patience: Patience | None = None) -> None:
        self.name = _public_name(url)
        self._url = url
        self._headers = {"User-Agent": "corver", **(headers or {}), "Content-Type": "application/json"}
        self._patience = patience or Patience()
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._random = random.Random()
        self._lock = threading.Lock()
        self._next_start = self._resting_until = 0.0
        self._last_success = -1.0

    def post(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to an object. Raises RefusedError when the server says no, else LookupFailedError."""
        patience, began = self._patience, time.monotonic()
        if began < self._resting_until:
            raise LookupFailedError(f"{self.name} does not answer; it is asked again after a pause")
        body = json.dumps(content).encode()
        for attempt in range(1, patience.attempts + 1):
            self._wait_for_turn()
            try:
                answer = self._once(body)
            except _TransientError as error:
                wait = self._wait(attempt) if error.wait is None else error.wait
                if attempt == patience.attempts or wait > patience.longest_wait:
                    self._rest(began)
                    raise LookupFailedError(f"{self.name}: {error} ({_times(attempt)})") from None
                time.sleep(wait)
            else:
                self._last_success = time.monotonic()
                return answer
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _wait(self, attempt: int) -> float:
        """Half of the back-off for certain, the other half by chance, so that threads do not come back together."""
        longest = min(self._patience.longest_wait, self._patience.first_wait * 2.0 ** (attempt - 1))
        return longest * self._random.uniform(0.5, 1.0)

    def _wait_for_turn(self) -> None:
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            self._next_start = start + 1.0 / self._patience.per_second
        time.sleep(max(0.0, start - time.monotonic()))

    def _rest(self, began: float) -> None:
        """Ask nothing for a while, unless the server answered somebody since this request began."""
        if self._last_success < began:
            self._resting_until = time.monotonic() + self._patience.pause

    def _once(self, body: bytes) -> dict[str, Any]:
        request = urllib.request.Request(self._url, data=body, headers=self._headers, method="POST")  # noqa: S310
        deadline = time.monotonic() + self._patience.timeout
        try:
            with self._opener.open(request, timeout=self._patience.timeout) as response:
                raw = _read(response, deadline)
        except urllib.error.HTTPError as error:
            raise self._refusal(error, deadline) from None
        except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise _TransientError(_why(error)) from None
        return _object(raw)

    def _refusal(self, error: urllib.error.HTTPError, deadline: float) -> LookupFailedError:
        """What a status above 299 means: try again, or never."""
        with error:
            try:
                answer = _object(_read(error, deadline))
            except (LookupFailedError, http.client.HTTPException, OSError):
                answer = {}
        said = " ".join(str(answer.get("error", error.reason)).split())[:200]
        if error.code in (408, 425, 429) or error.code >= 500:
            return _TransientError(f"status {error.code}, {said}", _retry_after(error.headers.get("Retry-After")))
        return RefusedError(f"{self.name}: status {error.code}, {said}")


def _public_name(url: str) -> str:
    """An address as messages may show it. Raises UsageError, which does not quote it, when it is none."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise UsageError("the address is not a URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or any(each <= " " for each in url):
        raise UsageError("the address must begin with http:// or https:// and name a host, without blanks")
    if "@" in parts.netloc:
        raise UsageError("user and password belong into a header, not into the address")
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _read(response: Any, deadline: float) -> bytes:
    """The whole body, within time and size. response: an HTTPResponse, or the HTTPError around one."""
    raw = b""
    response = response.fp if isinstance(response, urllib.error.HTTPError) else response
    while chunk := response.read1(_CHUNK):  # gives what is there, so that a dripping server meets the deadline
        raw += chunk
        if len(raw) > _MOST_BYTES:
            raise _TransientError(f"an answer of more than {_MOST_BYTES >> 20} MiB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return raw


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        raise _TransientError(f"an answer that is no JSON: {raw[:40]!r}") from None
    if not isinstance(answer, dict):
        raise _TransientError(f"an answer that is no JSON object: {raw[:40]!r}")
    return answer


def _retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or a date; None when it holds neither."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _why(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return " ".join(str(reason).split())[:200] or type(reason).__name__


def _times(attempts: int) -> str:
    return "asked once" if attempts == 1 else f"asked {attempts} times"
