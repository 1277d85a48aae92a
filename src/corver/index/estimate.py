"""What a build will take, before it starts.

In: shards and options. Out: rough figures for memory, disk and words, from the sizes of the sources alone. It reads
nothing. The rates are those measured on English Wikipedia (docs/index.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corver.corpus.document import Shard

__all__ = ["BuildEstimate", "estimate_build"]

_PLAIN_BYTES_A_WORD = 6.0
_PACKED_BYTES_A_WORD = 1.8  # a compressed source
_POSTINGS, _POSTINGS_ALL, _TEXTS = 1.6, 2.1, 2.5  # bytes a word of a finished index
_PLAIN_ENDINGS = (".jsonl", ".json", ".txt", ".xml", ".md")


@dataclass(frozen=True, slots=True)
class BuildEstimate:
    """words: in the corpus. memory: peak of the build. disk_final, disk_peak: bytes of the index, and while merging."""

    words: int
    memory: int
    disk_final: int
    disk_peak: int


def estimate_build(
    shards: Sequence[Shard], *, memory: int = 2 << 30, workers: int = 1, store_text: bool = True
) -> BuildEstimate:
    """Rough figures: right to within a factor of two for prose.

    Several workers, and a corpus larger than the memory, make several segments; while these are merged, they and the
    result lie on the disk side by side.
    """
    words = 0.0
    for shard in shards:
        name = shard.name.lower().split(" ")[0]
        plain = any(ending in name for ending in _PLAIN_ENDINGS) and not name.endswith((".gz", ".zst", ".bz2"))
        words += shard.bytes / (_PLAIN_BYTES_A_WORD if plain else _PACKED_BYTES_A_WORD)
    final = words * (_POSTINGS + _TEXTS if store_text else _POSTINGS_ALL)
    return BuildEstimate(
        words=int(words),
        memory=min(memory, int(words * 15) + (200 << 20)),
        disk_final=int(final),
        disk_peak=int(final * 2 if min(workers, len(shards)) > 1 or words * 15 > memory else final),
    )
