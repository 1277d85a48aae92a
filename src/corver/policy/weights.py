"""What a folder of a model or an adapter holds, in 16 hex digits: two models may come to lie at the same place.

In: a folder. Out: a fingerprint of its weights, tokenizer and settings. It reads files and loads nothing. This module
knows no hub.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

__all__ = ["folder_fingerprint", "model_fingerprint"]

_WHOLE = 64 << 20
"""Files up to this size are read to their end."""
_HEAD, _STRIDE, _BLOCK = 1 << 20, 1 << 20, 1 << 12
"""Of larger ones, their beginning, which names the tensors, and then a block in every stride: training changes all
numbers of a tensor, so that a tensor of a stride's size cannot change unnoticed."""
_SETTINGS = (
    "config.json", "adapter_config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
    "tokenizer.model", "special_tokens_map.json", "vocab.json", "merges.txt", "chat_template.jinja",
)  # fmt: skip


def folder_fingerprint(folder: Path, *, gguf_file: str | None = None) -> str:
    """A fingerprint that a copy of the folder shares. Files that are not there are left out; OSError for others.

    gguf_file: the weights are in this file of the folder, not in safetensors.
    """
    digest = hashlib.sha256()
    weights = sorted(folder.glob("*.safetensors")) if gguf_file is None else [folder / gguf_file]
    for path in (*weights, *(folder / name for name in _SETTINGS)):
        if path.is_file():
            size = path.stat().st_size
            digest.update(f"{path.name} {size}\n".encode())
            _add(digest, path, size)
    return digest.hexdigest()[:16]


def model_fingerprint(name: str, *, gguf_file: str | None = None) -> str | None:
    """`folder_fingerprint` of a model that lies in a folder; None for what is none, as a hub id."""
    folder = Path(name)
    return folder_fingerprint(folder, gguf_file=gguf_file) if folder.is_dir() else None


def _add(digest: Any, path: Path, size: int) -> None:
    with path.open("rb") as file:
        if size <= _WHOLE:
            digest.update(hashlib.file_digest(file, "sha256").digest())
            return
        digest.update(file.read(_HEAD))
        for start in (*range(_HEAD, size - _BLOCK, _STRIDE), size - _BLOCK):
            file.seek(start)
            digest.update(file.read(_BLOCK))
