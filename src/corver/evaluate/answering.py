"""Who answers the questions: a policy on this machine, or a model behind an endpoint.

In: questions. Out: their completions, a batch of questions at a time, all samples of a question together. Both ask with
the prompt that training uses. This module knows no gold answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from corver.endpoint import ChatEndpoint, ReplyFailure
from corver.errors import InputError
from corver.policy.prompts import PromptName, prompt_messages, prompts_open_think
from corver.policy.sampling import SamplingSettings

if TYPE_CHECKING:
    # A policy brings torch, which an endpoint does without.
    from corver.evaluate.questions import Question
    from corver.policy.load import Policy

__all__ = ["Answerer", "Completion", "EndpointAnswerer", "PolicyAnswerer", "with_adapter"]


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. question: its position in the input. tokens: None where nobody counted them.

    cut_off: it ended at the token limit. failure: why there is no answer; its text is empty then and is no answer.
    """

    question: int
    text: str
    cut_off: bool = False
    tokens: int | None = None
    failure: str | None = None


class Answerer(Protocol):
    """Anything that answers questions."""

    @property
    def think_opened(self) -> bool:
        """Whether the prompt already opens the `<think>` block."""
        ...

    def answer(self, questions: Sequence[Question]) -> Iterator[list[Completion]]:
        """Completions of a batch of questions at a time, all samples of one question in the same batch."""
        ...


class PolicyAnswerer:
    """A policy on this machine."""

    def __init__(
        self,
        policy: Policy,
        *,
        prompt: PromptName,
        settings: SamplingSettings,
        template: dict[str, Any] | None = None,
    ) -> None:
        self._policy, self._prompt, self._settings, self._template = policy, prompt, settings, template or {}

    @property
    def think_opened(self) -> bool:
        asked = prompt_messages("Who?", prompt=self._prompt)
        return prompts_open_think(self._policy.tokenizer, [asked], self._template)

    def answer(self, questions: Sequence[Question]) -> Iterator[list[Completion]]:
        from corver.policy.generate import generate

        batches = generate(
            self._policy,
            [question.question for question in questions],
            prompt=self._prompt,
            settings=self._settings,
            template=self._template,
        )
        for samples in batches:
            yield [
                Completion(sample.question, sample.text, cut_off=sample.cut_off, tokens=len(sample.ids))
                for sample in samples
            ]


class EndpointAnswerer:
    """A model behind a server of OpenAI's protocol. `settings.batch` questions are asked between two reports.

    The server applies its own chat template; a completion that it cut off ends with the reason "length".
    """

    think_opened = False

    def __init__(self, endpoint: ChatEndpoint, *, prompt: PromptName, settings: SamplingSettings) -> None:
        self._endpoint, self._prompt, self._settings = endpoint, prompt, settings

    def answer(self, questions: Sequence[Question]) -> Iterator[list[Completion]]:
        settings = self._settings
        for start in range(0, len(questions), settings.batch):
            batch = questions[start : start + settings.batch]
            replies = self._endpoint.complete(
                [prompt_messages(question.question, prompt=self._prompt) for question in batch],
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                top_p=settings.top_p,
                samples=settings.samples,
                seed=settings.seed,
            )
            yield [
                Completion(start + at, "", failure=reply.reason)
                if isinstance(reply, ReplyFailure)
                else Completion(start + at, reply.text, reply.finish == "length", reply.output_tokens)
                for at, given in enumerate(replies)
                for reply in given
            ]


def with_adapter(policy: Policy, adapter: Path) -> Policy:
    """The policy under a LoRA adapter, as a run saves one. Raises InputError when it does not fit."""
    from peft import PeftModel
    from safetensors import SafetensorError

    if not (adapter / "adapter_config.json").is_file():
        raise InputError(f"{adapter}: holds no adapter (adapter_config.json)")
    if not any(adapter.glob("*.safetensors")):
        raise InputError(f"{adapter}: holds no weights in safetensors")
    try:
        model = PeftModel.from_pretrained(policy.model, str(adapter))
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError) as error:
        line = " ".join(str(error).split())[:300]
        raise InputError(f"{adapter}: does not fit {policy.name}: {line}") from None
    return replace(policy, name=f"{policy.name}+{adapter.name}", model=model.eval())
