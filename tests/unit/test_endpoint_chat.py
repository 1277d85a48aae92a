"""The client of chat completions against a server that is slow, busy, broken, or tells little."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from chat_server import Sent, chat, chat_server
from corver.config import EndpointConfig
from corver.endpoint import ChatEndpoint, Reply, ReplyFailure
from corver.errors import ConfigError, DependencyError, EndpointError


def endpoint(url: str, **settings: Any) -> ChatEndpoint:
    return ChatEndpoint(EndpointConfig(base_url=url, model="m", **({"retries": 0, "timeout": 5.0} | settings)))


def said(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def ask(*texts: str) -> list[list[dict[str, str]]]:
    return [[{"role": "user", "content": text}] for text in texts]


def only(found: list[list[Reply | ReplyFailure]]) -> Reply | ReplyFailure:
    ((reply,),) = found
    return reply


def test_replies_come_in_the_order_of_the_conversations() -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        return Sent(chat(said(body).upper()).body, delay=0.05 if said(body) == "a" else 0.0)

    with chat_server(answer) as server:
        found = endpoint(server.url, concurrency=4).complete(ask(*"abcdef"), max_tokens=5)
    assert [[reply.text for reply in row if isinstance(reply, Reply)] for row in found] == [[c] for c in "ABCDEF"]
    assert found[0] == [Reply("A", "stop", 10, 3)]


def test_requests_run_side_by_side_up_to_the_limit() -> None:
    with chat_server(lambda body, number: Sent(chat("x").body, delay=0.05)) as server:
        endpoint(server.url, concurrency=3).complete(ask(*"abcdefghi"), max_tokens=5)
    assert server.busiest == 3


def test_what_is_asked_for_is_sent() -> None:
    with chat_server(lambda body, number: chat("x")) as server:
        one = endpoint(server.url, extra_body={"chat_template_kwargs": {"enable_thinking": False}})
        one.complete(ask("q"), max_tokens=7, temperature=0.7, top_p=0.9, seed=3, stop=["\n"])
        one.complete(ask("q"), max_tokens=7)
    full, plain = server.asked
    assert (full["max_tokens"], full["temperature"], full["top_p"], full["seed"], full["stop"]) == (
        7,
        0.7,
        0.9,
        3,
        ["\n"],
    )
    assert full["chat_template_kwargs"] == {"enable_thinking": False}
    assert plain["temperature"] == 0
    assert not {"seed", "stop", "n", "top_p"} & set(plain)


def test_several_samples_are_one_request() -> None:
    with chat_server(lambda body, number: chat(*"xyz"[: body["n"]])) as server:
        one = endpoint(server.url)
        (row,) = one.complete(ask("q"), max_tokens=5, samples=3)
    assert [reply.text for reply in row if isinstance(reply, Reply)] == ["x", "y", "z"]
    assert (len(server.asked), one.usage.output_tokens) == (1, 9)
    assert row[0] == Reply("x", "stop", 10, None)  # the server tells the sum only


def test_a_server_that_ignores_the_number_is_asked_again() -> None:
    with chat_server(lambda body, number: chat(f"r{number}")) as server:
        (row,) = endpoint(server.url).complete(ask("q"), max_tokens=5, samples=3, seed=10)
    assert [reply.text for reply in row if isinstance(reply, Reply)] == ["r1", "r2", "r3"]
    assert [body["seed"] for body in server.asked] == [10, 11, 12]


def test_a_server_that_gives_too_much_is_cut() -> None:
    with chat_server(lambda body, number: chat("a", "b", "c")) as server:
        (row,) = endpoint(server.url).complete(ask("q"), max_tokens=5, samples=2)
    assert len(row) == 2


@pytest.mark.parametrize(
    ("sent", "reason", "words"),
    [
        (Sent({"error": {"message": "slow down"}}, 429), "rate_limit", "429: slow down"),
        (Sent({"error": {"message": "out of\nmemory"}}, 500), "status", "500: out of memory"),
        (Sent({"detail": "Not Found"}, 404), "status", "404: Not Found"),
        (Sent(b"<html>bad gateway</html>", 502, {"Content-Type": "text/html"}), "status", "502"),
        (Sent(b'{"choices": [', 200), "malformed", "no chat completion"),
        (Sent(b"", 200), "malformed", "no chat completion"),
        (Sent(b"<html></html>", 200, {"Content-Type": "text/html"}), "malformed", "no chat completion"),
        (Sent({"choices": ["text"]}), "malformed", "choices.0"),
        (Sent({"choices": [{"message": {"content": ["text"]}}]}), "malformed", "choices.0.message.content"),
        (Sent(b"[" * 5000), "malformed", "no chat completion"),
        (Sent({"choices": []}), "empty", "no choice"),
        (Sent({}), "malformed", "choices"),
        (Sent({"error": {"message": "the model is loading"}}), "malformed", "choices"),
    ],
)
def test_one_failure_spoils_no_other(sent: Sent, reason: str, words: str) -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        return sent if said(body) == "bad" else chat("fine")

    with chat_server(answer) as server:
        one = endpoint(server.url)
        good, bad, last = one.complete(ask("good", "bad", "last"), max_tokens=5, samples=1)
    assert good == last == [Reply("fine", "stop", 10, 3)]
    (failure,) = bad
    assert isinstance(failure, ReplyFailure)
    assert failure.reason == reason
    assert words in failure.detail
    assert "\n" not in failure.detail
    assert (one.usage.requests, one.usage.failures, one.usage.input_tokens) == (3, 1, 20)


def test_all_samples_of_a_failed_conversation_failed() -> None:
    with chat_server(lambda body, number: Sent({}, 500)) as server:
        (row,) = endpoint(server.url).complete(ask("q"), max_tokens=5, samples=4)
    assert [reply.reason for reply in row if isinstance(reply, ReplyFailure)] == ["status"] * 4


def test_a_busy_server_is_asked_again() -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        return Sent({}, 429, {"retry-after-ms": "1"}) if number == 1 else Sent({}, 503) if number == 2 else chat("fine")

    with chat_server(answer) as server:
        found = endpoint(server.url, retries=2).complete(ask("q"), max_tokens=5)
    assert found == [[Reply("fine", "stop", 10, 3)]]


def test_a_silent_server_is_given_up() -> None:
    with chat_server(lambda body, number: Sent(chat("late").body, delay=3.0)) as server:
        started = time.monotonic()
        failure = only(endpoint(server.url, timeout=0.2).complete(ask("q"), max_tokens=5))
    assert failure == ReplyFailure("timeout", "no answer within 0.2 s")
    assert time.monotonic() - started < 2.0


def test_a_server_that_drips_is_given_up() -> None:
    with chat_server(lambda body, number: Sent(chat("late").body, drops=0.05)) as server:
        started = time.monotonic()
        failure = only(endpoint(server.url, timeout=0.2).complete(ask("q"), max_tokens=5))
    assert isinstance(failure, ReplyFailure)
    assert failure.reason == "timeout"
    assert time.monotonic() - started < 2.0


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        one = endpoint(url)
        failure = only(one.complete(ask("q"), max_tokens=5))
        assert isinstance(failure, ReplyFailure)
        assert failure.reason == "connection"
        with pytest.raises(EndpointError, match=r"127\.0\.0\.1.*cannot connect"):
            one.check()


def test_usage_that_the_server_does_not_tell() -> None:
    with chat_server(lambda body, number: chat("x", usage=None if number == 1 else {"prompt_tokens": None})) as server:
        one = endpoint(server.url, input_price=1.0, output_price=2.0)
        assert only(one.complete(ask("q"), max_tokens=5)) == Reply("x", "stop", None, None)
        one.complete(ask("q"), max_tokens=5)
    assert (one.usage.requests, one.usage.unmetered, one.usage.input_tokens) == (2, 2, 0)


def test_the_cost_is_that_of_the_tokens() -> None:
    with chat_server(lambda body, number: chat("x")) as server:
        priced = endpoint(server.url, input_price=2.0, output_price=8.0)
        priced.complete(ask("a", "b"), max_tokens=5)
        free = endpoint(server.url)
        free.complete(ask("a"), max_tokens=5)
    assert priced.usage.cost == pytest.approx((20 * 2 + 6 * 8) / 1e6)
    assert free.usage.cost is None


@pytest.mark.parametrize("text", ["Łódź 東京 🤣 e\u0301", "half \ud83e of a pair", ""])
def test_any_text_can_be_sent_and_comes_back(text: str) -> None:
    with chat_server(lambda body, number: chat(said(body))) as server:
        reply = only(endpoint(server.url).complete(ask(text), max_tokens=5))
    assert isinstance(reply, Reply)
    assert reply.text == text.replace("\ud83e", "?")


def test_a_reply_may_be_empty_or_cut_off_or_a_refusal() -> None:
    refusal = chat(None)
    refusal.body["choices"][0]["message"]["refusal"] = "I can't."
    answers = [chat("", finish="length"), chat(None, finish="length"), refusal]
    with chat_server(lambda body, number: answers[int(said(body))]) as server:
        found = endpoint(server.url).complete(ask("0", "1", "2"), max_tokens=5)
    assert [(reply.text, reply.finish) for (reply,) in found if isinstance(reply, Reply)] == [
        ("", "length"), ("", "length"), ("I can't.", "stop")]  # fmt: skip


def test_newer_models_know_the_limit_by_another_name() -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return chat("fine") if "max_completion_tokens" in body else Sent({"error": {"message": words}}, 400)

    with chat_server(answer) as server:
        one = endpoint(server.url)
        assert isinstance(only(one.complete(ask("q"), max_tokens=5)), Reply)
        assert isinstance(only(one.complete(ask("q"), max_tokens=5)), Reply)
    assert [("max_tokens" in body) for body in server.asked] == [True, False, False]


def test_works_where_an_event_loop_runs() -> None:
    async def notebook(url: str) -> Reply | ReplyFailure:
        return only(endpoint(url).complete(ask("q"), max_tokens=5))

    with chat_server(lambda body, number: chat("fine")) as server:
        assert asyncio.run(notebook(server.url)) == Reply("fine", "stop", 10, 3)


# -- keys --------------------------------------------------------------------------------------------------------------


def test_the_key_comes_from_its_file_and_is_told_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-secret\n")
    answers = [chat("x"), Sent({"error": {"message": "Incorrect API key provided: sk-secret"}}, 401)]
    with chat_server(lambda body, number: answers[number - 1]) as server:
        one = endpoint(server.url, api_key_file=tmp_path / "key")
        one.complete(ask("q"), max_tokens=5)
        failure = only(one.complete(ask("q"), max_tokens=5))
    assert server.headers[0]["authorization"] == "Bearer sk-secret"
    assert failure == ReplyFailure("status", "401: Incorrect API key provided: ***")
    assert "sk-secret" not in repr(one) + repr(one.config) + one.config.model_dump_json()


def test_keys_of_other_services_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-service")
    with chat_server(lambda body, number: chat("x")) as server:
        endpoint(server.url).complete(ask("q"), max_tokens=5)
    assert "of-another-service" not in str(server.headers)


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe", b"one\nother"])
def test_a_bad_key_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(ConfigError, match="key of the endpoint") as caught:
        endpoint("http://localhost/v1", api_key_file=tmp_path / "key")
    assert str(tmp_path / "key") in str(caught.value)
    assert "two words" not in str(caught.value)


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none: cannot read the key .*: No such file"):
        endpoint("http://localhost/v1", api_key_file=tmp_path / "none")


# -- check -------------------------------------------------------------------------------------------------------------


def test_check_is_content_with_a_server_of_the_model() -> None:
    with chat_server(lambda body, number: chat("x")) as server:
        endpoint(server.url).check()
    assert not server.asked


@pytest.mark.parametrize("models", [Sent({"data": [{"id": "other"}]}), Sent({"data": []})])
def test_check_finds_that_the_model_is_not_served(models: Sent) -> None:
    found = r"serves no model 'm', but (other|none)"
    with (
        chat_server(lambda body, number: chat("x"), models=models) as server,
        pytest.raises(EndpointError, match=found) as caught,
    ):
        endpoint(server.url).check()
    assert server.url in str(caught.value)


def test_check_asks_one_token_where_models_are_not_listed() -> None:
    with chat_server(lambda body, number: chat("x"), models=Sent({}, 404)) as server:
        endpoint(server.url).check()
    assert [body["max_tokens"] for body in server.asked] == [1]


def test_check_says_what_the_server_says() -> None:
    with chat_server(lambda body, number: chat("x"), models=Sent({"error": {"message": "no key"}}, 401)) as server:
        with pytest.raises(EndpointError, match="401: no key"):
            endpoint(server.url).check()
        with pytest.raises(EndpointError, match=r"404.*usually end in /v1"):
            endpoint(server.url.removesuffix("/v1")).check()


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://host/v1", "http://", "http://user:pw@host/v1", "http://host/v1?key=k", "http://h:x/"],
)
def test_a_wrong_address_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="address"):
        EndpointConfig(base_url=url, model="m")


def test_senseless_numbers_are_refused() -> None:
    one = endpoint("http://localhost/v1")
    for wrong in ({"samples": 0, "max_tokens": 5}, {"max_tokens": 0}):
        with pytest.raises(ValueError, match="1 or more"):
            one.complete(ask("q"), **wrong)


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(DependencyError, match=r"corver\[endpoint\]"):
        endpoint("http://localhost/v1")
