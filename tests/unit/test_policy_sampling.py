"""Sampling: the shared prompt cache changes nothing, completions end where they end, seeds reproduce."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from corver.config import PolicyConfig
from corver.errors import ConfigError, InputError
from corver.policy.generate import LEAST_SHARED, SamplingSettings, encode_prompt, generate, sample_ids
from corver.policy.load import Policy, load_policy, pick_device, pick_dtype
from tiny import END, QUESTIONS, make_policy

GREEDY = SamplingSettings(temperature=0.0, max_tokens=24)


@pytest.fixture(scope="module")
def fitted(tiny_model) -> Policy:
    return load_policy(PolicyConfig(model=str(tiny_model), dtype="float32", device="cpu"))


@pytest.fixture(scope="module")
def unfitted() -> Policy:
    return make_policy()


def prompts_of(policy: Policy, questions: Sequence[str]) -> list[list[int]]:
    return [encode_prompt(policy, text, prompt="instruct", template={}) for text in questions]


def by_hand(policy: Policy, prompt: Sequence[int], limit: int) -> list[int]:
    """Greedy decoding a token at a time, without any cache."""
    ids = list(prompt)
    for _ in range(limit):
        with torch.no_grad():
            logits = policy.model(input_ids=torch.tensor([ids])).logits[0, -1]
        ids.append(int(logits.argmax()))
        if ids[-1] == policy.tokenizer.eos_token_id:
            break
    return ids[len(prompt) :]


BATCHES = {
    "one": ["Where was Marie Curie born?"],
    "identical": ["Where was Marie Curie born?"] * 3,
    "of several lengths": [
        "Where?",
        "Where was Marie Curie born?",
        "Which of the cities of the world did Władysław Reymont write about, and why?",
        "Where was Ada Lovelace born?",
    ],
    "one the beginning of another": ["Where was Ada", "Where was Ada Lovelace born?", ""],
}


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("which", ["fitted", "unfitted"])
def test_greedy_completions_are_those_of_plain_decoding(
    name: str, which: str, fitted: Policy, unfitted: Policy
) -> None:
    policy = fitted if which == "fitted" else unfitted
    prompts = prompts_of(policy, BATCHES[name])
    expected = [by_hand(policy, prompt, GREEDY.max_tokens) for prompt in prompts]
    assert [ids for ids, _ in sample_ids(policy, prompts, GREEDY)] == expected
    assert [sample_ids(policy, [prompt], GREEDY)[0][0] for prompt in prompts] == expected


@pytest.mark.parametrize("shared", [0, 1, LEAST_SHARED - 1, LEAST_SHARED, LEAST_SHARED + 5])
@pytest.mark.parametrize("tails", [(1, 1), (1, 9, 4), (3, 3, 3, 3)])
def test_any_shared_length_gives_plain_completions(unfitted: Policy, shared: int, tails: Sequence[int]) -> None:
    head = [300 + number for number in range(shared)]
    prompts = [head + [10 + row] * tail for row, tail in enumerate(tails)]
    expected = [by_hand(unfitted, prompt, 8) for prompt in prompts]
    settings = SamplingSettings(temperature=0.0, max_tokens=8)
    assert [ids for ids, _ in sample_ids(unfitted, prompts, settings)] == expected


def test_completions_end_with_the_end_token_or_are_cut_off(fitted: Policy) -> None:
    questions = [question for question, *_ in QUESTIONS]
    end = fitted.tokenizer.eos_token_id
    rows = sample_ids(fitted, prompts_of(fitted, questions), GREEDY)
    assert any(not cut_off for _, cut_off in rows)
    for ids, cut_off in rows:
        assert ids.count(end) == (0 if cut_off else 1)
        assert (ids[-1] == end) is not cut_off
        assert len(ids) == GREEDY.max_tokens if cut_off else len(ids) <= GREEDY.max_tokens
    for ids, cut_off in sample_ids(fitted, prompts_of(fitted, questions), SamplingSettings(max_tokens=3)):
        assert (len(ids), cut_off) == (3, True)


def test_an_end_token_at_the_limit_is_no_cut(fitted: Policy) -> None:
    (prompt,) = prompts_of(fitted, ["Where was Marie Curie born?"])
    ((whole, cut_off),) = sample_ids(fitted, [prompt], SamplingSettings(max_tokens=60))
    assert not cut_off
    assert sample_ids(fitted, [prompt], SamplingSettings(max_tokens=len(whole))) == [(whole, False)]
    assert sample_ids(fitted, [prompt], SamplingSettings(max_tokens=len(whole) - 1)) == [(whole[:-1], True)]


def test_the_tokenizers_end_token_stops_a_model_that_declares_none(fitted: Policy) -> None:
    (prompt,) = prompts_of(fitted, ["Where was Marie Curie born?"])
    expected = sample_ids(fitted, [prompt], GREEDY)
    declared = fitted.model.generation_config.eos_token_id
    try:
        for other in (None, 5, [5, 6]):
            fitted.model.generation_config.eos_token_id = other
            assert sample_ids(fitted, [prompt], GREEDY) == expected
    finally:
        fitted.model.generation_config.eos_token_id = declared


@pytest.mark.parametrize(
    "defaults",
    [{"repetition_penalty": 5.0}, {"no_repeat_ngram_size": 2}, {"temperature": 0.1, "top_k": 1, "top_p": 0.1}],
)
def test_a_models_own_sampling_defaults_change_nothing(unfitted: Policy, defaults: dict[str, float]) -> None:
    prompts = prompts_of(unfitted, BATCHES["of several lengths"])
    drawn = SamplingSettings(temperature=1.0, max_tokens=12)

    def sample() -> list[list[tuple[list[int], bool]]]:
        torch.manual_seed(3)
        return [sample_ids(unfitted, prompts, settings) for settings in (GREEDY, drawn)]

    expected = sample()
    config = unfitted.model.generation_config
    before = {name: getattr(config, name) for name in defaults}
    try:
        config.update(**defaults)
        assert sample() == expected
    finally:
        config.update(**before)


def test_sampling_keeps_the_mode_of_the_model(unfitted: Policy) -> None:
    prompts = prompts_of(unfitted, BATCHES["identical"])
    for mode in (True, False):
        unfitted.model.train(mode)
        sample_ids(unfitted, prompts, SamplingSettings(max_tokens=2))
        assert unfitted.model.training is mode
    unfitted.model.eval()


def test_gradient_checkpointing_does_not_change_samples(fitted: Policy) -> None:
    prompts = prompts_of(fitted, BATCHES["of several lengths"])
    expected = sample_ids(fitted, prompts, GREEDY)
    fitted.model.gradient_checkpointing_enable()
    fitted.model.train()
    try:
        assert sample_ids(fitted, prompts, GREEDY) == expected
    finally:
        fitted.model.gradient_checkpointing_disable()
        fitted.model.eval()


def test_top_k_one_is_greedy(fitted: Policy) -> None:
    prompts = prompts_of(fitted, BATCHES["of several lengths"])
    settings = SamplingSettings(temperature=1.0, top_k=1, max_tokens=24)
    assert sample_ids(fitted, prompts, settings) == sample_ids(fitted, prompts, GREEDY)


def flat(policy: Policy, questions: Sequence[str], **changes: float) -> dict[tuple[int, int], tuple[int, ...]]:
    settings = SamplingSettings(**{"temperature": 1.0, "max_tokens": 16, "samples": 2, "batch": 4, **changes})
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for samples in generate(policy, questions, prompt="instruct", settings=settings):
        for number, sample in enumerate(samples):
            found[sample.question, number % int(settings.samples)] = sample.ids
    return found


def test_seeds_reproduce_and_differ(fitted: Policy) -> None:
    questions = [question for question, *_ in QUESTIONS[:4]]
    first = flat(fitted, questions, seed=1)
    assert first.keys() == {(question, draw) for question in range(4) for draw in range(2)}
    torch.rand(5)
    assert flat(fitted, questions, seed=1) == first
    assert flat(fitted, questions, seed=2) != first


def test_generate_gives_every_question_its_own_completions(fitted: Policy) -> None:
    questions = BATCHES["of several lengths"]
    told: list[int] = []
    settings = SamplingSettings(max_tokens=24, batch=3)
    rows = [
        sample
        for samples in generate(fitted, questions, prompt="instruct", settings=settings, progress=told.append)
        for sample in samples
    ]
    assert sorted(sample.question for sample in rows) == [0, 1, 2, 3]
    assert sum(told) == 4
    for sample in rows:
        (prompt,) = prompts_of(fitted, [questions[sample.question]])
        assert list(sample.ids) == by_hand(fitted, prompt, 24)
        assert sample.text == fitted.tokenizer.decode(sample.ids).removesuffix(END)


def test_more_samples_than_a_batch_holds(fitted: Policy) -> None:
    assert len(flat(fitted, ["Where?"], samples=5, batch=2)) == 5


def test_an_id_that_the_tokenizer_lacks_carries_no_text() -> None:
    policy = make_policy(extra_ids=12)
    with torch.no_grad():
        policy.model.lm_head.weight[:-12].zero_()
    (samples,) = generate(
        policy, ["Where?"], prompt="instruct", settings=SamplingSettings(temperature=1.0, max_tokens=200)
    )
    known = len(policy.tokenizer)
    assert any(number >= known for number in samples[0].ids)
    assert samples[0].text == policy.tokenizer.decode(
        [number for number in samples[0].ids if number not in policy.tokenizer.all_special_ids]
    )


def test_a_policy_that_cannot_be_loaded_is_one_line(tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as raised:
        load_policy(PolicyConfig(model=str(tmp_path / "empty"), device="cpu"))
    assert "\n" not in str(raised.value)
    assert str(tmp_path / "empty") in str(raised.value)


@pytest.mark.parametrize(("without", "named"), [("chat_template", "chat template"), ("eos_token", "end token")])
def test_a_model_that_cannot_take_a_prompt_is_refused(tmp_path, without: str, named: str) -> None:
    policy = make_policy()
    setattr(policy.tokenizer, without, None)
    policy.model.save_pretrained(tmp_path)
    policy.tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InputError, match=named):
        load_policy(PolicyConfig(model=str(tmp_path), device="cpu"))


def test_devices_and_types() -> None:
    assert pick_device("cpu").type == "cpu"
    assert pick_dtype("bfloat16", torch.device("cpu")) is torch.bfloat16
    for name, there in (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available())):
        if there:
            assert pick_device(name).type == name
        else:
            with pytest.raises(ConfigError, match=name):
                pick_device(name)
