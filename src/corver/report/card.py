"""The model card of a run: README.md in the form model hubs read, YAML front matter and Markdown.

In: a run folder, finished or not. Out: README.md in it, with the same verdicts as the report. It needs no optional
library. Settings and names are hostile input: every value is escaped for Markdown and HTML. Local paths are left out,
since a card is made to be published.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from corver.report.facts import facts, model_name, planned_steps, steps_done
from corver.report.levels import LevelScale
from corver.report.measures import Interval, Row, headline, verdicts
from corver.report.read import RunFiles
from corver.report.values import Kind, change, lookup, show, text_of
from corver.runs import RunFolder, write_text

__all__ = ["write_card"]

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#!|<>&~$@]|:(?=//)|(?<=www)\.)")
_LIMITS = """\
- A count says how often words stand together in the corpus. It is evidence for a sentence, not proof: a false sentence
  about a well-known pair can score high, and a true one about a rare fact can score low.
- Negation and the one false detail inside a mixed sentence are not seen.
- The model was trained and evaluated in the prompt format given in the run's configuration; other prompts are untested.
- A higher sentence reward is worth what it says only while claims a completion and length hold: see the table.
"""

_USE = """\
## Use

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("{name}"{extra})
base = AutoModelForCausalLM.from_pretrained("{name}"{extra})
model = PeftModel.from_pretrained(base, "adapter")  # the folder beside this file
```
"""


def write_card(folder: RunFolder) -> Path:
    """Write `README.md` of a run and give back its path. Raises InputError when the folder is no run folder."""
    files = RunFiles.read(folder)
    rows = headline(files.summary)
    parts = [
        _front_matter(files, adapter=folder.adapter.is_dir()),
        f"# {_safe(files.name)}\n",
        _opening(files),
        _results(files, rows),
        _use(files) if folder.adapter.is_dir() else "",
        _method(files),
        f"## Limits\n\n{_LIMITS}",
        _facts(files),
        "## Method\n\nSentence rewards from corpus co-occurrence with token-level credit: arXiv 2605.29648.\n",
    ]
    write_text(folder.card, "\n".join(part for part in parts if part))
    return folder.card


def _front_matter(files: RunFiles, *, adapter: bool) -> str:
    data: dict[str, object] = {"tags": ["corver", "grpo", "factuality"], "language": ["en"]}
    name = model_name(files)
    if _HUB_ID.fullmatch(name):
        data["base_model"] = name
    if adapter:
        data |= {"library_name": "peft", "pipeline_tag": "text-generation"}
    return f"---\n{yaml.safe_dump(data, sort_keys=True)}---\n"


def _opening(files: RunFiles) -> str:
    name = model_name(files)
    what = f"**{_safe(name)}** trained" if name else "A language model trained"
    done, planned = steps_done(files), planned_steps(files)
    steps = f" for {done:,} {'step' if done == 1 else 'steps'}" if done else ""
    text = (
        f"{what} with corver{steps}: GRPO in which each token carries the reward of its own sentence, "
        "and a sentence is rewarded by how often its subject and object stand together in a corpus.\n"
    )
    if not files.finished:
        of = f" (step {done:,} of {planned:,})" if planned else ""
        text += f"\n> This run is not finished{of}. It may still be training, or it was stopped.\n"
    elif not files.evaluated:
        text += "\n> This run was not evaluated: nothing can be said about what training changed.\n"
    return text


def _results(files: RunFiles, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = ["## Results on questions never trained on", ""]
    lines += [f"- **{finding.title}.** {finding.text}" for finding in verdicts(list(rows))]
    lines += ["", "| measure | raw | trained | change |", "|---|---|---|---|"]
    for row in rows:
        kind = row.measure.kind
        cells = (_cell(row.raw, kind), _cell(row.trained, kind), _cell(row.difference, kind, signed=True))
        lines.append(f"| {row.measure.title} ({row.measure.note}) | {' | '.join(cells)} |")
    questions = text_of(files.summary.get("questions"), limit=20)
    asked = f"{_safe(questions)} questions; " if questions else ""
    lines += ["", f"{asked}95 % intervals in brackets; changes of shares in percentage points, trained minus raw.", ""]
    return "\n".join(lines)


def _cell(interval: Interval, kind: Kind, *, signed: bool = False) -> str:
    form = change if signed else show
    bounds = interval.bounds
    return form(interval.value, kind) + (f" [{form(bounds[0], kind)}, {form(bounds[1], kind)}]" if bounds else "")


def _use(files: RunFiles) -> str:
    name = model_name(files)
    known = name if _HUB_ID.fullmatch(name) else "path/to/the/base/model"
    gguf = text_of(lookup(files.config, "policy.gguf_file"))
    # Only a name that cannot end the string or the code block goes into code.
    extra = f', gguf_file="{gguf}"' if re.fullmatch(r"[\w.-]+", gguf) else ""
    return _USE.format(name=known, extra=extra)


def _method(files: RunFiles) -> str:
    if not files.config:
        return ""
    lines = ["## Rewards", "", "| a sentence's words stand together | reward |", "|---|---|"]
    lines += [f"| {mark.title} | {mark.reward} |" for mark in LevelScale.of_config(files.config).marks]
    return "\n".join([*lines, ""])


def _facts(files: RunFiles) -> str:
    known = facts(files)
    if not known:
        return ""
    lines = ["## The run", "", "| | |", "|---|---|"]
    lines += [f"| {_safe(label)} | {_safe(value)} |" for label, value in known]
    return "\n".join([*lines, ""])


def _safe(text: str) -> str:
    """Text that Markdown and HTML show as it is, on one line."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return escaped.replace("\\&", "&amp;").replace("\\<", "&lt;").replace("\\>", "&gt;")
