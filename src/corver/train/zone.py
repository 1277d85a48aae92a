"""The learning zone: which questions does the policy answer sometimes?

In: a policy or a server's model, questions, a number of samples a question. Out: JSONL rows with how many samples were
right, written as they are made, so that a search that was stopped goes on. Questions that are never or always answered
right give a group no spread of judge rewards; the paper (arXiv 2605.29648) keeps 1 … n−1 right, and for small models
some anchors that are always right. This module knows no trainer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corver.endpoint import ChatEndpoint
from corver.errors import EndpointError, InputError
from corver.evaluate.answering import Answerer, Completion, EndpointAnswerer, PolicyAnswerer
from corver.evaluate.questions import Question
from corver.policy.prompts import PromptName
from corver.policy.sampling import SamplingSettings
from corver.progress import Progress, no_progress
from corver.reward.judge import JudgeRule, judge
from corver.runs import append_jsonl, claim_file, key_file, read_jsonl
from corver.text.rollout import parse_rollout

if TYPE_CHECKING:
    # A policy brings torch, which an endpoint does without.
    from corver.policy.load import Policy

__all__ = ["ZoneRow", "find_zone", "in_zone", "read_zone"]


@dataclass(frozen=True, slots=True)
class ZoneRow:
    """How the policy did on one question: correct of samples, and the share of well-formed completions."""

    id: str
    correct: int
    samples: int
    well_formed: float


def find_zone(
    source: Policy | ChatEndpoint,
    questions: Sequence[Question],
    output: Path,
    *,
    prompt: PromptName,
    settings: SamplingSettings,
    judge_rule: JudgeRule = "lenient",
    template: dict[str, Any] | None = None,
    progress: Progress = no_progress,
) -> list[ZoneRow]:
    """Sample `settings.samples` answers a question and append one row each to `output`; rows already there are kept.

    template: arguments of a policy's chat template; a server applies its own. Raises InputError when those rows were
    made with another model, prompt or setting; EndpointError at the end when a server left questions without an answer:
    they have no row, and are asked again next time. A file that does not say how it was made is taken by its number of
    samples alone.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    known = {row.id: row for row in read_zone(output, mend=True)} if output.exists() else {}
    if any(row.samples != settings.samples for row in known.values()):
        raise InputError(f"{output}: was made with another number of samples; use another file or that number")
    if not known or key_file(output).exists():
        claim_file(output, _key(source, prompt, settings, judge_rule, template))
    missing = [question for question in questions if question.id not in known]
    answerer = _answerer(source, prompt, settings, template)
    failures: list[str] = []
    for completions in answerer.answer(missing):
        by_question: dict[int, list[Completion]] = {}
        for completion in completions:
            by_question.setdefault(completion.question, []).append(completion)
        failures += [one.failure for one in completions if one.failure is not None]
        rows = [
            _row(missing[number], [one.text for one in given], judge_rule, think_opened=answerer.think_opened)
            for number, given in by_question.items()
            if all(one.failure is None for one in given)
        ]
        append_jsonl(output, [_to_json(row) for row in rows])
        known.update({row.id: row for row in rows})
        done = sum(question.id in known for question in questions)
        progress("zone", done, len(questions), "questions")
    without = sum(question.id not in known for question in questions)
    if without:
        reasons = ", ".join(sorted(set(failures)))
        raise EndpointError(
            f"{output}: {without} of {len(questions)} questions got no answer ({reasons}); the others are kept, start "
            "the same search again for the rest"
        )
    return [known[question.id] for question in questions]


def _answerer(
    source: Policy | ChatEndpoint, prompt: PromptName, settings: SamplingSettings, template: dict[str, Any] | None
) -> Answerer:
    if isinstance(source, ChatEndpoint):
        return EndpointAnswerer(source, prompt=prompt, settings=settings)
    return PolicyAnswerer(source, prompt=prompt, settings=settings, template=template)


def read_zone(path: Path, *, mend: bool = False) -> list[ZoneRow]:
    """Rows of a zone file. Raises InputError if the file is missing or a row lacks a field.

    mend: cut off what a kill left of a last row, so that rows can be appended; else the file stays as it is.
    """
    if not path.exists():
        raise InputError(f"{path}: no such learning-zone file; make it with `corver zone`")
    rows = []
    for number, row in enumerate(read_jsonl(path, mend=mend), start=1):
        try:
            rows.append(
                ZoneRow(str(row["id"]), int(row["correct"]), int(row["samples"]), float(row.get("well_formed") or 0.0))
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(f"{path}:{number}: needs id, correct and samples") from None
    return rows


def in_zone(
    questions: Sequence[Question], rows: Sequence[ZoneRow], *, bounds: tuple[int, int] | None = None, anchors: int = 0
) -> list[Question]:
    """Questions with bounds[0] … bounds[1] right samples, then the first `anchors` questions that were always right.

    bounds: None keeps what was answered right at least once and wrong at least once.
    """
    by_id = {row.id: row for row in rows}
    known = [(question, by_id[question.id]) for question in questions if question.id in by_id]
    low, high = bounds or (1, max((row.samples for row in rows), default=1) - 1)
    kept = [question for question, row in known if low <= row.correct <= high]
    always = [question for question, row in known if row.correct == row.samples and row.correct > high]
    if not kept and not always[:anchors]:
        raise InputError(f"no question has {low} to {high} right samples; widen the bounds or add questions")
    return kept + always[:anchors]


def _key(
    source: Policy | ChatEndpoint,
    prompt: PromptName,
    settings: SamplingSettings,
    rule: JudgeRule,
    template: dict[str, Any] | None,
) -> dict[str, Any]:
    # Not the server's address: the same model may be served elsewhere tomorrow.
    name, weights = (source.config.model, None) if isinstance(source, ChatEndpoint) else (source.name, source.weights)
    return {
        "model": name,
        "weights": weights,
        "prompt": prompt,
        "template": template or {},
        "judge": rule,
        "samples": settings.samples,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "top_k": settings.top_k,
        "max_tokens": settings.max_tokens,
    }


def _row(question: Question, texts: Sequence[str], rule: JudgeRule, *, think_opened: bool) -> ZoneRow:
    judgements = [judge(text, question.answers, rule=rule, question=question.question) for text in texts]
    correct = sum(judgement is not None and judgement.label == "correct" for judgement in judgements)
    formed = sum(parse_rollout(text, think_opened=think_opened).well_formed for text in texts)
    return ZoneRow(question.id, correct, len(texts), formed / len(texts))


def _to_json(row: ZoneRow) -> dict[str, Any]:
    return {"id": row.id, "correct": row.correct, "samples": row.samples, "well_formed": round(row.well_formed, 4)}
