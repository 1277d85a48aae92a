"""The extractor of the paper: a small language model that writes the triplets of a sentence.

In: passages, and a model: on this machine by transformers, or behind an address. Out: pairs, with the spans of those
whose words stand in the sentence. The paper (arXiv 2605.29648) takes `ZhishanQ/QuCo-extractor-0.5B`, a fine-tune of
Qwen2.5-0.5B-Instruct (Min et al. 2025, QuCo-RAG): one user message with 14 worked examples that ends in
"Sentence:…\\nentities:\\n", answered greedily in up to 256 tokens. The examples here are corver's own; pass another
template to use those that a model was tuned with. An answer that cannot be read is a failure, never "no claim".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from corver.endpoint import ChatEndpoint, Reply, ReplyFailure
from corver.errors import ConfigError, ExtractionError
from corver.extract.answer_cache import Answer, AnswerCache
from corver.extract.clauses import read_pairs
from corver.extract.collect import Reading
from corver.extract.passages import Lending, PronounRule, settle
from corver.extract.rules import MAX_SENTENCE
from corver.extract.scan import scan
from corver.extract.triplets import Triplet, read_triplets
from corver.types import Extraction, Pair, Passage, Span

__all__ = ["CUT_OFF", "MAX_NEW_TOKENS", "EndpointModel", "PromptModel", "QucoExtractor", "read_template"]

MAX_NEW_TOKENS = 256
CUT_OFF = "the model's answer was cut off; the triplets before the cut are kept"
_QUCO_VERSION = 1
_PLACE = "{}"
_AT_ONCE = 512
"""Sentences between two writes to the cache."""
_SAYS_SOMETHING = re.compile(r"[^\W_]")


class PromptModel(Protocol):
    """A model that answers prompts, each alone, greedily, in up to 256 tokens."""

    def answer(self, prompts: Sequence[str]) -> list[Reply | ReplyFailure]:
        """One answer a prompt, in order."""
        ...

    def fingerprint(self) -> str:
        """What the answers depend on."""
        ...


class EndpointModel:
    """A `PromptModel` behind an address. check: make sure that the server answers and serves the model."""

    def __init__(self, endpoint: ChatEndpoint, *, check: bool = True) -> None:
        self.endpoint = endpoint
        if check:
            endpoint.check()

    def answer(self, prompts: Sequence[str]) -> list[Reply | ReplyFailure]:
        """One answer a prompt, in order."""
        messages = [[{"role": "user", "content": prompt}] for prompt in prompts]
        return [row[0] for row in self.endpoint.complete(messages, max_tokens=MAX_NEW_TOKENS)]

    def fingerprint(self) -> str:
        """Address, name and further fields of the requests; what the server does behind them it does not tell."""
        config = self.endpoint.config
        parts = json.dumps(["endpoint", config.base_url, config.model, config.extra_body], sort_keys=True, default=str)
        return hashlib.sha256(parts.encode()).hexdigest()[:16]


class QucoExtractor:
    """Pairs by a language model.

    model: what answers. template: a prompt with one `{}` where the sentence goes; corver's own unless given. cache: a
    file that keeps answers over runs and processes. The other options are those of `Lending`. A sentence whose answer
    cannot be had or read has a `failure`; one whose answer was cut off after a whole triplet has a `note`.
    """

    def __init__(
        self,
        model: PromptModel,
        *,
        template: str | None = None,
        cache: Path | None = None,
        resolve_pronouns: PronounRule = "last_subject",
        question_subject: bool = False,
    ) -> None:
        self._model = model
        self._template = _checked(template) if template is not None else read_template(None)
        self._cache = AnswerCache(cache) if cache is not None else None
        self._lending = Lending(resolve_pronouns, question_subject)
        self._base = hashlib.sha256(f"{model.fingerprint()}\n{self._template}".encode("utf-8", "surrogatepass"))

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """One list a passage, one extraction a sentence; pairs in the model's order."""
        sentences = [sentence[:MAX_SENTENCE] for passage in passages for sentence in passage.sentences]
        spoken = [sentence for sentence in dict.fromkeys(sentences) if _SAYS_SOMETHING.search(sentence)]
        answers = dict(self._answers(spoken))
        readings = iter([_read(sentence, answers.get(sentence)) for sentence in sentences])
        return [settle(passage, [next(readings) for _ in passage.sentences], self._lending) for passage in passages]

    def fingerprint(self) -> str:
        """16 hex digits over version, model, template and options."""
        digest = self._base.copy()
        digest.update(f"\nquco {_QUCO_VERSION} {self._lending}".encode())
        return digest.hexdigest()[:16]

    def _answers(self, sentences: Sequence[str]) -> Iterator[tuple[str, Answer | ReplyFailure]]:
        """The answer to each sentence: from the cache, else from the model, which fills the cache as it goes."""
        keys = {sentence: self._key(sentence) for sentence in sentences}
        kept = self._cache.get(list(keys.values())) if self._cache is not None else {}
        yield from ((sentence, kept[key]) for sentence, key in keys.items() if key in kept)
        missing = [sentence for sentence, key in keys.items() if key not in kept]
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            replies = self._model.answer([self._template.replace(_PLACE, sentence) for sentence in some])
            fresh = {
                sentence: Answer(reply.text, reply.finish == "length") if isinstance(reply, Reply) else reply
                for sentence, reply in zip(some, replies, strict=True)
            }
            if self._cache is not None:
                self._cache.put({keys[one]: got for one, got in fresh.items() if isinstance(got, Answer)})
            yield from fresh.items()

    def _key(self, sentence: str) -> bytes:
        digest = self._base.copy()
        digest.update(b"\0" + sentence.encode("utf-8", "surrogatepass"))
        return digest.digest()


def read_template(path: Path | None) -> str:
    """A prompt template from a file, corver's own when there is none. Raises ConfigError when it cannot serve."""
    if path is None:
        return (files("corver.extract") / "quco_prompt.txt").read_text(encoding="utf-8")
    try:
        return _checked(path.read_text(encoding="utf-8"), f"{path}: ")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"{path}: cannot read the prompt template: {reason}") from None


def _checked(template: str, where: str = "") -> str:
    places = template.count(_PLACE)
    if places != 1:
        raise ConfigError(
            f"{where}a prompt template holds {_PLACE} once, for the sentence, and this one {places} times"
        )
    return template


def _read(sentence: str, answer: Answer | ReplyFailure | None) -> Reading | Extraction:
    """What an answer says of its sentence; nothing was asked about a sentence without a letter or digit."""
    if answer is None:
        return Reading()
    if isinstance(answer, ReplyFailure):
        return Extraction(failure=f"the model gave no answer ({answer.reason}): {answer.detail}")
    try:
        read = read_triplets(answer.text, cut=answer.cut)
    except ExtractionError as error:
        return Extraction(failure=str(error))
    pairs = [_pair(sentence, triplet) for triplet in read.found]
    # The model has nothing to say of a bare answer ("Warsaw."), which a question may complete.
    fragment = read_pairs(scan(sentence)).fragment if not pairs else None
    return Reading(pairs, fragment, note=CUT_OFF if read.cut else None)


def _pair(sentence: str, triplet: Triplet) -> Pair:
    head = _find(sentence, triplet.head, None)
    return Pair(triplet.head, triplet.relation, triplet.tail, head, _find(sentence, triplet.tail, head))


def _find(sentence: str, words: str, taken: Span | None) -> Span | None:
    """Where words stand in a sentence as whole words, beside what is taken; None when they do not."""
    if not words:
        return None
    for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", sentence):
        if taken is None or match.end() <= taken.start or match.start() >= taken.end:
            return Span(*match.span())
    return None
