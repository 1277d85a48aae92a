"""The judge rule `math`: equal mathematics is right, whatever its spelling; nothing a policy writes can hold it up."""

from __future__ import annotations

import resource
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corver.errors import CorverError, DependencyError
from corver.reward import mathematics
from corver.reward.judge import judge, label_answer
from corver.reward.math_worker import MOST_BYTES, compare
from corver.reward.mathematics import ATTEMPTS, MathVerifier, grade_math


@pytest.fixture(scope="module")
def verifier() -> Iterator[MathVerifier]:
    made = MathVerifier()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("448/15625", "0.028672"),  # a false negative of older rule-based checkers
        ("0.028672", r"\frac{448}{15625}"),
        (r"$\frac{1}{2}$", r"\frac12"),
        ("1000", "1,000"),
        ("2125", "$2,125"),
        ("18", "$18.00"),
        ("7", "7 dollars"),
        ("12", "The answer is 12."),
        ("8", "3 + 5 = 8"),
        ("5", "x=5"),
        ("3.5", "3 1/2"),
        ("3 1/2", r"3\frac{1}{2}"),
        ("1e3", "1000"),
        ("-2", "−2"),
        ("2", r"\boxed{2}"),
        (r"$2\sqrt{3}$", "2√3"),
        (r"$2\sqrt{3}$", "sqrt(12)"),
        ("x^2+2x+1", "(x+1)^2"),
        ("$(1,2)$", "(1, 2)"),
        (r"$\{1,2\}$", "2, 1"),
        (r"$\{1,2\}$", "2 and 1"),
        (r"$\text{Evelyn}$", "Evelyn"),
        ("Monday", "on Monday"),
        ("(C)", "C"),
    ],
)
def test_equal(verifier: MathVerifier, gold: str, prediction: str) -> None:
    assert grade_math(prediction, [gold], verifier=verifier) == "correct"
    assert grade_math(gold, [gold], verifier=verifier) == "correct"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("2", "3"),
        ("2", "1 or 2"),
        ("2", "2 or 1"),
        ("2", "$1$ or $2$"),
        ("2", "1, 2, 3"),
        ("2", "not 2"),
        ("2", "3 2"),
        ("-2", "2"),
        ("1/3", "0.333"),
        ("10:30", "10:31"),
        ("$(1,2)$", "(2, 1)"),
        (r"$\{1,2\}$", "1 and 3"),
        ("7", "seven or so"),
        ("Monday", "Tuesday"),
        ("2", "2" * 3000),
    ],
)
def test_different(verifier: MathVerifier, gold: str, prediction: str) -> None:
    assert grade_math(prediction, [gold], verifier=verifier) == "wrong"


@pytest.mark.parametrize("prediction", ["", "  ", "I don't know", "It cannot be determined."])
def test_not_attempted(verifier: MathVerifier, prediction: str) -> None:
    assert grade_math(prediction, ["2"], verifier=verifier) == "not_attempted"


def test_any_gold_will_do(verifier: MathVerifier) -> None:
    assert grade_math("0.5", ["7", "", "1/2"], verifier=verifier) == "correct"


def test_an_answer_that_cannot_be_computed_is_wrong_in_time(verifier: MathVerifier) -> None:
    hasty = MathVerifier(seconds=1)
    try:
        assert grade_math("9^{9^{9^9}}", ["7"], verifier=hasty) == "wrong"
        assert grade_math("7", ["7.0"], verifier=hasty) == "correct"
    finally:
        hasty.close()


def test_a_worker_that_hangs_or_dies_is_replaced(verifier: MathVerifier, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verifier.compare("1", ["1.0"]) == "equal"
    held = verifier._process
    assert held is not None
    monkeypatch.setattr(verifier, "seconds", 0.1)
    held.send_signal(19)  # SIGSTOP: it will never answer
    before = verifier.timeouts
    assert verifier.compare("1", ["1.0"]) == "timed_out"
    assert verifier.timeouts == before + 1
    assert held.poll() is not None
    monkeypatch.setattr(verifier, "seconds", 5)
    assert verifier.compare("1", ["1.0"]) == "equal"


MORTAL = """
import json, os, pathlib, signal, sys
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    lives = pathlib.Path(__file__).with_name("lives")
    left = int(lives.read_text())
    if request["prediction"] == "poison" or left > 0:
        lives.write_text(str(left - 1))
        os.kill(os.getpid(), signal.SIGKILL)
    print(json.dumps({"verdict": "equal"}), flush=True)
"""
"""A worker that the system kills `lives` times, and whenever it is given poison."""


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], MathVerifier]]:
    made: list[MathVerifier] = []

    def make(deaths: int) -> MathVerifier:
        (tmp_path / "worker.py").write_text(MORTAL)
        (tmp_path / "lives").write_text(str(deaths))
        monkeypatch.setattr(mathematics, "_WORKER", tmp_path / "worker.py")
        made.append(MathVerifier())
        return made[-1]

    yield make
    for verifier in made:
        verifier.close()


@pytest.mark.parametrize("deaths", [0, 1, 2])
def test_a_worker_that_is_killed_is_no_verdict(mortal: Callable[[int], MathVerifier], deaths: int) -> None:
    verifier = mortal(deaths)
    assert grade_math("2/4", ["1/2"], verifier=verifier) == "correct"
    assert (verifier.deaths, verifier.timeouts) == (deaths, 0)


def test_workers_that_are_killed_whatever_they_do_are_an_error(mortal: Callable[[int], MathVerifier]) -> None:
    verifier = mortal(100)
    with pytest.raises(CorverError, match="dies again and again"):
        grade_math("2/4", ["1/2"], verifier=verifier)
    assert verifier.deaths == ATTEMPTS + 1


def test_an_answer_that_kills_every_worker_is_wrong_like_one_that_holds_it_up(
    mortal: Callable[[int], MathVerifier],
) -> None:
    verifier = mortal(0)
    assert grade_math("poison", ["1/2"], verifier=verifier) == "wrong"
    assert verifier.deaths == ATTEMPTS
    assert grade_math("2/4", ["1/2"], verifier=verifier) == "correct"


@pytest.mark.parametrize("error", ["MemoryError", "RecursionError"])
def test_a_comparison_that_takes_too_much_is_no_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    text = Path(mathematics._WORKER).read_text()
    text = text.replace(
        "    readable = False\n", f"    if prediction == '3':\n        raise {error}\n    readable = False\n"
    )
    (tmp_path / "worker.py").write_text(text)
    monkeypatch.setattr(mathematics, "_WORKER", tmp_path / "worker.py")
    verifier = MathVerifier()
    try:
        assert verifier.compare("3", ["2"]) == "incomparable"
        assert verifier.compare("2.0", ["2"]) == "equal"
        assert grade_math("3", ["2"], verifier=verifier) == "wrong"
        assert (verifier.deaths, verifier.timeouts) == (0, 0)
    finally:
        verifier.close()


def test_a_worker_may_not_take_all_memory(verifier: MathVerifier) -> None:
    assert verifier.compare("1", ["1.0"]) == "equal"
    assert verifier._process is not None
    assert resource.prlimit(verifier._process.pid, resource.RLIMIT_AS)[0] <= MOST_BYTES


def test_threads_may_share_a_verifier(verifier: MathVerifier) -> None:
    verdicts: list[str] = []
    threads = [threading.Thread(target=lambda: verdicts.append(verifier.compare("1/2", ["0.5"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == ["equal"] * 4


def test_the_library_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mathematics, "find_spec", lambda name: None)
    with pytest.raises(DependencyError, match=r"corver\[math\]"):
        MathVerifier().compare("1", ["2"])


def test_a_worker_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = MathVerifier()
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda command, **kw: start([command[0], "-c", "raise SystemExit"], **kw))
    with pytest.raises(CorverError, match="does not start"):
        broken.compare("1", ["2"])


def test_the_judge_takes_the_rule() -> None:
    judgement = judge("<think>a</think><answer>0.5</answer>", ["1/2"], rule="math")
    assert judgement is not None
    assert (judgement.label, judgement.reward) == ("correct", 2.0)
    assert label_answer("0.6", ["1/2"], rule="math") == "wrong"


def test_the_library_alone_would_take_these() -> None:
    """What math-verify accepts by itself and the rule does not: it reads one number out of a list or a denial."""
    from math_verify import parse, verify

    for prediction in ("1 or 2", "not 2", "3 2"):
        assert verify(parse("2"), parse(prediction))
        assert compare(prediction, ["2"]) == "different"
