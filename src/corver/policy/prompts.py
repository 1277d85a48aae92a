"""Prompts: a question in, chat messages out. The same prompt serves training, the learning zone and evaluation.

In: a question and the name of a prompt. Out: chat messages for a model's own template. The rules follow the paper
(arXiv 2605.29648): think and answer tags, full names instead of pronouns, admit not knowing, do not repeat a point.
This module knows no tokenizer and no model.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["PromptName", "prompt_messages"]

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
