"""The report of a run: one self-contained HTML page.

In: a run folder, finished or not. Out: report.html in it: no other file, font, script or address is needed to read it.
Model text is hostile input: the template escapes every value, and a content security policy allows the page's own
style and script by their hashes and nothing else. This module knows how the parts fit together; each part is made in
its own module.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from corver.errors import DependencyError
from corver.report.answers import GROUPS, LABELS, choose, read_pair, read_side
from corver.report.curves import read_series
from corver.report.facts import facts, model_name, planned_steps, steps_done
from corver.report.levels import LevelScale
from corver.report.measures import headline, verdicts
from corver.report.read import RunFiles
from corver.report.rollouts import read_phases
from corver.report.svg import interval_plot, level_bar, line_chart
from corver.report.values import change, duration, number, show
from corver.runs import RunFolder, write_text

__all__ = ["LIMIT", "write_report"]

LIMIT = 2_900_000
"""Bytes of the greatest page. Fewer examples are shown rather than a larger page written."""

EXAMPLES = (8, 4, 2, 1, 0)
"""Questions a group, most first; the first number whose page fits is taken."""


def write_report(folder: RunFolder) -> Path:
    """Write `report.html` of a run and give back its path.

    A run that is still training is reported as far as it got. Raises InputError when the folder is no run folder,
    DependencyError without jinja2.
    """
    environment = _environment()
    template = environment.get_template("report.html")
    files = RunFiles.read(folder)
    context = _context(folder, files)
    for each in EXAMPLES:
        page = template.render(context | _examples(context, each))
        if len(page.encode("utf-8")) <= LIMIT:
            break
    write_text(folder.report, page)
    return folder.report


def _context(folder: RunFolder, files: RunFiles) -> dict[str, Any]:
    scale = LevelScale.of_config(files.config)
    rows = headline(files.summary)
    sides = {name: read_side(folder.evaluation(name), scale, files.notes) for name in ("raw", "trained")}
    series = read_series(files.metrics)
    order = [mark.key for mark in scale.legend()]
    style, script = _resource("report.css"), _resource("report.js")
    return {
        "files": files,
        "scale": scale,
        "sides": sides,
        "legend": scale.legend(),
        "rows": [(row, interval_plot(row.raw, row.trained)) for row in rows],
        "verdicts": verdicts(rows),
        "mixes": [(name, side.tally, level_bar(side.tally, order)) for name, side in sides.items()],
        "charts": {
            group: [(one, line_chart(one)) for one in series if one.curve.group == group]
            for group in ("learning", "honesty", "health")
        },
        "phases": read_phases(folder.samples, scale, files.notes),
        "level_bar": lambda tally: level_bar(tally, order),
        "facts": facts(files),
        "model": model_name(files),
        "steps": steps_done(files),
        "planned": planned_steps(files),
        "elapsed": _elapsed(files),
        "group_titles": GROUPS,
        "label_titles": LABELS,
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
    }


def _examples(context: dict[str, Any], each: int) -> dict[str, Any]:
    raw, trained = context["sides"]["raw"], context["sides"]["trained"]
    chosen = choose(raw, trained, each=each) if each else {}
    pairs = [read_pair(raw, trained, key, groups, context["scale"]) for key, groups in chosen.items()]
    counts = {group: sum(group in pair.groups for pair in pairs) for group in GROUPS}
    return {
        "pairs": pairs,
        "groups": [(group, count) for group, count in counts.items() if count],
        "phases": [replace(phase, shown=phase.shown[:each]) for phase in context["phases"]],
    }


def _elapsed(files: RunFiles) -> str:
    seconds = number(files.metrics[-1].get("seconds")) if files.metrics else None
    return "" if seconds is None else f"trained {duration(seconds)}"


def _environment() -> Any:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise DependencyError("the report page needs jinja2: pip install 'corver[report]'") from None
    environment = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"show": show, "change": change}
    return environment


def _resource(name: str) -> str:
    return (resources("corver.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
