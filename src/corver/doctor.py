"""Is this machine fit for the work? Every check that answers that, and what to do where the answer is no.

In: nothing but the machine. Out: one `Check` a question, in the order in which a person would ask. A broken library is
a finding here, not a crash: everything is imported by name, inside the check that asks for it. This module prints
nothing and mends nothing.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corver.errors import CorverError
from corver.progress import Progress, no_progress

__all__ = ["Check", "Verdict", "examine"]

Verdict: TypeAlias = Literal["ok", "note", "warning", "failed"]

_CORPUS = (
    {"title": "Marie Curie", "text": "Marie Curie was born in Warsaw. Curie left Warsaw in 1891."},
    {"title": "Lisbon", "text": "Lisbon lies at the mouth of the Tagus."},
    {"title": "Warsaw", "text": "Warsaw is the capital of Poland."},
)
_GIB = 1 << 30
_BROKEN = (ImportError, OSError, RuntimeError, AttributeError, ValueError)
"""What importing or asking a badly installed library raises."""


@dataclass(frozen=True, slots=True)
class Check:
    """One answer.

    verdict: `failed` means that something required is broken; `warning` that work will be slow or partly impossible;
    `note` that an optional part is not there. cure: what to do about it. facts: the same for a machine to read.
    """

    name: str
    verdict: Verdict
    detail: str
    cure: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "verdict": self.verdict,
            "detail": self.detail,
            "cure": self.cure,
            "facts": self.facts,
        }


def examine(*, progress: Progress = no_progress) -> list[Check]:
    """Run every check. Takes some seconds: libraries are loaded, kernels compiled, and a tiny corpus is scored."""
    steps: tuple[Callable[[], list[Check]], ...] = (
        _python,
        _libraries,
        _processor,
        _memory,
        _disk,
        _accelerator,
        _extractors,
        _threads,
        _kernels,
        _sentences,
        _end_to_end,
    )
    checks: list[Check] = []
    for number, step in enumerate(steps):
        progress("examining", number, len(steps), "checks")
        checks.extend(step())
    progress("examining", len(steps), len(steps), "checks")
    return checks


def _python() -> list[Check]:
    version = platform.python_version()
    facts = {"version": version, "executable": sys.executable, "platform": platform.platform()}
    asked: str | None
    try:
        asked = importlib.metadata.metadata("corver")["Requires-Python"]
    except importlib.metadata.PackageNotFoundError:
        asked = str(_project().get("requires-python", "")) or None
    detail = f"{platform.python_implementation()} {version} on {platform.platform(terse=True)}"
    if asked and not _satisfies(version, asked):
        return [Check("python", "failed", f"{detail}, corver asks for {asked}", "use a newer Python", facts)]
    return [Check("python", "ok", detail, None, facts)]


def _libraries() -> list[Check]:
    """Core libraries one by one, extras as a whole."""
    needs = _requirements()
    if not needs:
        return [Check("libraries", "failed", "corver's own requirements cannot be found", "reinstall corver")]
    checks = []
    for extra in dict.fromkeys(extra for extra, _, _ in needs if extra not in ("all", "dev")):
        mine = [(name, asked) for other, name, asked in needs if other == extra]
        checks.append(_extra(extra, mine))
    return checks


def _extra(extra: str, needs: list[tuple[str, str]]) -> Check:
    """The core ("") or one extra: which of its libraries are there, and new enough.

    An extra without the library that it names first is one that nobody installed; its others may serve other extras.
    """
    found: dict[str, str | None] = {}
    wrong = []
    for name, asked in needs:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
        version = found[name]
        if version is None:
            wrong.append(f"{name} is missing")
        elif not _satisfies(version, asked):
            wrong.append(f"{name} is {version}, asked for {asked}")
    name = f"extra {extra}" if extra else "libraries"
    package = f"corver[{extra}]" if extra else "corver"
    if not wrong:
        return Check(name, "ok", ", ".join(f"{key} {value}" for key, value in found.items()), None, {"versions": found})
    installed = found[needs[0][0]] is not None
    bad: Verdict = "failed" if not extra else "warning" if installed else "note"
    return Check(name, bad, "; ".join(wrong), f"pip install '{package}'", {"versions": found})


def _requirements() -> list[tuple[str, str, str]]:
    """(extra or "", library, version specifier) of everything that corver asks for."""
    from packaging.requirements import Requirement

    try:
        lines = importlib.metadata.requires("corver") or []
    except importlib.metadata.PackageNotFoundError:
        project = _project()
        lines = list(project.get("dependencies", []))
        for extra, members in project.get("optional-dependencies", {}).items():
            lines += [f"{member}; extra == '{extra}'" for member in members]
    needs = []
    for line in lines:
        need = Requirement(line)
        if need.name == "corver":
            continue
        marker = str(need.marker) if need.marker else ""
        extra = marker.rpartition("extra ==")[2].strip(" '\"()") if "extra ==" in marker else ""
        needs.append((extra, need.name, str(need.specifier)))
    return needs


def _project() -> dict[str, Any]:
    """The [project] table beside a source checkout that was never installed; {} where there is none."""
    path = Path(__file__).resolve().parents[2] / "pyproject.toml"
    try:
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return {}
    return dict(project) if project.get("name") == "corver" else {}


def _satisfies(version: str, specifier: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier).contains(version, prereleases=True)


def _processor() -> list[Check]:
    llvm = importlib.import_module("llvmlite.binding")
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    features = {name for name, present in llvm.get_host_cpu_features().items() if present}
    notable = [name for name in ("avx2", "avx512f", "avx512bf16", "amx-bf16", "neon", "bf16") if name in features]
    facts = {"cores": usable, "machine": platform.machine(), "model": llvm.get_host_cpu_name(), "features": notable}
    vectors = ", ".join(notable) or "no vector extensions known"
    detail = f"{usable} cores, {facts['machine']} {facts['model']}, {vectors}"
    return [Check("processor", "ok", detail, None, facts)]


def _memory() -> list[Check]:
    total, free = _memory_bytes()
    facts = {"total": total, "available": free}
    detail = f"{free / _GIB:.1f} GiB of {total / _GIB:.1f} GiB available"
    if free < _GIB:
        return [Check("memory", "warning", detail, "close other programs, or build with a small --memory", facts)]
    return [Check("memory", "ok", detail, None, facts)]


def _memory_bytes() -> tuple[int, int]:
    """Total and available bytes; a container's limit counts as the total. (0, 0) where the system does not tell."""
    page = os.sysconf("SC_PAGE_SIZE")
    total = free = os.sysconf("SC_PHYS_PAGES") * page
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        fields = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
        free = int(fields.get("MemAvailable", f"{free // 1024} kB").split()[0]) * 1024
    limit = _number(Path("/sys/fs/cgroup/memory.max"))
    if limit is not None and limit < total:
        used = _number(Path("/sys/fs/cgroup/memory.current")) or 0
        total, free = limit, max(0, min(free, limit - used))
    return total, free


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _disk() -> list[Check]:
    checks = []
    for name, folder in (("disk here", Path.cwd()), ("disk for temporary files", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(folder).free
        facts = {"folder": str(folder), "free": free}
        detail = f"{free / _GIB:.1f} GiB free in {folder}"
        low = free < _GIB
        checks.append(Check(name, "warning" if low else "ok", detail, "make room" if low else None, facts))
    return checks


def _accelerator() -> list[Check]:
    """What models would run on."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        return [Check("accelerator", "note", "torch is not installed: no training", "pip install 'corver[train]'")]
    except _BROKEN as error:
        return [Check("accelerator", "failed", f"torch does not load: {error}", "reinstall torch")]
    try:
        return [_devices(torch)]
    except _BROKEN as error:
        return [Check("accelerator", "warning", f"torch cannot tell its devices: {error}", "check the driver")]


def _devices(torch: Any) -> Check:
    if torch.cuda.is_available():
        names = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
        memory = [torch.cuda.get_device_properties(number).total_memory for number in range(len(names))]
        bf16 = bool(torch.cuda.is_bf16_supported())
        devices = ", ".join(f"{name} ({size / _GIB:.0f} GiB)" for name, size in zip(names, memory, strict=True))
        facts = {"kind": "cuda", "devices": names, "memory": memory, "bfloat16": bf16}
        return Check("accelerator", "ok", f"{devices}, bfloat16 {'yes' if bf16 else 'no'}", None, facts)
    if torch.backends.mps.is_available():
        return Check("accelerator", "ok", "Apple GPU (MPS)", None, {"kind": "mps", "devices": ["mps"]})
    features = importlib.import_module("llvmlite.binding").get_host_cpu_features()
    bf16 = any(features.get(name) for name in ("avx512bf16", "amx-bf16", "bf16"))
    how = "in hardware" if bf16 else "emulated (slow)"
    detail = f"none; torch {torch.__version__} on the processor, bfloat16 {how}"
    return Check("accelerator", "note", detail, None, {"kind": "cpu", "devices": [], "bfloat16": bf16})


def _extractors() -> list[Check]:
    """Which extractors could work here, told from what is installed."""
    pipelines = {
        entry.name: entry.dist.version if entry.dist is not None else "?"
        for entry in importlib.metadata.entry_points(group="spacy_models")
    }
    parts = ["rules"]
    missing = []
    if _is_there("spacy") and pipelines:
        parts.append(f"spacy ({', '.join(f'{name} {version}' for name, version in sorted(pipelines.items()))})")
    else:
        missing.append("spacy" if not _is_there("spacy") else "a pipeline for spacy")
    ways = [way for way, needs in _QUCO_WAYS.items() if all(map(_is_there, needs))]
    parts += [f"quco ({', '.join(ways)})"] if ways else []
    missing += [] if ways else ["quco"]
    facts = {"extractors": [part.split()[0] for part in parts], "pipelines": pipelines, "quco": ways}
    if not missing:
        return [Check("extractors", "ok", ", ".join(parts), None, facts)]
    cure = "pip install 'corver[spacy,endpoint]', or 'corver[train]' to run quco's model on this machine"
    return [Check("extractors", "note", f"{', '.join(parts)}; not there: {', '.join(missing)}", cure, facts)]


_QUCO_WAYS = {"on this machine": ("torch", "transformers"), "behind an address": ("openai",)}


def _is_there(library: str) -> bool:
    """Whether a library is installed; it is not imported."""
    try:
        return importlib.util.find_spec(library) is not None
    except (ImportError, ValueError):
        return False


def _threads() -> list[Check]:
    """OpenMP threads that wait by spinning stand still where other programs hold the cores: 300 tokens/s become 2."""
    threads, policy = os.environ.get("OMP_NUM_THREADS"), os.environ.get("OMP_WAIT_POLICY")
    load = os.getloadavg()[0]
    cores = os.cpu_count() or 1
    facts = {"OMP_NUM_THREADS": threads, "OMP_WAIT_POLICY": policy, "load": load}
    settings = f"OMP_NUM_THREADS {threads or 'not set'}, OMP_WAIT_POLICY {policy or 'not set'}"
    detail = f"{settings}, load {load:.1f} on {cores} cores"
    spinning = threads != "1" and (policy or "").lower() != "passive"
    if spinning and load > cores / 2:
        cure = "the machine is busy and waiting threads would spin: set OMP_WAIT_POLICY=passive or OMP_NUM_THREADS=1"
        return [Check("threads", "warning", detail, cure, facts)]
    return [Check("threads", "ok", detail, None, facts)]


def _kernels() -> list[Check]:
    began = time.perf_counter()
    try:
        jit = importlib.import_module("corver.index.kernels.jit")
        three = int(jit.bit_length(5))
    except _BROKEN as error:
        return [Check("kernels", "failed", f"numba does not compile: {error}", "pip install --force-reinstall numba")]
    seconds = time.perf_counter() - began
    if three != 3:
        return [Check("kernels", "failed", f"a kernel computed {three} for 3", "pip install --force-reinstall numba")]
    facts = {"cached": bool(jit._CACHE), "seconds": seconds}
    if not jit._CACHE:
        folder = Path(str(jit.__file__)).parent
        cure = f"make {folder} writable to you alone; until then every process compiles anew"
        return [Check("kernels", "warning", f"compiled in {seconds:.1f} s, not cached", cure, facts)]
    return [Check("kernels", "ok", f"ready in {seconds:.1f} s, cached on disk", None, facts)]


def _sentences() -> list[Check]:
    from corver.text.sentences import split_sentences

    text = "Dr. Ada B. Smith was born in St. Louis. She moved."
    try:
        found = [span.of(text) for span in split_sentences(text)]
    except _BROKEN as error:
        return [Check("sentences", "failed", f"sentencex does not work: {error}", "reinstall sentencex")]
    if found != ["Dr. Ada B. Smith was born in St. Louis.", "She moved."]:
        return [Check("sentences", "failed", f"{text!r} was split into {found}", "reinstall sentencex")]
    return [Check("sentences", "ok", "the splitter finds 2 sentences in 2", None, {"sentences": found})]


def _end_to_end() -> list[Check]:
    """Three documents indexed, counted and scored in a temporary folder."""
    steps: dict[str, float] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="corver-doctor-") as folder:
            last = time.perf_counter()
            for name in _tiny_line(Path(folder)):
                steps[name], last = time.perf_counter() - last, time.perf_counter()
    except (CorverError, *_BROKEN) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        where = f"after {', '.join(steps)}" if steps else "at the first step"
        return [Check("self-test", "failed", f"{where}: {reason}", "please report this", {"seconds": steps})]
    detail = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in steps.items())
    return [Check("self-test", "ok", detail, None, {"seconds": steps})]


def _tiny_line(folder: Path) -> Iterator[str]:
    """The main line, step by step; names each step after it, and raises where a result is not the known one."""
    from corver.corpus.opening import open_corpus
    from corver.index import Index, build_index
    from corver.reward.scorer import Scorer

    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in _CORPUS), encoding="utf-8")
    source = open_corpus([str(corpus)])
    build_index(source.shards(), folder / "index", workers=1, sources=source.sources())
    yield "index"
    with Index.open(folder / "index") as index:
        count = index.count(["curie", "warsaw"], window=1000)
        _expect("curie warsaw", count.value, 2)
        yield "count"
        scored = Scorer(index=index).score("Marie Curie was born in Warsaw.")
        _expect("the verdict", [sentence.status.value for sentence in scored.sentences], ["supported"])
        yield "score"


def _expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise RuntimeError(f"{what} gave {found}, expected {expected}")
