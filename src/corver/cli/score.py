"""`corver score`: texts in, one JSON line a text out, a batch at a time.

In: JSON Lines or plain text, and an index. Out: the JSON of `ScoredText`, in the order of the lines; a line that
cannot be scored gets a row with `error` in its place, a line on standard error, and exit code 1.
Memory holds one batch.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

import typer

from corver.cli.bars import shown_progress
from corver.cli.contents import number_of
from corver.cli.extractors import (
    AliasesOption,
    CacheOption,
    DeviceOption,
    EndpointOption,
    Extraction,
    ExtractorOption,
    KeyOption,
    ModelOption,
    PronounsOption,
    QuestionOption,
    TemplateOption,
    reward_config,
)
from corver.cli.files import not_over, reading, writing
from corver.cli.options import WindowOption, finite
from corver.cli.output import json_line, say
from corver.cli.texts import BadLine, InputText, TextFormat, read_texts

if TYPE_CHECKING:
    from corver.calibrate.maps import CalibrationMap
    from corver.config import RewardConfig
    from corver.reward.scorer import Scorer
    from corver.types import ScoredText

__all__ = ["score_command"]

_MAX_BATCH_CHARACTERS = 4_000_000
_BAD_LINES_SHOWN = 10


def score_command(
    index: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the index to count in.", show_default=False)],
    file: Annotated[str, typer.Argument(metavar="FILE", help="What to score; - is standard input.")] = "-",
    support: Annotated[
        Literal["paper", "profile"],
        typer.Option(help="What turns counts into rewards: levels of one pair, or every detail around the subject."),
    ] = "paper",
    neutral: Annotated[
        float | None,
        typer.Option(
            callback=finite, metavar="Z", help="Of profile: the unit score that is worth nothing.", show_default=False
        ),
    ] = None,
    rule: Annotated[
        Literal["first", "min", "relcheck"], typer.Option(help="Which pairs of a sentence speak for it.")
    ] = "first",
    window: WindowOption = 1000,
    exact: Annotated[
        bool, typer.Option("--exact/--capped", help="Count to the end, or stop at the top level: same rewards, faster.")
    ] = True,
    kind: Annotated[TextFormat, typer.Option("--format", help="Format of FILE.")] = "auto",
    batch: Annotated[int, typer.Option(min=1, metavar="N", help="Texts to read before scoring them together.")] = 256,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of to standard output.", show_default=False)
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="MAP.json", help="Add a probability by a map of calibrate fit.", show_default=False),
    ] = None,
    extractor: ExtractorOption = "rules",
    model: ModelOption = None,
    endpoint: EndpointOption = None,
    api_key_file: KeyOption = None,
    template: TemplateOption = None,
    cache: CacheOption = None,
    device: DeviceOption = None,
    pronouns: PronounsOption = True,
    question_subject: QuestionOption = False,
    aliases: AliasesOption = None,
) -> None:
    """Score the sentences of texts by how often their claims occur in a corpus.

    FILE holds one text a line, or JSON Lines with "text" or "completion" (a string or chat messages) and optionally
    "id", "question" and "answers". Writes one JSON line a text: its sentences with offsets, pair, words, count, level
    and reward; with --support profile each detail's score and share. A line that cannot be scored gives
    {"line": …, "error": …} in its place and exit code 1.

    \b
    Examples:
      echo "Marie Curie was born in Warsaw." | corver score --index index/
      corver score answers.jsonl --index index/ --output scores.jsonl
      corver score answers.jsonl --index index/ --extractor spacy
    """
    if neutral is not None and support != "profile":
        raise typer.BadParameter("only --support profile has a neutral point", param_hint="--neutral")
    if not exact and support == "profile":
        raise typer.BadParameter("support profile has no levels to stop counting at", param_hint="--capped")
    given = Extraction(
        extractor, model, endpoint, api_key_file, template, cache, device, pronouns, question_subject, aliases
    )
    not_over(output, *(path for path in (calibration, aliases, template, api_key_file, cache) if path))
    profile = {} if neutral is None else {"neutral": neutral}
    reward = reward_config(given, support=support, profile=profile, rule=rule, window=window)
    with reading(file) as (stream, name), _scorer(index, reward, exact=exact) as scorer:
        known = None if calibration is None else _calibration(calibration, scorer, exact=exact)
        if stream.isatty():
            say("reading standard input, one text a line; end with Ctrl-D")
            batch = 1
        tally = _Tally(name)
        torn = output is None and sys.stdout is not None and sys.stdout.isatty()
        with shown_progress(bar=not torn) as progress, writing(output) as write:
            for chunk in _batches(read_texts(stream, name=name, kind=kind), batch):
                write(b"".join(json_line(row) for row in _score(scorer, chunk, tally, known)))
                progress("scoring", *_position(stream, tally.texts))
    if known is not None:
        say(f"probabilities: {known.caution}")
    tally.close()


def _calibration(path: Path, scorer: Scorer, *, exact: bool) -> CalibrationMap:
    """The map in a file. Raises UsageError when it belongs to another scorer."""
    from corver.calibrate.maps import CalibrationMap

    known = CalibrationMap.load(path)
    warning = known.check(scorer.fingerprint(), exact_counts=exact)
    if warning is not None:
        say(f"warning: {warning}")
    return known


@contextmanager
def _scorer(index: Path, reward: RewardConfig, *, exact: bool) -> Iterator[Scorer]:
    from corver.endpoint import ChatEndpoint
    from corver.index.counters import open_counter
    from corver.reward.build import build_scorer

    endpoint = None if reward.quco.endpoint is None else ChatEndpoint(reward.quco.endpoint)
    with open_counter(index) as counter:
        scorer = build_scorer(reward, index=counter, exact_counts=exact, endpoint=endpoint)
        try:
            yield scorer
        finally:
            if endpoint is not None:
                say(f"{endpoint.config.base_url}: {endpoint.usage}")


def _position(stream: BinaryIO, texts: int) -> tuple[int, int | None, str]:
    """How far the reading is: bytes of a file, lines of a pipe."""
    try:
        state = os.fstat(stream.fileno())
        if stat.S_ISREG(state.st_mode):
            return stream.tell(), state.st_size, "bytes"
    except OSError:
        pass  # A stream without a descriptor: like a pipe, it has no length.
    return texts, None, "texts"


def _batches(items: Iterable[InputText | BadLine], size: int) -> Iterator[list[InputText | BadLine]]:
    """Up to `size` items, fewer when their texts are long."""
    chunk: list[InputText | BadLine] = []
    characters = 0
    for item in items:
        chunk.append(item)
        characters += len(item.text) if isinstance(item, InputText) else 0
        if len(chunk) == size or characters >= _MAX_BATCH_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _score(
    scorer: Scorer, chunk: Sequence[InputText | BadLine], tally: _Tally, known: CalibrationMap | None
) -> Iterator[dict[str, Any]]:
    """One row an item, in order."""
    from corver.types import Rollout, ScoredText

    texts = [item for item in chunk if isinstance(item, InputText) and not item.completion]
    rollouts = [item for item in chunk if isinstance(item, InputText) and item.completion]
    plain = scorer.score_texts([item.text for item in texts], questions=[item.question for item in texts])
    scored = {item.line: result for item, result in zip(texts, plain, strict=True)}
    verdicts = scorer.score_rollouts([Rollout(item.text, item.question, item.answers) for item in rollouts])
    for rollout, sentences in zip(rollouts, verdicts, strict=True):
        scored[rollout.line] = ScoredText(rollout.text, tuple(sentences))
    origin = scorer.fingerprint()
    for item in chunk:
        if isinstance(item, BadLine):
            tally.bad(item)
            yield {"line": item.line, "error": item.reason}
            continue
        tally.good(scored[item.line])
        handed = {"id": item.id, "question": item.question}
        row = {name: value for name, value in handed.items() if value is not None}
        row |= {"scorer": origin} | scored[item.line].to_json()
        if known is not None:
            row["calibration"] = known.caution
            for sentence in row["sentences"]:
                sentence["probability"] = known.of_sentence(sentence)
        yield row


class _Tally:
    """What became of the input, told on standard error."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._statuses: Counter[str] = Counter()
        self._bad = self.texts = 0

    def good(self, scored: ScoredText) -> None:
        self.texts += 1
        self._statuses.update(sentence.status.value for sentence in scored.sentences)

    def bad(self, line: BadLine) -> None:
        self._bad += 1
        if self._bad <= _BAD_LINES_SHOWN:
            say(f"error: {self._name}:{line.line}: {line.reason}")

    def close(self) -> None:
        """The sum of it. Raises typer.Exit when some of the input has no score."""
        if self.texts:
            found = ", ".join(f"{number:,} {name}" for name, number in sorted(self._statuses.items())) or "no sentence"
            say(f"scored {number_of(self.texts, 'text')}: {found}")
        if self._bad > _BAD_LINES_SHOWN:
            say(f'error: {self._name}: {self._bad} lines could not be read; their rows carry "error"')
        if self._statuses["failed"]:
            say(f'error: {self._name}: {self._statuses["failed"]} sentences could not be scored; see their "reason"')
        if self._bad or self._statuses["failed"]:
            raise typer.Exit(1)
