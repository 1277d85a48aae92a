"""Token advantages from what a trainer recorded, in plain Python: no numpy, nothing of corver.credit.

docs: R_t = R_resp + [σ(t) is a sentence]·λ_c·(r − v), m_k the mean over a completion's tokens, A = (R − mean m) /
(max(std m, floor) + ε), cut at ±cap. v: what makes the claims of a group add nothing to the mean of its m_k.
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


def claim_weights(tokenizer, ids, scores) -> tuple[float, float]:
    """Σ r and number of the tokens of new claims, over the number of tokens outside failed sentences."""
    said, tokens = [], 0
    for start, end in token_characters(tokenizer, ids):
        own = [s for s in scores if s.span.start < end and start < s.span.end]
        tokens += not (own and own[0].status.value == "failed")
        if own and own[0].status.value in CLAIMS and not own[0].repeated:
            said.append(own[0].reward)
    return sum(said) / max(tokens, 1), len(said) / max(tokens, 1)


def silence(tokenizer, ids_B, scores_B, response_B, *, reference: float | None) -> float:
    rows = zip(ids_B, scores_B, response_B, strict=True)
    pairs = [claim_weights(tokenizer, ids, scores) for ids, scores, response in rows if not math.isnan(response)]
    share = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / share if share else reference or 0.0


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
                shaping = weight * min(own[0].reward - min(value, 0.0), 0.0)
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
