"""Settings of the language model: which one, its adapters, and how its rollouts are sampled.

In: values. Out: checked models. The defaults are those of arXiv 2605.29648 where it gives one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from corver.config.base import ConfigModel, Fraction, Positive

__all__ = ["LoraSettings", "PolicyConfig", "SamplingConfig"]


class LoraSettings(ConfigModel):
    """Low-rank adapters; the defaults are the paper's.

    top_layers: adapt only so many of the last layers, which spares the backward pass through the others.
    """

    r: Annotated[int, Field(gt=0)] = 128
    alpha: Annotated[int, Field(gt=0)] = 256
    dropout: Fraction = 0.0
    top_layers: Annotated[int, Field(gt=0)] | None = None
    target_modules: tuple[str, ...] = (
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    )  # fmt: skip


class PolicyConfig(ConfigModel):
    """The language model to train.

    model: a local folder or a hub id (with `revision`). gguf_file: read weights from this GGUF file of the folder.
    trust_remote_code runs code that comes with the model and is off unless the user asks for it.
    """

    model: str
    revision: str | None = None
    gguf_file: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    trust_remote_code: bool = False
    lora: LoraSettings | None = LoraSettings()
    prompt: Literal["instruct", "few_shot"] = "instruct"
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)


class SamplingConfig(ConfigModel):
    """How rollouts are sampled.

    engine: `shared_prompt` computes the instruction and examples, which all prompts share, once a batch; it serves one
    process. `transformers` is TRL's own generation. `auto` takes the first where it can.
    """

    engine: Literal["auto", "shared_prompt", "transformers"] = "auto"

    temperature: Positive = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Field(ge=0)] = 0
    max_prompt_tokens: Annotated[int, Field(gt=0)] = 256
    max_completion_tokens: Annotated[int, Field(gt=0)] = 1000
