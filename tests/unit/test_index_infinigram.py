"""Counting with an index of infini-gram's: shapes, errors, sampling, and a server that is slow, broken or busy."""

from __future__ import annotations

import contextlib
import email.utils
import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from corver.errors import DependencyError, IndexFormatError, LookupFailedError, UsageError
from corver.index.cnf import _Memory, as_written, cased
from corver.index.infinigram import API_URL, InfinigramEngineCounter, InfinigramWebCounter
from corver.index.web import JsonClient, Patience
from corver.reward.scorer import APPROXIMATE, Scorer
from corver.types import AnyOf, Count, Counter, Phrase, Status
from loopback import Answer, Handler, Serve, Server

WORDS = {word: number for number, word in enumerate(["marie", "curie", "warsaw", "new", "york", "the"], start=1)}
FAST = Patience(attempts=4, timeout=2.0, first_wait=0.001, longest_wait=0.05, per_second=10_000, pause=0.05)


def encode(text: str) -> list[int]:
    """Word ids; nothing for a text with a word that is not in the vocabulary."""
    ids = [WORDS.get(word, 0) for word in text.split()]
    return ids if all(ids) else []


class FakeEngine:
    """Frequencies by term and shard, one answer for all conjunctions, and what was asked."""

    def __init__(self, frequencies: dict[tuple[int, ...], list[int]], together: Any) -> None:
        self.frequencies, self.together = frequencies, together
        self.asked: list[dict[str, Any]] = []

    def find(self, input_ids: list[int]) -> Any:
        shards = self.frequencies.get(tuple(input_ids), [0, 0])
        return {"cnt": sum(shards), "segment_by_shard": [(100, 100 + size) for size in shards]}

    def count_cnf(self, **question: Any) -> Any:
        self.asked.append(question)
        return self.together


def engine_counter(engine: FakeEngine, **options: Any) -> InfinigramEngineCounter:
    return InfinigramEngineCounter(engine, name="tiny", encode=encode, threads=1, **options)


def three_words(together: Any) -> FakeEngine:
    return FakeEngine({(1,): [5, 5], (2,): [3, 3], (3,): [50, 50]}, together)


# -- the engine on this machine ----------------------------------------------------------------------------------------


def test_a_conjunction_is_asked_with_the_window_and_without_sampling() -> None:
    engine = three_words({"count": 7, "approx": False})
    counter = engine_counter(engine)
    assert isinstance(counter, Counter)
    assert counter.count_many([["warsaw", "marie", "curie"]], window=300) == [Count(7, False, "curie")]
    assert engine.asked == [{"cnf": [[[2]], [[1]], [[3]]], "max_clause_freq": 1 << 40, "max_diff_tokens": 300}]


def test_the_order_of_clauses_and_asking_again_change_nothing() -> None:
    engine = three_words({"count": 7, "approx": False})
    counter = engine_counter(engine)
    queries = [["marie", "curie"], ["curie", "marie"], ["marie", "curie", "marie"]]
    assert counter.count_many(queries) == [Count(7, False, "curie")] * 3
    assert len(engine.asked) == 1


@pytest.mark.parametrize(("cap", "expected"), [(None, (7, False)), (7, (7, True)), (5, (5, True)), (8, (7, False))])
def test_a_cap_cuts_and_says_so(cap: int | None, expected: tuple[int, bool]) -> None:
    counter = engine_counter(three_words({"count": 7, "approx": False}))
    (count,) = counter.count_many([["marie", "curie"]], cap=cap)
    assert (count.value, count.capped) == expected


def test_one_clause_counts_its_positions() -> None:
    counter = engine_counter(three_words(None))
    assert counter.count_many([["warsaw"], ["curie", "curie"]]) == [
        Count(100, False, "warsaw"),
        Count(6, False, "curie"),
    ]


def test_phrases_and_alternatives_become_terms() -> None:
    engine = FakeEngine({(4, 5): [2, 2], (3,): [9, 9], (1,): [1, 1], (1, 2): [1, 0]}, {"count": 1, "approx": False})
    counter = engine_counter(engine)
    clause = AnyOf(("warsaw", Phrase(("new", "york")), "marie curie", "marie"))
    assert counter.count_many([[clause]]) == [Count(24, False, "marie | marie curie | new york | warsaw")]
    counter.count_many([["new york", clause]])
    # "marie curie" stands only where "marie" does.
    assert engine.asked[0]["cnf"] == [[[1], [4, 5], [3]], [[4, 5]]]


def test_a_word_that_the_index_cannot_hold_is_an_exact_zero() -> None:
    engine = three_words({"count": 7, "approx": False})
    assert engine_counter(engine).count_many([["marie", "skłodowska"]]) == [Count(0, False, "skłodowska")]
    assert engine.asked == []


@pytest.mark.parametrize(
    ("limit", "flagged", "approx"),
    [(100, False, False), (99, False, True), (40, True, True), (1000, True, True), (None, False, False)],
)
def test_a_sample_is_never_silent(limit: int | None, flagged: bool, approx: bool) -> None:
    # 50 positions in each of two shards: above half of the limit each is sampled, flagged or not.
    counter = engine_counter(three_words({"count": 3, "approx": flagged}), max_clause_freq=limit)
    assert counter.count_many([["marie", "warsaw"]]) == [Count(3, False, "marie", approx)]
    assert counter.count_many([["warsaw"]]) == [Count(100, False, "warsaw")]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"error": "cnf must be\na list"}, "infini-gram: cnf must be a list"),
        ({"approx": False}, "no usable 'count'"),
        ({"count": -1, "approx": False}, "no usable 'count'"),
        ({"count": 1.5, "approx": False}, "no usable 'count'"),
        ({"count": True, "approx": False}, "no usable 'count'"),
        ({"count": 1, "approx": "no"}, "no usable 'count'"),
        ([7], "answered with list"),
        (None, "answered with NoneType"),
    ],
)
def test_an_answer_that_is_no_count_fails_in_one_line(answer: Any, message: str) -> None:
    with pytest.raises(LookupFailedError, match=message) as caught:
        engine_counter(three_words(answer)).count_many([["marie", "curie"]])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ([], {}, "at least one clause"),
        ([" "], {}, "no word"),
        ([AnyOf(())], {}, "at least one alternative"),
        ("marie", {}, "put it into a list"),
        (["marie"], {"window": 0}, "window of 0"),
        (["marie"], {"cap": 0}, "cap of 0"),
    ],
)
def test_wrong_use_is_told(query: Any, options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engine_counter(three_words(None)).count_many([query], **options)


def test_wrong_settings_are_told() -> None:
    with pytest.raises(UsageError, match="max_clause_freq"):
        engine_counter(three_words(None), max_clause_freq=0)
    with pytest.raises(UsageError, match="threads"):
        InfinigramEngineCounter(three_words(None), name="tiny", encode=encode, threads=-1)


def test_an_approximate_zero_is_no_penalty() -> None:
    def scored(together: dict[str, Any]) -> Any:
        scorer = Scorer(index=engine_counter(three_words(together)))
        return scorer.score("Marie Curie was born in Warsaw.").sentences[0]

    exact, estimated = scored({"count": 0, "approx": False}), scored({"count": 0, "approx": True})
    assert (exact.status, exact.reward) == (Status.UNSUPPORTED, -0.3)
    assert (estimated.status, estimated.reason) == (Status.FAILED, APPROXIMATE)
    assert math.isnan(estimated.reward)


def test_the_fingerprint_follows_what_counts_depend_on() -> None:
    engine = three_words(None)
    plain = engine_counter(engine).fingerprint()
    assert plain == engine_counter(engine).fingerprint()
    others = [
        engine_counter(engine, max_clause_freq=10),
        engine_counter(engine, spellings=cased),
        InfinigramEngineCounter(engine, name="other", encode=encode),
        InfinigramEngineCounter(engine, name="tiny", encode=lambda text: [len(text)]),
    ]
    assert len({plain, *(counter.fingerprint() for counter in others)}) == 5


def test_only_a_folder_with_all_files_is_opened(tmp_path: Path) -> None:
    def opened(folder: Path, eos: int = 0) -> InfinigramEngineCounter:
        return InfinigramEngineCounter.open(folder, eos_token_id=eos, encode=encode)

    with pytest.raises(IndexFormatError, match="is no folder"):
        opened(tmp_path / "missing")
    (tmp_path / "tokenized.0").write_bytes(b"\0\0")
    (tmp_path / "table.0").write_bytes(b"\0")
    with pytest.raises(IndexFormatError, match="1 tokenized, 1 table, 0 offset"):
        opened(tmp_path)
    with pytest.raises(UsageError, match="eos_token_id"):
        opened(tmp_path, eos=70_000)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("tokenized", "table", "offset"):
        (tmp_path / f"{kind}.0").write_bytes(b"\0")

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("corver.index.infinigram.import_module", missing)
    with pytest.raises(DependencyError, match=r"corver\[infinigram\]"):
        InfinigramEngineCounter.open(tmp_path, eos_token_id=0, encode=encode)


def test_spellings() -> None:
    assert list(as_written("marie curie")) == ["marie curie"]
    assert list(cased("marie curie")) == ["marie curie", "Marie Curie", "MARIE CURIE"]
    assert list(cased("McDonald")) == ["McDonald", "mcdonald", "MCDONALD"]
    assert list(cased("1867")) == ["1867"]


# -- the web API -------------------------------------------------------------------------------------------------------


def good(count: int, approx: bool = False) -> Answer:
    return 200, {}, json.dumps({"count": count, "approx": approx, "latency": 0.5, "tokens": []}).encode()


def error(status: int, message: str = "broken", **headers: str) -> Answer:
    return (
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
        json.dumps({"error": message}).encode(),
    )


def first(*answers: Answer) -> Callable[[dict[str, Any], int], Answer]:
    """The given answers in turn, the last one for ever."""
    return lambda _, number: answers[min(number, len(answers)) - 1]


def web(server: Server, **options: Any) -> InfinigramWebCounter:
    options = {"patience": FAST, "spellings": as_written, "threads": 1, **options}
    return InfinigramWebCounter("tiny", url=server.url, **options)


def test_the_documented_request_with_text(serve: Serve) -> None:
    server = serve(lambda asked, _: good({"marie": 50, "curie": 6}.get(asked["query"], 4)))
    assert web(server).count_many([["marie", "curie"]], window=800) == [Count(4, False, "curie")]
    assert server.asked == [
        {"index": "tiny", "query_type": "count", "query": "curie"},
        {"index": "tiny", "query_type": "count", "query": "marie"},
        {
            "index": "tiny",
            "query_type": "count",
            "query": "curie AND marie",
            "max_clause_freq": 500_000,
            "max_diff_tokens": 800,
        },
    ]
    assert {headers["Content-Type"] for headers in server.headers} == {"application/json"}


def test_the_documented_request_with_token_ids(serve: Serve) -> None:
    server = serve(lambda asked, _: good(9))
    web(server, encode=encode, max_clause_freq=100).count_many([[AnyOf(("marie", "curie")), "new york"]])
    assert [asked["query_ids"] for asked in server.asked] == [[[[2], [1]]], [4, 5], [[[2], [1]], [[4, 5]]]]
    assert [asked.get("max_clause_freq") for asked in server.asked] == [100, None, 100]
    assert [asked.get("max_diff_tokens") for asked in server.asked] == [None, None, 1000]


def test_text_of_a_query_is_no_operator(serve: Serve) -> None:
    server = serve(lambda asked, _: good(9))
    counter = web(server, spellings=cased)
    counter.count_many([["portland or", "marie"]])
    sent = server.asked[-1]["query"]
    assert sent == "marie OR Marie OR MARIE AND portland or OR Portland Or"
    with pytest.raises(LookupFailedError, match="operator"):
        web(server).count_many([["Portland OR", "marie"]])


def test_words_are_asked_for_once(serve: Serve) -> None:
    server = serve(lambda asked, _: good(9))
    counter = web(server)
    counter.count_many([["marie", "curie"], ["marie", "warsaw"], ["curie", "marie"]])
    assert [asked["query"] for asked in server.asked] == [
        "curie", "marie", "curie AND marie", "warsaw", "marie AND warsaw",
    ]  # fmt: skip


def test_a_missing_word_needs_no_conjunction(serve: Serve) -> None:
    server = serve(lambda asked, _: good(0 if asked["query"] == "curie" else 9))
    assert web(server).count_many([["marie", "curie"]]) == [Count(0, False, "curie")]
    assert len(server.asked) == 2


def test_approx_is_carried_and_doubtful_counts_get_it(serve: Serve) -> None:
    flagged = serve(lambda asked, _: good(0 if "AND" in asked["query"] else 9, approx="AND" in asked["query"]))
    assert web(flagged).count_many([["marie", "curie"]]) == [Count(0, False, "curie", approx=True)]
    frequent = serve(lambda asked, _: good(300_000 if asked["query"] == "the" else 2))
    assert web(frequent).count_many([["marie", "the"], ["the"]]) == [
        Count(2, False, "marie", approx=True),
        Count(300_000, False, "the"),
    ]


@pytest.mark.parametrize(
    "trouble",
    [error(500), error(503), error(429), error(408), (200, {}, b"<html>"), (200, {}, b"[1]"), (502, {}, b"")],
    ids=["500", "503", "429", "408", "html", "list", "bare 502"],
)
def test_what_may_pass_is_tried_again(serve: Serve, trouble: Answer) -> None:
    server = serve(first(trouble, trouble, good(3)))
    assert web(server).count_many([["marie"]]) == [Count(3, False, "marie")]
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_a_final_refusal_is_asked_once_and_remembered(serve: Serve, status: int) -> None:
    server = serve(lambda asked, _: error(status, "Invalid\n index") if asked["query"] == "marie" else good(2))
    counter = web(server)
    with pytest.raises(LookupFailedError, match=f"status {status}, Invalid index") as caught:
        counter.count_many([["marie"], ["curie"]])
    assert "\n" not in str(caught.value)
    assert counter.count_many([["curie"]]) == [Count(2, False, "curie")]
    with pytest.raises(LookupFailedError, match="Invalid index"):
        counter.count_many([["marie"]])
    assert [asked["query"] for asked in server.asked] == ["marie", "curie"]


def test_an_error_in_a_good_answer_is_final(serve: Serve) -> None:
    server = serve(first((200, {}, json.dumps({"error": "at most 4 clauses"}).encode())))
    with pytest.raises(LookupFailedError, match="at most 4 clauses"):
        web(server).count_many([["marie"]])
    assert len(server.asked) == 1


def test_attempts_are_bounded(serve: Serve) -> None:
    server = serve(first(error(500, "out of order")))
    with pytest.raises(LookupFailedError, match=r"status 500, out of order \(asked 4 times\)"):
        web(server).count_many([["marie"]])
    assert len(server.asked) == 4


@pytest.mark.parametrize("pause", [60.0, 0.0])
def test_a_server_that_is_down_gets_a_rest(serve: Serve, pause: float) -> None:
    server = serve(first(error(500), error(500), good(3)))
    counter = web(server, patience=Patience(attempts=2, first_wait=0, per_second=10_000, pause=pause))
    with pytest.raises(LookupFailedError, match="asked 2 times"):
        counter.count_many([["marie"]])
    if pause:
        with pytest.raises(LookupFailedError, match="asked again after a pause"):
            counter.count_many([["curie"]])
        assert len(server.asked) == 2
    else:
        assert counter.count_many([["curie"]]) == [Count(3, False, "curie")]


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_kept(serve: Serve, as_date: bool) -> None:
    # A date has whole seconds, so it may name a moment just gone.
    value = email.utils.formatdate(time.time() + 2, usegmt=True) if as_date else "1"
    server = serve(first(error(429, Retry_After=value), good(3)))
    patience = Patience(timeout=5, first_wait=0, longest_wait=5, per_second=1000)
    assert web(server, patience=patience).count_many([["marie"]]) == [Count(3, False, "marie")]
    assert server.times[1] - server.times[0] > 0.9


def test_a_wait_that_is_too_long_is_given_up(serve: Serve) -> None:
    server = serve(first(error(503, "later", Retry_After="3600"), good(3)))
    with pytest.raises(LookupFailedError, match=r"status 503, later \(asked once\)"):
        web(server).count_many([["marie"]])


SHORT = Patience(attempts=2, timeout=0.1, first_wait=0, longest_wait=0, per_second=1000, pause=0)


def test_a_silent_server_runs_out_of_time(serve: Serve) -> None:
    def silent(asked: dict[str, Any], _: int) -> Answer:
        time.sleep(0.3)
        return good(3)

    with pytest.raises(LookupFailedError, match=r"no answer in time \(asked 2 times"):
        web(serve(silent), patience=SHORT).count_many([["marie"]])


@pytest.mark.parametrize(("status", "message"), [(200, "no answer in time"), (500, "status 500")])
def test_a_dripping_server_runs_out_of_time(serve: Serve, status: int, message: str) -> None:
    class Dripping(Handler):
        def do_POST(self) -> None:  # noqa: N802
            self.send_response(status)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(1000):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.02)

    server = serve(first(good(3)))
    server.RequestHandlerClass = Dripping
    began = time.monotonic()
    with pytest.raises(LookupFailedError, match=message):
        web(server, patience=SHORT).count_many([["marie"]])
    assert time.monotonic() - began < 15


def test_nobody_listens() -> None:
    server = Server(first(good(3)))
    server.server_close()
    with pytest.raises(LookupFailedError, match="refused"):
        web(server).count_many([["marie"]])


def test_an_endless_answer_is_cut(serve: Serve) -> None:
    server = serve(first((200, {}, b'{"count": 1, "tokens": "' + b"x" * (2 << 20) + b'"}')))
    with pytest.raises(LookupFailedError, match="more than 1 MiB"):
        web(server).count_many([["marie"]])


def test_the_rate_is_kept_by_all_threads_together(serve: Serve) -> None:
    server = serve(first(good(3)))
    began = time.monotonic()
    web(server, patience=Patience(per_second=50), threads=4).count_many([[f"w{n}"] for n in range(11)])
    assert len(server.times) == 11
    assert max(server.times) - began >= 10 / 50


def test_requests_run_side_by_side_up_to_the_bound(serve: Serve) -> None:
    at_work, most, lock, three = 0, 0, threading.Lock(), threading.Barrier(3)

    def slow(asked: dict[str, Any], _: int) -> Answer:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        three.wait(timeout=10)  # breaks, and the count fails, unless three are there at once
        with lock:
            at_work -= 1
        return good(3)

    patience = Patience(attempts=1, per_second=10_000)
    counts = web(serve(slow), threads=3, patience=patience).count_many([[f"w{n}"] for n in range(9)])
    assert [count.anchor for count in counts] == [f"w{n}" for n in range(9)]
    assert most == 3


def test_a_failed_lookup_is_a_failed_sentence_and_the_others_stay(serve: Serve) -> None:
    def answer(asked: dict[str, Any], _: int) -> Answer:
        return error(400, "no") if "paris" in asked["query"] and "AND" in asked["query"] else good(30)

    server = serve(answer)
    scored = Scorer(index=web(server)).score("Marie Curie was born in Warsaw. Victor Hugo died in Paris.")
    assert [sentence.status for sentence in scored.sentences] == [Status.SUPPORTED, Status.FAILED]
    assert len(server.asked) == len({asked["query"] for asked in server.asked})


@pytest.mark.parametrize("secret", ["hunter2"])
def test_no_message_holds_a_secret(serve: Serve, secret: str) -> None:
    server = serve(first(error(403, "no")))
    with pytest.raises(LookupFailedError) as caught:
        JsonClient(server.url + f"?key={secret}", headers={"Authorization": secret}, patience=FAST).post({})
    assert secret not in str(caught.value)
    assert server.headers[0]["Authorization"] == secret
    assert secret not in repr(JsonClient(server.url, headers={"Authorization": secret}))
    for url in (f"http://user:{secret}@127.0.0.1/", f"http://127.0.0.1:{secret}/", f"http://127.0.0.1/ ?key={secret}"):
        with pytest.raises(UsageError) as wrong:
            JsonClient(url)
        assert secret not in str(wrong.value)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "127.0.0.1", "http://", "file:///etc/hosts", "http://a b/"])
def test_only_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(UsageError, match="http://"):
        InfinigramWebCounter("tiny", url=url)


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"timeout": 0}, {"per_second": 0}, {"first_wait": 2, "longest_wait": 1}, {"pause": -1}]
)
def test_patience_must_make_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Patience(**wrong)  # type: ignore[arg-type]


def test_the_fingerprint_of_a_web_index() -> None:
    def fingerprint(index: str, **options: Any) -> str:
        return InfinigramWebCounter(index, **options).fingerprint()

    plain = fingerprint("a")
    assert plain == fingerprint("a", url=API_URL, threads=9, headers={"Authorization": "x"})
    different: Sequence[str] = [
        fingerprint("b"), fingerprint("a", url="http://127.0.0.1/"), fingerprint("a", max_clause_freq=9),
        fingerprint("a", spellings=as_written), fingerprint("a", encode=encode),
    ]  # fmt: skip
    assert len({plain, *different}) == 6


def test_only_the_answers_asked_for_last_are_remembered() -> None:
    memory, asked = _Memory(2), []

    def ask(key: str) -> Any:
        return memory.get(key, lambda: asked.append(key) or key.upper())

    assert [ask(key) for key in "abacab"] == list("ABACAB")
    assert "".join(asked) == "abcb"
