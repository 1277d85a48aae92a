"""A `PromptModel` on this machine, by transformers.

In: a local folder or hub id of an instruction-tuned causal language model, then prompts. Out: greedy answers, in
batches of like length. This module knows neither sentences nor triplets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from corver.endpoint import Reply, ReplyFailure
from corver.errors import DependencyError, UsageError
from corver.extract.quco import MAX_NEW_TOKENS

__all__ = ["LocalModel"]

_LIBRARIES = frozenset({"torch", "transformers"})
_IDENTITY = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
_CHUNK = 1 << 22


class LocalModel:
    """A model loaded by transformers.

    name: a folder or hub id; revision: of the hub id. batch: prompts at a time. Raises DependencyError without torch
    and transformers, InputError when the model cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        *,
        revision: str | None = None,
        dtype: str = "auto",
        device: str = "auto",
        batch: int = 64,
    ) -> None:
        if batch < 1:
            raise UsageError(f"the batch must hold 1 prompt or more, not {batch}")
        self._library = _library()
        self._model, self._tokenizer = self._library.load_language_model(
            name, revision=revision, dtype=dtype, device=device
        )
        self._name, self._revision, self._batch = name, revision, batch
        self._identity: str | None = None

    def answer(self, prompts: Sequence[str]) -> list[Reply | ReplyFailure]:
        """One greedy answer a prompt, in order, in up to 256 tokens."""
        settings = self._library.greedy_settings(self._model, self._tokenizer, max_tokens=MAX_NEW_TOKENS)
        encoded = [self._encode(prompt) for prompt in prompts]
        order = sorted(range(len(encoded)), key=lambda number: -len(encoded[number]))
        replies: dict[int, Reply] = {}
        for start in range(0, len(order), self._batch):
            numbers = order[start : start + self._batch]
            rows = self._library.continue_ids(self._model, [encoded[number] for number in numbers], settings)
            for number, (ids, cut) in zip(numbers, rows, strict=True):
                text = self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                replies[number] = Reply(text, "length" if cut else "stop", len(encoded[number]), len(ids))
        return [replies[number] for number in range(len(prompts))]

    def fingerprint(self) -> str:
        """16 hex digits over weights, tokenizer and number format; of a hub id, over its commit in their place."""
        if self._identity is None:
            dtype = str(self._model.dtype)
            digest = hashlib.sha256(f"local {dtype}".encode())
            if Path(self._name).is_dir():
                _add_files(digest, Path(self._name))
            else:
                commit = getattr(self._model.config, "_commit_hash", None) or self._revision
                digest.update(f"{self._name}@{commit}".encode())
            self._identity = digest.hexdigest()[:16]
        return self._identity

    def _encode(self, prompt: str) -> list[int]:
        """The ids of a prompt in the model's chat template. A special token in a sentence must not be one."""
        messages = [{"role": "user", "content": prompt.replace("<|", "< |").encode("utf-8", "replace").decode("utf-8")}]
        text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def _library() -> Any:
    try:
        return import_module("corver.language_model")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        raise DependencyError("the quco extractor needs torch and transformers: pip install 'corver[train]'") from None


def _add_files(digest: Any, folder: Path) -> None:
    for path in sorted(folder.glob("*.safetensors")) + [folder / name for name in _IDENTITY]:
        if path.is_file():
            digest.update(path.name.encode())
            with path.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
