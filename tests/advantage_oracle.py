"""Token advantages from what a trainer recorded, in plain Python: no numpy, nothing of corver.credit.

docs: R_t = R_resp + [σ(t) is a sentence]·λ_c·(r − v), m_k the mean over a completion's tokens, A = (R − mean m) /
(max(std m, floor) + ε), cut at ±cap. v: the mean claim reward of the group, or that of the first batches if lower.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

CLAIMS = ("supported", "unsupported")


def token_characters(tokenizer, ids: Sequence[int]) -> list[tuple[int, int]]:
    """The characters that each id carries a byte of; (0, 0) for special ids. Byte-level vocabularies only."""
    extents, place = [], 0
    whole = tokenizer.decode([number for number in ids if number not in tokenizer.all_special_ids]).encode()
    for number in ids:
        if number in tokenizer.all_special_ids:
            extents.append((0, 0))
            continue
        length = len(tokenizer.convert_ids_to_tokens(number))  # one visible character a byte
        start = len(whole[:place].decode("utf-8", errors="ignore"))
        place += length
        end = len(whole[:place].decode("utf-8", errors="ignore"))
        cut = place < len(whole) and (whole[place] & 0xC0) == 0x80
        extents.append((start, end + 1 if cut else end))
    return extents


def silence(scores, *, reference: float | None) -> float:
    claims = [s.reward for row in scores for s in row if s.status.value in CLAIMS and not s.repeated]
    if not claims:
        return reference or 0.0
    mean = sum(claims) / len(claims)
    return mean if reference is None else min(mean, reference)


def returns(tokenizer, ids, scores, response, *, weight: float, value: float) -> list[float]:
    """R_t of one completion; NaN on tokens of a failed sentence."""
    row = []
    for start, end in token_characters(tokenizer, ids):
        own = [s for s in scores if s.span.start < end and start < s.span.end]
        shaping = 0.0
        if own and own[0].status.value == "failed":
            shaping = math.nan
        elif own and own[0].status.value in CLAIMS:
            shaping = weight * (own[0].reward - value)
            if own[0].repeated:
                shaping = min(shaping, 0.0)
        row.append(response + shaping)
    return row


def advantages(rows: Sequence[Sequence[float]], *, floor: float, cap: float, epsilon: float = 1e-4):
    """A of one group's completions; completions whose response is NaN give zeros."""
    means = []
    for row in rows:
        known = [value for value in row if not math.isnan(value)]
        means.append(sum(known) / len(known) if known else math.nan)
    scored = [mean for mean in means if not math.isnan(mean)]
    if not scored:
        return [[0.0] * len(row) for row in rows]
    centre = sum(scored) / len(scored)
    scale = max(statistics.stdev(scored) if len(scored) > 1 else 0.0, floor) + epsilon
    return [[0.0 if math.isnan(v) else max(-cap, min(cap, (v - centre) / scale)) for v in row] for row in rows]
