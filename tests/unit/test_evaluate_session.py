"""An evaluation by itself: a policy, an adapter, an endpoint; samples, resuming, popularity."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file

from chat_server import Sent, chat, chat_server
from corver.config import EndpointConfig, JudgeConfig, PolicyConfig, RewardConfig
from corver.errors import ConfigError, EndpointError, InputError
from corver.evaluate.answering import with_adapter
from corver.evaluate.figures import evaluation_figures
from corver.evaluate.questions import Question, read_questions
from corver.evaluate.session import EvaluationJob, evaluate_model
from corver.policy.load import load_policy
from corver.policy.sampling import SamplingSettings
from corver.runs import read_jsonl

GOOD = "<think>It is known.</think> <answer>{}</answer>"


def policy_job(model: Path, questions: Path, output: Path, **changes: Any) -> EvaluationJob:
    given: dict[str, Any] = {
        "model": PolicyConfig(model=str(model), dtype="float32", device="cpu"),
        "sampling": SamplingSettings(max_tokens=32, batch=8),
        "bootstrap": 200,
    }
    return EvaluationJob(questions=questions, output=output, **given | changes)


def endpoint_job(url: str, questions: Path, output: Path, **changes: Any) -> EvaluationJob:
    config = EndpointConfig(base_url=url, model="m", retries=0, timeout=5.0)
    given: dict[str, Any] = {"sampling": SamplingSettings(), "bootstrap": 200}
    return EvaluationJob(model=config, questions=questions, output=output, **given | changes)


def asked(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    rows = [{"id": str(n), "question": f"Q{n}?", "answers": [f"A{n}"], "s_pop": 10 * n} for n in range(8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_policy_with_an_index(tiny_model: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path) -> None:
    job = policy_job(tiny_model, tiny_questions, tmp_path / "new" / "a.jsonl", index=tiny_index)
    result = evaluate_model(job)
    rows = read_jsonl(job.output)
    assert len(rows) == result.figures.questions == 8
    right = sum(row["label"] == "correct" for row in rows)
    assert result.figures.summary["accuracy"].value == right / 8
    assert "sentence_reward" in result.figures.summary
    assert not result.failures
    assert not result.figures.pass_at


def test_without_an_index_there_are_no_sentence_figures(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    result = evaluate_model(policy_job(tiny_model, tiny_questions, tmp_path / "a.jsonl"))
    assert "sentence_reward" not in result.figures.summary
    assert {"accuracy", "accuracy_attempted", "mean_length"} <= set(result.figures.summary)


def test_samples_give_pass_at_k(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    sampling = SamplingSettings(temperature=1.0, max_tokens=24, samples=4, batch=8)
    job = policy_job(tiny_model, tiny_questions, tmp_path / "a.jsonl", sampling=sampling)
    result = evaluate_model(job)
    rows = read_jsonl(job.output)
    assert len(rows) == 32
    passed = result.figures.pass_at
    assert list(passed) == [1, 2, 4]
    assert passed[1].value == pytest.approx(sum(row["label"] == "correct" for row in rows) / 32)
    assert passed[1].value == pytest.approx(result.figures.summary["accuracy"].value)
    by_question = [
        any(row["label"] == "correct" for row in rows if row["id"] == name) for name in {r["id"] for r in rows}
    ]
    assert passed[4].value == pytest.approx(sum(by_question) / 8)
    assert result.figures.to_json()["samples"] == 4


def test_a_finished_evaluation_loads_no_model(
    tiny_model: Path, tiny_questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = policy_job(tiny_model, tiny_questions, tmp_path / "a.jsonl")
    first = evaluate_model(job)

    def refuse(*_: Any) -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr("corver.policy.load.load_policy", refuse)
    assert evaluate_model(job) == first


def test_another_setting_is_refused(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    job = policy_job(tiny_model, tiny_questions, tmp_path / "a.jsonl")
    evaluate_model(job)
    words = RewardConfig(judge=JudgeConfig(rule="words"))
    with pytest.raises(InputError, match="judge"):
        evaluate_model(policy_job(tiny_model, tiny_questions, job.output, reward=words))
    with pytest.raises(InputError, match="max_tokens"):
        evaluate_model(policy_job(tiny_model, tiny_questions, job.output, sampling=SamplingSettings(max_tokens=8)))
    faster = SamplingSettings(max_tokens=32, batch=1)
    evaluate_model(policy_job(tiny_model, tiny_questions, job.output, sampling=faster))


def test_other_weights_at_the_same_place_are_another_model(
    tiny_model: Path, tiny_questions: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    job = policy_job(model, tiny_questions, tmp_path / "a.jsonl")
    first = evaluate_model(job)
    shutil.rmtree(model)
    assert evaluate_model(job) == first  # the figures of a finished evaluation need no model
    shutil.copytree(tiny_model, model)
    assert evaluate_model(job) == first
    weights = load_file(model / "model.safetensors")
    save_file(weights | {"model.norm.weight": weights["model.norm.weight"] + 1}, model / "model.safetensors",
              metadata={"format": "pt"})  # fmt: skip
    with pytest.raises(InputError, match=r"was made with another policy\.weights; remove it"):
        evaluate_model(job)


def test_an_adapter_changes_the_model(tiny_model: Path, tiny_questions: Path, tmp_path: Path) -> None:
    policy = load_policy(PolicyConfig(model=str(tiny_model), dtype="float32", device="cpu"))
    model = get_peft_model(policy.model, LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False))
    model.save_pretrained(tmp_path / "adapter")
    job = policy_job(tiny_model, tiny_questions, tmp_path / "a.jsonl", adapter=tmp_path / "adapter")
    assert evaluate_model(job).figures.questions == 8
    with pytest.raises(InputError, match="adapter"):
        evaluate_model(policy_job(tiny_model, tiny_questions, job.output))
    path = tmp_path / "adapter/adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"lora_alpha": 99}))
    with pytest.raises(InputError, match="adapter"):
        evaluate_model(job)


def test_an_adapter_that_does_not_fit_is_one_line(tiny_model: Path, tmp_path: Path) -> None:
    policy = load_policy(PolicyConfig(model=str(tiny_model), dtype="float32", device="cpu"))
    with pytest.raises(InputError, match="no adapter"):
        with_adapter(policy, tmp_path)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    with pytest.raises(InputError, match="safetensors"):
        with_adapter(policy, tmp_path)
    (tmp_path / "adapter_model.safetensors").write_bytes(b"no")
    with pytest.raises(InputError) as raised:
        with_adapter(policy, tmp_path)
    assert "\n" not in str(raised.value)


def test_an_endpoint_is_asked_with_the_prompt_of_training(questions: Path, tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        name = asked(body).strip("Q?")
        return chat(GOOD.format(f"A{name}" if int(name) % 2 else "I don't know"))

    with chat_server(answer) as server:
        result = evaluate_model(endpoint_job(server.url, questions, tmp_path / "a.jsonl"))
        assert server.asked[0]["messages"][0]["role"] == "system"
        assert "<think>" in server.asked[0]["messages"][0]["content"]
    summary = result.figures.summary
    assert (summary["accuracy"].value, summary["not_attempted_rate"].value) == (0.5, 0.5)
    assert (summary["accuracy_attempted"].value, summary["format_rate"].value) == (1.0, 1.0)
    assert summary["mean_length"].value == 3.0
    bands = result.figures.popularity
    assert [(band.low, band.high, band.questions) for band in bands] == [
        (0, 10, 2),
        (20, 30, 2),
        (40, 50, 2),
        (60, 70, 2),
    ]
    assert [band.accuracy.value for band in bands] == [0.5] * 4


def test_what_failed_is_no_answer_and_is_asked_again(questions: Path, tmp_path: Path) -> None:
    def broken(body: dict[str, Any], number: int) -> Sent:
        return Sent({"error": "no"}, status=500) if asked(body) in ("Q1?", "Q2?") else chat(GOOD.format("A0"))

    job_file = tmp_path / "a.jsonl"
    with chat_server(broken) as server:
        result = evaluate_model(endpoint_job(server.url, questions, job_file))
    assert sum(result.failures.values()) == 2
    assert result.figures.questions == 6
    assert {row["id"] for row in read_jsonl(job_file)} == {"0", "3", "4", "5", "6", "7"}
    with chat_server(lambda body, number: chat(GOOD.format("A1"))) as server:
        again = endpoint_job(server.url, questions, job_file)
        known = json.loads(job_file.with_suffix(".key.json").read_text())
        job_file.with_suffix(".key.json").write_text(json.dumps(known | {"endpoint": server.url.rstrip("/")}))
        result = evaluate_model(again)
        assert sorted(map(asked, server.asked)) == ["Q1?", "Q2?"]
    assert not result.failures
    assert result.figures.questions == 8
    assert result.figures.summary["accuracy"].value == 2 / 8


def test_samples_that_a_kill_left_incomplete_are_made_anew(questions: Path, tmp_path: Path) -> None:
    sampling = SamplingSettings(temperature=0.5, samples=2, batch=4)
    job_file = tmp_path / "a.jsonl"
    with chat_server(lambda body, number: chat(GOOD.format("A0"), GOOD.format("A1"))) as server:
        job = endpoint_job(server.url, questions, job_file, sampling=sampling)
        whole = evaluate_model(job)
        lines = job_file.read_text().splitlines(keepends=True)
        job_file.write_text("".join(lines[:3]))
        before = len(server.asked)
        assert evaluate_model(job) == whole
        assert len(server.asked) - before == 7
    assert len(read_jsonl(job_file)) == 16


def test_an_endpoint_that_is_not_there_is_one_line(questions: Path, tmp_path: Path) -> None:
    with pytest.raises(EndpointError) as raised:
        evaluate_model(endpoint_job("http://127.0.0.1:9", questions, tmp_path / "a.jsonl"))
    assert "\n" not in str(raised.value)


def test_k_beyond_the_samples_is_refused(questions: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Pass@k"):
        evaluate_model(endpoint_job("http://127.0.0.1:9", questions, tmp_path / "a.jsonl", ks=(2,)))


def test_popularity_needs_four_questions_that_have_it(tiny_questions: Path) -> None:
    rows = [{"id": str(n), "label": "correct", "well_formed": True, "tokens": None, "sentences": []} for n in range(4)]
    known = [Question(str(n), "?", ("a",), float(n)) for n in range(4)]
    assert len(evaluation_figures(rows, known, draws=100).popularity) == 4
    assert not evaluation_figures(rows, known[:3], draws=100).popularity
    assert not evaluation_figures(rows, read_questions(tiny_questions), draws=100).popularity
    assert evaluation_figures(rows, known, draws=100).summary["mean_length"].to_json()["value"] is None
