"""The small world of experiments/ablation: what it counts as true is exactly what its facts say."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[2] / "experiments" / "ablation"))

import estimates
import measure
import page
import pretrain
import sampler
import torch
import wording
import world as worlds
from arms import ARMS, arms_of
from replies import biography, reply

from corver.policy.generate import SamplingSettings, sample_ids
from corver.policy.load import Policy
from corver.text.sentences import split_sentences


@pytest.fixture(scope="module")
def world() -> worlds.World:
    return worlds.make_world(3)


def test_every_pattern_is_read_back_as_what_it_says(world: worlds.World) -> None:
    for person in world.people[:8]:
        for pattern in wording.PATTERNS:
            claims = wording.read_sentence(wording.say(pattern, person.name, person.facts))
            assert claims == tuple((person.name, relation, person.facts[relation]) for relation in pattern.relations)
            assert set(claims) <= world.truths


def test_filler_claims_nothing_and_broken_text_is_no_sentence() -> None:
    assert wording.read_sentence("Ada Venn had many friends.") == ()
    assert wording.read_sentence("Ada Venn was born in.") is None
    assert wording.read_sentence("Ada Venn was born in Sorel") is None


def test_a_world_follows_from_its_seed(world: worlds.World) -> None:
    again = worlds.make_world(3)
    assert again.people == world.people
    assert list(again.documents()) == list(world.documents())
    assert again.questions == world.questions
    assert worlds.make_world(4).people != world.people


def test_held_out_facts_and_people_are_never_trained_on(world: worlds.World) -> None:
    split_of = {}
    for question in world.questions:
        split_of.setdefault(question.person, []).append(question.split)
    assert len({question.text for question in world.questions}) == len(world.questions)
    for splits in split_of.values():
        assert splits == ["heldout_person"] * 6 or sorted(splits) == ["heldout_fact"] * 2 + ["train"] * 4
    assert sum(splits[0] == "heldout_person" for splits in split_of.values()) == len(world.people) // 5


def test_known_people_are_mentioned_more_often(world: worlds.World) -> None:
    text = " ".join(text for _, text in world.documents())
    mentions = [text.count(person.name) for person in world.people]
    assert sum(mentions[:15]) > 3 * sum(mentions[-15:])
    assert min(mentions) > 0


def test_beliefs_are_wrong_for_a_share_and_more_so_in_hearsay(world: worlds.World) -> None:
    plain, hearsay = (
        sum(belief.share[register] for belief in world.beliefs.values()) / len(world.beliefs)
        for register in ("plain", "hearsay")
    )
    assert 0.4 < hearsay < plain < 0.9
    assert all(belief.wrong != belief.true for belief in world.beliefs.values())


def test_replies_are_sentences_of_the_world_in_the_product_s_format(world: worlds.World) -> None:
    rng = random.Random(1)
    texts = [reply(world, rng.choice(world.questions), rng, rule=True) for _ in range(300)]
    total = measure.tally(texts, [["x"]] * 300, [1] * 300, world.truths)
    # A reply that lost a tag leaves its answer outside the block.
    assert 0 < total.unread < 300 - total.formed
    assert 0.9 < total.formed / 300 < 1
    assert 0.2 < total.true / total.claiming < 0.8
    assert all(wording.read_sentence(span.of(text)) is not None
               for text in [biography(world, 0, rng).strip()] for span in split_sentences(text))  # fmt: skip


def test_the_rule_forbids_repetition(world: worlds.World) -> None:
    shares = {}
    for rule in (True, False):
        rng = random.Random(2)
        texts = [reply(world, rng.choice(world.questions), rng, rule=rule) for _ in range(300)]
        total = measure.tally(texts, [["x"]] * 300, [1] * 300, world.truths)
        shares[rule] = total.repeated / total.sentences
    assert shares[True] < 0.01
    assert shares[False] > 0.1


def test_a_sentence_is_true_when_all_it_claims_is(world: worlds.World) -> None:
    person = world.people[0]
    good = wording.say(wording.PATTERNS[9], person.name, person.facts)
    wrong = {**person.facts, "death_place": next(t for t in world.pools.towns if t != person.facts["death_place"])}
    bad = wording.say(wording.PATTERNS[9], person.name, wrong)
    text = f"<think> {good} {bad} {good} Little more can be said.</think> <answer> {person.facts['book']}</answer>"
    total = measure.tally([text], [[person.facts["book"]]], [40], world.truths)
    assert (total.sentences, total.claiming, total.true, total.facts, total.facts_true) == (4, 2, 1, 6, 5)
    assert (total.distinct_true, total.repeated, total.unread, total.correct, total.formed) == (3, 1, 0, 1, 1)
    assert measure.rate(total.to_json(), "precision") == pytest.approx(1 / 2)


def test_arms_differ_in_name_and_in_what_they_change() -> None:
    assert len({arm.fingerprint() for arm in ARMS.values()}) == len(ARMS)
    assert ARMS["a1"].credit_config().lambda_c == 0
    assert ARMS["a3"].credit_config().alignment == "response"
    assert ARMS["full_lambda1"].credit_config().lambda_c == 1
    with pytest.raises(KeyError, match="no arm 'b7'"):
        arms_of(["b7"])


def test_intervals_over_seeds_are_student_s() -> None:
    found = estimates.paired({1: 3.0, 2: 5.0, 3: 4.0}, {1: 1.0, 2: 2.0, 3: 4.0, 9: 7.0})
    assert (found.value, found.seeds) == (pytest.approx(5 / 3), 3)
    low, high = stats.t.interval(0.95, 2, loc=5 / 3, scale=stats.sem([2.0, 3.0, 0.0]))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert estimates.verdict(found) == "not told apart"


@pytest.mark.parametrize("values", [[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 5.0]])
def test_the_least_visible_difference_is_seen_in_four_of_five_repetitions(values: list[float]) -> None:
    found = estimates.mean_of(dict(enumerate(values)))
    visible = estimates.least_visible(found)
    rng = random.Random(5)
    seen = 0
    for _ in range(4000):
        draws = {seed: rng.gauss(visible, found.spread) for seed in range(len(values))}
        seen += estimates.verdict(estimates.mean_of(draws)) == "higher"
    assert seen / 4000 == pytest.approx(0.8, abs=0.03)


def test_nothing_to_estimate_is_nan() -> None:
    assert math.isnan(estimates.mean_of({}).value)
    assert math.isnan(measure.rate({"true": 0, "claiming": 0}, "precision"))


def test_the_fast_sampler_says_what_the_product_s_says() -> None:
    torch.manual_seed(0)
    tokenizer = pretrain.make_tokenizer(["Ada Venn was born in Sorel.", "Where was Ada Venn born?"])
    model = pretrain.make_model(tokenizer).eval()
    for name, weights in model.named_parameters():
        if "norm" not in name:
            weights.data.normal_(0, 0.2)
    asked = ["Where was Ada Venn born?", "Who?", "Ada Ada Ada?", *(f"Who was Ada {n}?" for n in range(21))]
    prompts = [
        tokenizer.apply_chat_template(
            pretrain.chat(text, rule=len(text) % 2 > 0), add_generation_prompt=True, return_dict=False
        )
        for text in asked
    ]
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    settings = SamplingSettings(temperature=0.0, max_tokens=40)
    expected = sample_ids(Policy("tiny", model, tokenizer), prompts, settings)
    assert sampler.sample(model, tokenizer, prompts, settings) == expected
    assert len({tuple(ids) for ids, _ in expected}) > 12
    assert {cut for _, cut in expected} == {True, False}


def test_the_fast_sampler_draws_from_the_distribution() -> None:
    torch.manual_seed(0)
    logits = torch.tensor([[0.0, 1.0, -2.0, 3.0]]).expand(20_000, 4)
    shares = torch.bincount(sampler._drawn(logits)[:, 0], minlength=4) / 20_000
    assert torch.allclose(shares, torch.softmax(logits[0], dim=0), atol=0.015)


def test_the_page_holds_the_tables_of_the_results() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text, page.result_tables(page.RESULTS)) == text
    assert text.count("<!-- table: ") >= 20


def test_a_table_is_put_in_with_the_rows_and_columns_that_are_asked_for() -> None:
    table = page.Table("T", ["arm", "of", "value"], [["a", "x", "1"], ["b", "x", "2"], ["b", "y", "3"]])
    place = "<!-- table: T; rows=b; of=x,y; drop=of -->\n"
    text = f"before\n{place}| old |\n\nafter\n"
    expected = f"before\n{place}| arm | value |\n| --- | --- |\n| b | 2 |\n| b | 3 |\n\nafter\n"
    assert page.filled(text, {"T": table}) == expected
    with pytest.raises(KeyError):
        page.filled("<!-- table: U -->\n", {"T": table})
