"""Which bytes or text does each token id of a transformers tokenizer stand for?

In: a tokenizer. Out: a Detokenizer for `corver.credit.align`. A byte-level vocabulary gives exact bytes an id; any
other tokenizer is decoded by growing prefixes. This module knows tokenizers, not sentences or rewards.
"""

from __future__ import annotations

import json
from typing import Any

from corver.credit.align import ByteDetokenizer, Detokenizer, PrefixDetokenizer
from corver.language_model import end_ids

__all__ = ["detokenizer_of", "end_ids"]


def detokenizer_of(tokenizer: Any, *, ids: int | None = None) -> Detokenizer:
    """The exact detokenizer for a transformers tokenizer. Special tokens (EOS, pad, chat marks) carry no text.

    ids: how many the model can sample, which may be more than the tokenizer knows (embeddings are padded to a round
    number). An id without a token carries no text, as in the tokenizer's own decoding.
    """
    special = set(tokenizer.all_special_ids)
    if _is_byte_level(tokenizer):
        alphabet = _byte_alphabet()
        size = max(len(tokenizer), ids or 0)
        added = {number: str(token) for number, token in tokenizer.added_tokens_decoder.items()}
        table: list[bytes] = []
        for number, token in enumerate(tokenizer.convert_ids_to_tokens(list(range(size)))):
            if number in added:
                table.append(added[number].encode("utf-8"))
            else:
                table.append(b"" if token is None else _token_bytes(token, alphabet))
        return ByteDetokenizer(table, special=special)

    def decode(ids: list[int]) -> str:
        return str(tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    return PrefixDetokenizer(decode, special=special)


def _is_byte_level(tokenizer: Any) -> bool:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return False
    decoder = json.loads(backend.to_str()).get("decoder") or {}
    return decoder.get("type") == "ByteLevel"


def _byte_alphabet() -> dict[str, int]:
    """The 256 visible characters by which byte-level BPE writes bytes: printable Latin-1, the rest from U+0100."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {chr(byte): byte for byte in visible}
    hidden = (byte for byte in range(256) if byte not in set(visible))
    alphabet.update({chr(0x100 + offset): byte for offset, byte in enumerate(hidden)})
    return alphabet


def _token_bytes(token: str, alphabet: dict[str, int]) -> bytes:
    try:
        return bytes(alphabet[character] for character in token)
    except KeyError:
        return token.encode("utf-8")
