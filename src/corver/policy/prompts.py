"""Prompts: a question in, chat messages out. The same prompt serves training, the learning zone and evaluation.

In: a question and the name of a prompt. Out: chat messages for a model's own template. The rules follow the paper
(arXiv 2605.29648): think and answer tags, full names instead of pronouns, admit not knowing, do not repeat a point.
This module knows no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from corver.errors import ConfigError, InputError

__all__ = ["PromptName", "check_prompt", "prompt_messages", "prompts_open_think", "render_prompt"]

PromptName: TypeAlias = Literal["instruct", "few_shot"]
Message: TypeAlias = dict[str, str]

_INSTRUCT = (
    "Answer the question. First reason inside <think> and </think>, in short factual sentences. Then give only the "
    "final answer inside <answer> and </answer>. Write full names and no pronouns. Say each thing once and never "
    'repeat a point. If you do not know, write "I don\'t know" as the answer.'
)

_FEW_SHOT = (
    "Answer the question. First think in one or two short factual sentences inside <think> and </think>, then give "
    "the short answer inside <answer> and </answer>. Use full names and no pronouns. Do not repeat yourself."
)

# Worked examples for models too small to follow the instruction alone. None of them is a question of the demo.
_EXAMPLES = (
    (
        "What is the capital of Poland?",
        "Warsaw is the capital and largest city of Poland.",
        "Warsaw",
    ),
    (
        "Who wrote Don Quixote?",
        "Don Quixote was written by the Spanish author Miguel de Cervantes.",
        "Miguel de Cervantes",
    ),
)


def prompt_messages(question: str, *, prompt: PromptName = "instruct") -> list[Message]:
    """The messages that ask `question`, ending with the user's turn."""
    if prompt == "instruct":
        return [_message("system", _INSTRUCT), _message("user", question)]
    messages = [_message("system", _FEW_SHOT)]
    for asked, thought, answer in _EXAMPLES:
        messages.append(_message("user", asked))
        messages.append(_message("assistant", f"<think>{thought}</think> <answer>{answer}</answer>"))
    return [*messages, _message("user", question)]


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def render_prompt(tokenizer: Any, question: str, *, prompt: PromptName, template: Mapping[str, Any]) -> str:
    """The text that the model reads, up to where its completion begins. Raises InputError when the template refuses."""
    from jinja2 import TemplateError

    messages = prompt_messages(question, prompt=prompt)
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **template)
    except (TemplateError, TypeError, ValueError) as error:
        line = " ".join(str(error).split())
        raise InputError(f"the model's chat template cannot take the prompt {prompt!r}: {line}") from None
    return str(text)


def check_prompt(tokenizer: Any, *, prompt: PromptName, template: Mapping[str, Any]) -> None:
    """Make sure that the model's template leaves no part of the prompt out.

    Some templates drop the thoughts of earlier turns, and with them the worked examples of `few_shot`. Raises
    ConfigError naming the prompt.
    """
    text = render_prompt(tokenizer, "Who?", prompt=prompt, template=template)
    if any(message["content"] not in text for message in prompt_messages("Who?", prompt=prompt)):
        other = "instruct" if prompt == "few_shot" else "few_shot"
        raise ConfigError(
            f"policy.prompt={prompt}: the model's chat template leaves a part of it out (thoughts of earlier turns, "
            f"mostly); use {other}"
        )


def prompts_open_think(tokenizer: Any, prompts: Sequence[Any], template: Mapping[str, Any]) -> bool:
    """Whether completions begin inside a `<think>` block that the prompt has opened, as some chat templates do it.

    prompts: of one batch, texts or chat messages; the first one speaks for all. template: arguments of the template.
    """
    if not prompts:
        return False
    text = prompts[0]
    if not isinstance(text, str):
        # Through the tokenizer's own template, which a processor of images may lack.
        text = tokenizer.apply_chat_template(text, tokenize=False, add_generation_prompt=True, **template)
    return str(text).rstrip().lower().endswith("<think>")
