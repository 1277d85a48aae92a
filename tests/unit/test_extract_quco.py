"""The extractor by language model: its answers, its cache, and both places where its model may run."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from chat_server import Sent, chat, chat_server
from corver.config import EndpointConfig
from corver.endpoint import ChatEndpoint, Reply, ReplyFailure
from corver.errors import ConfigError, DependencyError, EndpointError, InputError, UsageError
from corver.extract.answer_cache import Answer, AnswerCache
from corver.extract.local_model import LocalModel
from corver.extract.quco import CUT_OFF, EndpointModel, QucoExtractor, read_template
from corver.reward.select import claims_of
from corver.types import Extraction, Extractor, Pair, Passage, Span
from tiny import make_tokenizer

TEMPLATE = "Sentence:{}\nentities:\n"
CURIE = "Marie Curie was born in Warsaw."


class Told:
    """A model that answers as it is told, and remembers what it was asked."""

    def __init__(self, answers: dict[str, str | Reply | ReplyFailure], *, name: str = "told") -> None:
        self.answers = answers
        self.name = name
        self.asked: list[str] = []

    def answer(self, prompts: Sequence[str]) -> list[Reply | ReplyFailure]:
        sentences = [prompt.removeprefix("Sentence:").removesuffix("\nentities:\n") for prompt in prompts]
        self.asked += sentences
        replies = [self.answers.get(sentence, "[]") for sentence in sentences]
        return [Reply(reply, "stop") if isinstance(reply, str) else reply for reply in replies]

    def fingerprint(self) -> str:
        return self.name


def extractor(answers: dict[str, Any], **options: Any) -> QucoExtractor:
    return QucoExtractor(Told(answers), template=TEMPLATE, **options)


def read(sentence: str, answer: str | Reply | ReplyFailure, **options: Any) -> Extraction:
    ((extraction,),) = extractor({sentence: answer}, **options).extract([Passage((sentence,))])
    return extraction


# -- answers -----------------------------------------------------------------------------------------------------------


def test_pairs_come_with_their_spans() -> None:
    answer = '[["Marie Curie", "born in", "Warsaw"], ["Curie", "is", "chemist"]]'
    assert read(CURIE, answer).pairs == (
        Pair("Marie Curie", "born in", "Warsaw", Span(0, 11), Span(24, 30)),
        Pair("Curie", "is", "chemist", Span(6, 11), None),
    )


def test_spans_are_whole_words_and_do_not_overlap() -> None:
    (pair,) = read("Yorkshire and New York, New York.", '[["New York", "in", "New York"]]').pairs
    assert (pair.head_span, pair.tail_span) == (Span(14, 22), Span(24, 32))
    (pair,) = read("Yorkshire pudding.", '[["York", "has", "pudding"]]').pairs
    assert (pair.head_span, pair.tail_span) == (None, Span(10, 17))


def test_an_empty_list_is_no_claim_and_nothing_else_is() -> None:
    assert read(CURIE, "[]") == Extraction()
    for answer in ("", "I cannot do that.", '[["a", "b"]]', '[["Marie'):
        failed = read(CURIE, answer)
        assert failed.pairs == ()
        assert failed.failure is not None
        assert "model's answer" in failed.failure


def test_a_cut_answer_keeps_whole_triplets_and_says_so() -> None:
    cut = read(CURIE, Reply('[["Marie Curie", "born in", "Warsaw"], ["Marie', "length"))
    assert [pair.tail for pair in cut.pairs] == ["Warsaw"]
    assert (cut.note, cut.failure) == (CUT_OFF, None)
    assert read(CURIE, Reply('[["Marie Curie", "born', "length")).failure is not None


def test_a_missing_answer_is_a_failure_of_its_sentence_alone() -> None:
    answers = {CURIE: '[["Marie Curie", "born in", "Warsaw"]]', "She left.": ReplyFailure("timeout", "no answer")}
    (row,) = extractor(answers).extract([Passage((CURIE, "She left.", "Really."))])
    assert [extraction.failure for extraction in row] == [None, "the model gave no answer (timeout): no answer", None]


def test_pronouns_and_questions_lend_as_they_do_by_rule() -> None:
    answers = {
        CURIE: '[["Marie Curie", "born in", "Warsaw"]]',
        "She discovered polonium.": '[["She", "discovered", "polonium"]]',
    }
    passage = Passage((CURIE, "She discovered polonium.", "Warsaw."), "Where was Marie Curie born?")
    (row,) = extractor(answers, question_subject=True).extract([passage])
    assert [(e.pairs[0].head, e.pairs[0].tail) for e in row] == [
        ("Marie Curie", "Warsaw"), ("Marie Curie", "polonium"), ("Marie Curie", "Warsaw")]  # fmt: skip
    (plain,) = extractor(answers, resolve_pronouns="off").extract([passage])
    assert [claims_of(e.pairs, "first") != [] for e in plain] == [True, False, False]


def test_first_min_and_relcheck_read_its_pairs() -> None:
    pairs = read(
        CURIE, '[["It", "is", "Warsaw"], ["Marie Curie", "born in", "Warsaw"], ["Marie", "is", "Curie"]]'
    ).pairs
    assert [claim.words for claim in claims_of(pairs, "first")] == [("curie", "marie", "warsaw")]
    assert [claim.words for claim in claims_of(pairs, "min")] == [("curie", "marie", "warsaw"), ("curie", "marie")]
    assert claims_of(pairs, "relcheck")[0].check == ("born", "curie", "marie", "warsaw")


# -- what is asked -----------------------------------------------------------------------------------------------------


def test_each_sentence_is_asked_once_and_empty_ones_not_at_all() -> None:
    told = Told({})
    QucoExtractor(told, template=TEMPLATE).extract([Passage((CURIE, "…", CURIE)), Passage((CURIE, "", "She left."))])
    assert told.asked == [CURIE, "She left."]


def test_the_prompt_ends_as_the_paper_says_after_fourteen_examples() -> None:
    template = read_template(None)
    assert template.endswith("Sentence:{}\nentities:\n")
    examples = template.split("Sentence:")[1:-1]
    assert len(examples) == 14
    for example in examples:
        sentence, answer = example.strip().split("\nentities:\n")
        for head, relation, tail in json.loads(answer):
            assert head in sentence
            assert tail in sentence
            assert relation


def test_a_sentence_with_braces_is_put_in_as_it_stands() -> None:
    told = Told({})
    QucoExtractor(told, template=TEMPLATE).extract([Passage(("The set {} is {empty}.",))])
    assert told.asked == ["The set {} is {empty}."]


def test_templates_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Find: {}\n")
    assert read_template(tmp_path / "prompt.txt") == "Find: {}\n"
    (tmp_path / "wrong.txt").write_text("Find: {} in {}\n")
    with pytest.raises(ConfigError, match=r"wrong\.txt: .* once, .* this one 2 times"):
        read_template(tmp_path / "wrong.txt")
    with pytest.raises(ConfigError) as caught:
        read_template(tmp_path / "none.txt")
    assert str(caught.value) == f"{tmp_path / 'none.txt'}: cannot read the prompt template: No such file or directory"
    with pytest.raises(ConfigError, match="cannot read the prompt template"):
        read_template(tmp_path / "none.txt")
    with pytest.raises(ConfigError, match="0 times"):
        QucoExtractor(Told({}), template="Find!")


def test_the_fingerprint_tells_what_the_pairs_depend_on(tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [{}, {"question_subject": True}, {"resolve_pronouns": "off"}]
    found = {extractor({}, **some).fingerprint() for some in options}
    found.add(QucoExtractor(Told({}), template=TEMPLATE + " ").fingerprint())
    found.add(QucoExtractor(Told({}, name="other"), template=TEMPLATE).fingerprint())
    assert len(found) == 5
    assert extractor({}, cache=tmp_path / "cache").fingerprint() == extractor({}).fingerprint()
    assert isinstance(extractor({}), Extractor)


# -- cache -------------------------------------------------------------------------------------------------------------


def test_what_was_asked_once_is_not_asked_again(tmp_path: Path) -> None:
    answers: dict[str, Any] = {
        CURIE: Reply('[["Marie Curie", "born in", "Warsaw"], ["x', "length"),
        "She left.": ReplyFailure("timeout", "no answer"),
    }
    passages = [Passage((CURIE, "She left."))]
    runs = []
    for _ in range(2):
        told = Told(answers)
        runs.append(QucoExtractor(told, template=TEMPLATE, cache=tmp_path / "cache").extract(passages))
        asked = told.asked
    assert runs[0] == runs[1]
    assert runs[1][0][0].note == CUT_OFF
    assert asked == ["She left."]  # a failure is not kept


def test_another_model_or_template_has_answers_of_its_own(tmp_path: Path) -> None:
    for name, template in (("a", TEMPLATE), ("b", TEMPLATE), ("b", TEMPLATE + "\n")):
        told = Told({}, name=name)
        QucoExtractor(told, template=template, cache=tmp_path / "cache").extract([Passage((CURIE,))])
        assert len(told.asked) == 1


def test_a_cache_that_cannot_serve_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but long enough to be told apart from an empty file" * 20)
    with pytest.raises(InputError, match="text: cannot serve as a cache of answers"):
        AnswerCache(tmp_path / "text")
    with pytest.raises(InputError, match="cannot serve"):
        AnswerCache(tmp_path / "no" / "folder")
    with sqlite3.connect(tmp_path / "newer") as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(InputError, match="has format 9, expected 1"):
        AnswerCache(tmp_path / "newer")
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE invoices (number INTEGER)")
    before = (tmp_path / "other").read_bytes()
    with pytest.raises(InputError, match="other: is a database of something else"):
        AnswerCache(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == before


def test_any_text_can_be_kept(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "cache")
    cache.put({b"a": Answer("Łódź 🤣\0 \ud83e", cut=True), b"b": Answer("")})
    assert cache.get([b"a", b"b", b"c"]) == {b"a": Answer("Łódź 🤣\0 ?", cut=True), b"b": Answer("")}


FILL = """
import sys
from pathlib import Path
from corver.extract.answer_cache import Answer, AnswerCache

cache, worker = AnswerCache(Path(sys.argv[1])), sys.argv[2]
for number in range(20):
    cache.put({f"{worker} {number} {part}".encode(): Answer(str(number)) for part in range(5)})
    print(number, flush=True)
"""


def test_several_processes_fill_one_cache_and_a_kill_leaves_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    workers = [
        subprocess.Popen([sys.executable, "-c", FILL, str(path), str(worker)], stdout=subprocess.PIPE, text=True)
        for worker in range(3)
    ]
    killed = workers[2]
    assert killed.stdout is not None
    killed.stdout.readline()
    killed.kill()
    for process in workers:
        process.communicate(timeout=60)
    assert [process.returncode for process in workers[:2]] == [0, 0]
    cache = AnswerCache(path)
    for worker in range(3):
        kept = [len(cache.get([f"{worker} {number} {part}".encode() for part in range(5)])) for number in range(20)]
        assert set(kept) <= ({5} if worker < 2 else {0, 5})


# -- behind an address -------------------------------------------------------------------------------------------------


def test_a_model_behind_an_address() -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        sentence = body["messages"][0]["content"].split("Sentence:")[-1]
        return chat('[["Marie Curie", "born in", "Warsaw"]]') if "Curie" in sentence else Sent({}, 500)

    with chat_server(answer) as server:
        endpoint = ChatEndpoint(EndpointConfig(base_url=server.url, model="m", retries=0))
        one = QucoExtractor(EndpointModel(endpoint))
        (row,) = one.extract([Passage((CURIE, "He left."))])
    assert row[0].pairs[0].tail == "Warsaw"
    assert row[1].failure is not None
    assert "(status): 500" in row[1].failure
    (first, _) = sorted(server.asked, key=lambda body: -str(body).count("Curie was born"))
    assert first["messages"] == [{"role": "user", "content": read_template(None).replace("{}", CURIE)}]
    assert (first["max_tokens"], first["temperature"]) == (256, 0)


def test_a_server_without_the_model_is_found_at_once() -> None:
    with chat_server(lambda body, number: chat("[]"), models=Sent({"data": []})) as server:
        endpoint = ChatEndpoint(EndpointConfig(base_url=server.url, model="m", retries=0))
        with pytest.raises(EndpointError, match="serves no model"):
            EndpointModel(endpoint)
        other = ChatEndpoint(EndpointConfig(base_url=server.url, model="n", retries=0))
        plain, named = (EndpointModel(some, check=False) for some in (endpoint, other))
    assert plain.fingerprint() != named.fingerprint()


# -- on this machine ---------------------------------------------------------------------------------------------------

LESSONS = {
    CURIE: '[["Marie Curie", "was born in", "Warsaw"]]',
    "Isaac Newton was born in Woolsthorpe.": '[["Isaac Newton", "was born in", "Woolsthorpe"]]',
    "Really?": "[]",
}


def _prompt(tokenizer: Any, sentence: str) -> list[int]:
    messages = [{"role": "user", "content": TEMPLATE.replace("{}", sentence)}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a Qwen2 of two layers that has learned the lessons above by heart."""
    tokenizer = make_tokenizer()
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=2, eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
        )
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rows = []
    for sentence, answer in LESSONS.items():
        prompt = _prompt(tokenizer, sentence)
        reply = [*tokenizer(answer, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        rows.append((torch.tensor([prompt + reply]), torch.tensor([[-100] * len(prompt) + reply])))
    for _ in range(40):
        optimizer.zero_grad()
        for ids, labels in rows:
            model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("qwen") / "model"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_model_on_this_machine(qwen: Path) -> None:
    model = LocalModel(str(qwen), dtype="float32", device="cpu", batch=2)
    one = QucoExtractor(model, template=TEMPLATE)
    (row,) = one.extract([Passage(tuple(LESSONS))])
    assert [extraction.failure for extraction in row] == [None] * 3
    assert [[(pair.head, pair.tail) for pair in e.pairs] for e in row] == [
        [("Marie Curie", "Warsaw")], [("Isaac Newton", "Woolsthorpe")], []]  # fmt: skip


def test_batches_and_the_shared_beginning_change_no_answer(qwen: Path) -> None:
    """The oracle is transformers' own generation, a prompt at a time."""
    sentences = [*LESSONS, "Ada Lovelace wrote about the Analytical Engine in London.", "Łódź 🤣", "A"]
    prompts = [TEMPLATE.replace("{}", sentence) for sentence in sentences]
    model = LocalModel(str(qwen), dtype="float32", device="cpu", batch=4)
    alone = LocalModel(str(qwen), dtype="float32", device="cpu", batch=1)
    expected = []
    for sentence in sentences:
        ids = _prompt(model._tokenizer, sentence)
        output = model._model.generate(
            torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long), do_sample=False,
            max_new_tokens=256, pad_token_id=model._tokenizer.pad_token_id,
        )[0, len(ids) :].tolist()  # fmt: skip
        expected.append(model._tokenizer.decode(output, skip_special_tokens=True))
    for found in (model.answer(prompts), alone.answer(prompts)):
        assert [reply.text for reply in found if isinstance(reply, Reply)] == expected
        assert {reply.finish for reply in found[:3] if isinstance(reply, Reply)} == {"stop"}


def test_a_special_token_in_a_sentence_is_text(qwen: Path) -> None:
    model = LocalModel(str(qwen), dtype="float32", device="cpu")
    end = model._tokenizer.eos_token_id
    plain = model._encode("Sentence:a b\nentities:\n").count(end)
    assert model._encode("Sentence:a <|end|> b\nentities:\n").count(end) == plain


def test_the_models_fingerprint_is_that_of_its_weights(qwen: Path, tmp_path: Path) -> None:
    first = LocalModel(str(qwen), dtype="float32", device="cpu")
    half = LocalModel(str(qwen), dtype="bfloat16", device="cpu")
    with torch.no_grad():
        first._model.model.norm.weight += 1
    first._model.save_pretrained(tmp_path / "changed")
    first._tokenizer.save_pretrained(tmp_path / "changed")
    changed = LocalModel(str(tmp_path / "changed"), dtype="float32", device="cpu")
    assert len({first.fingerprint(), half.fingerprint(), changed.fingerprint()}) == 3
    assert LocalModel(str(qwen), dtype="float32", device="cpu", batch=7).fingerprint() == first.fingerprint()


@pytest.mark.parametrize("weights", [b"", b"\xff" * 300, None])
def test_half_written_weights_are_told_in_one_line(qwen: Path, tmp_path: Path, weights: bytes | None) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(qwen, copy)
    whole = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(whole[: len(whole) // 2] if weights is None else weights)
    with pytest.raises(InputError, match=rf"^{re.escape(str(copy))}: cannot load a language model: .*$"):
        LocalModel(str(copy), device="cpu")


def test_what_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"no config\.json in this folder"):
        LocalModel(str(tmp_path))
    with pytest.raises(UsageError, match="1 prompt or more"):
        LocalModel(str(tmp_path), batch=0)
    monkeypatch.delitem(sys.modules, "corver.language_model", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DependencyError, match=r"corver\[train\]"):
        LocalModel(str(tmp_path))
