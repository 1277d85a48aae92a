"""A language model of 70,000 weights, its tokenizer, a small index and questions, all made here in some seconds.

The model is fitted to the completions below, so that what it samples has tags, sentences and claims.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from corver.corpus.opening import open_corpus
from corver.index import build_index
from corver.policy.load import Policy
from corver.policy.prompts import prompt_messages

END = "<|end|>"
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)

SHAPE = {
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
}  # fmt: skip

DOCUMENTS = (
    ("Marie Curie", "Marie Curie was born in Warsaw. Marie Curie discovered polonium and radium in Paris."),
    ("Marie Curie's life", "Warsaw remembers Marie Curie. The physicist Marie Curie left Warsaw for Paris."),
    ("Władysław Reymont", "Władysław Reymont wrote about Łódź. Władysław Reymont came to Łódź and lived in Warsaw."),
    ("Isaac Newton", "Isaac Newton was born in Woolsthorpe. Isaac Newton studied in Cambridge."),
    ("Ada Lovelace", "Ada Lovelace was born in London. Ada Lovelace wrote about the Analytical Engine."),
    ("Albert Einstein", "Albert Einstein was born in Ulm. Albert Einstein worked in Bern and Princeton."),
)

QUESTIONS = (
    ("Where was Marie Curie born?", "Warsaw", "Marie Curie was born in Warsaw."),
    ("Which city did Władysław Reymont write about?", "Łódź", "Władysław Reymont wrote about Łódź."),
    ("Where was Isaac Newton born?", "Woolsthorpe", "Isaac Newton was born in Woolsthorpe."),
    ("Where was Ada Lovelace born?", "London", "Ada Lovelace was born in London."),
    ("Where was Albert Einstein born?", "Ulm", "Albert Einstein was born in Ulm."),
    ("Where did Isaac Newton study?", "Cambridge", "Isaac Newton studied in Cambridge."),
    ("What did Marie Curie discover?", "polonium", "Marie Curie discovered polonium."),
    ("Where did Albert Einstein work?", "Bern", "Albert Einstein worked in Bern."),
)


def good_completion(thought: str, answer: str) -> str:
    return f"<think>{thought}</think> <answer>{answer}</answer>"


def byte_level_bpe(texts: list[str], *, size: int, special: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE; EOS is the padding too."""
    texts = [text for _, text in DOCUMENTS]
    texts += [question + " " + good_completion(thought, answer) for question, answer, thought in QUESTIONS]
    texts += [message["content"] for message in prompt_messages("x")]
    tokenizer = byte_level_bpe(texts, size=500, special=[END, "<|system|>", "<|user|>", "<|assistant|>"])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=END,
        chat_template=TEMPLATE,
        padding_side="left",
        extra_special_tokens=["<|system|>", "<|user|>", "<|assistant|>"],
    )


def make_model(tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, extra_ids: int = 0) -> LlamaForCausalLM:
    """An unfitted Llama of two layers. extra_ids: rows of the embedding that the tokenizer has no token for."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer) + extra_ids,
        hidden_size=64,
        intermediate_size=128,
        **SHAPE,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config)


def fit(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, *, steps: int = 60) -> None:
    """Teach the model the completions above, imperfectly."""
    rows, labels = [], []
    for question, answer, thought in QUESTIONS:
        prompt = tokenizer.apply_chat_template(prompt_messages(question), add_generation_prompt=True, return_dict=False)
        reply = tokenizer(good_completion(thought, answer) + END, add_special_tokens=False)["input_ids"]
        rows.append(prompt + reply)
        labels.append([-100] * len(prompt) + reply)
    width = max(map(len, rows))
    ids = torch.tensor([row + [tokenizer.pad_token_id] * (width - len(row)) for row in rows])
    targets = torch.tensor([row + [-100] * (width - len(row)) for row in labels])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(steps):
        loss = model(input_ids=ids, attention_mask=mask, labels=targets).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def save_model(folder: Path) -> None:
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    fit(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_policy(*, extra_ids: int = 0) -> Policy:
    """An unfitted policy in float32."""
    tokenizer = make_tokenizer()
    return Policy("tiny", make_model(tokenizer, extra_ids=extra_ids).eval(), tokenizer)


def save_index(folder: Path) -> None:
    corpus = folder.with_suffix(".jsonl")
    rows = [{"id": str(number), "title": title, "text": text} for number, (title, text) in enumerate(DOCUMENTS)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = open_corpus([str(corpus)])
    build_index(source.shards(), folder, sources=source.sources())


def save_questions(path: Path, *, train: int = 5) -> None:
    """The first `train` questions are of split train, the others of split heldout."""
    rows: list[dict[str, Any]] = [
        {
            "id": f"q{number}",
            "question": question,
            "answers": [answer],
            "split": "train" if number < train else "heldout",
        }
        for number, (question, answer, _) in enumerate(QUESTIONS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
