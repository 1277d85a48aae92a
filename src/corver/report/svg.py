"""Small inline drawings: learning curves, intervals, and the mix of reward levels.

In: numbers. Out: SVG elements as text, styled by the page's own classes (they carry no colour, no style attribute and
no script). Text in them comes from corver's own tables or is escaped. This module knows no files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from corver.report.curves import Series
from corver.report.levels import Tally
from corver.report.measures import Interval
from corver.report.values import Kind, show

__all__ = ["interval_plot", "level_bar", "line_chart", "ticks"]

WIDTH, HEIGHT = 250, 132
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 8, 22


def line_chart(series: Series) -> str:
    """Raw values as points, their smoothing as a line, a rule at zero; `data-` attributes feed the read-out."""
    low, high, marks = _range(series)
    left, right = float(series.steps_T[0]), float(series.steps_T[-1])

    def x(step: float) -> float:
        share = (step - left) / (right - left) if right > left else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    steps, raw, smooth = series.steps_T.tolist(), series.raw_T.tolist(), series.smooth_T.tolist()
    grid = [_gridline(y(mark), _tick(mark, series.curve.kind), zero=mark == 0) for mark in marks]
    dots = "".join(f"M{x(step):.1f} {y(value):.1f}h0" for step, value in zip(steps, raw, strict=True))
    line = "L".join(f"{x(step):.1f} {y(value):.1f}" for step, value in zip(steps, smooth, strict=True))
    first, last = show(smooth[0], series.curve.kind), show(smooth[-1], series.curve.kind)
    label = f"{series.curve.title}: {first} at step {left:.0f}, {last} at step {right:.0f}"
    data = {
        "x": [f"{x(step):.1f}" for step in steps],
        "y": [f"{y(value):.1f}" for value in smooth],
        "step": [f"{step:.0f}" for step in steps],
        "raw": [show(value, series.curve.kind) for value in raw],
    }
    attributes = "".join(f' data-{name}="{escape("|".join(values))}"' for name, values in data.items())
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}"{attributes}>'
        + "".join(grid)
        + _step_labels(left, right)
        + f'<path class="dots" d="{dots}"/><path class="line" d="M{line}"/>'
        + f'<circle class="end" cx="{x(right):.1f}" cy="{y(smooth[-1]):.1f}" r="3.5"/>'
        + f'<line class="cross" x1="0" x2="0" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def interval_plot(raw: Interval, trained: Interval) -> str:
    """Two intervals, one above the other, on a scale of their own; '' when neither has a value."""
    known = [
        value
        for interval in (raw, trained)
        for value in (interval.low, interval.value, interval.high)
        if value is not None
    ]
    if not known:
        return ""
    low, high = min(known), max(known)
    width, height, pad = 180, 30, 8
    # Halves first: the difference of two huge finite numbers may not be finite.
    reach = (high / 2 - low / 2) or 1.0

    def x(value: float) -> float:
        return pad + (value / 2 - low / 2) / reach * (width - 2 * pad) if high > low else width / 2

    parts = [_whisker(raw, "raw", 9, x), _whisker(trained, "trained", 21, x)]
    return f'<svg class="interval" viewBox="0 0 {width} {height}" aria-hidden="true">{"".join(parts)}</svg>'


def level_bar(tally: Tally, order: Sequence[str]) -> str:
    """Shares of the marks of all sentences as one bar, in the order of the mark keys; '' without sentences."""
    total = sum(tally.marks.values())
    if not total:
        return ""
    width, height = 400, 22
    at, parts, said = 0.0, [], []
    marks = sorted(tally.marks, key=lambda mark: order.index(mark.key) if mark.key in order else len(order))
    for mark in marks:
        share = tally.marks[mark] / total
        said.append(f"{mark.title} {100 * share:.0f} %")
        size = share * width
        box = f'x="{at + 0.5:.1f}" y="0.5" width="{max(size - 2, 0.4):.1f}" height="{height - 1}" rx="2"'
        parts.append(f'<rect class="t-{mark.tone}" {box}/>')
        if size >= 48:
            parts.append(f'<text x="{at + 6:.1f}" y="15">{escape(mark.sign)} <tspan>{100 * share:.0f} %</tspan></text>')
        elif size >= 13:
            parts.append(f'<text x="{at + size / 2 - 0.5:.1f}" y="15" text-anchor="middle">{escape(mark.sign)}</text>')
        at += size
    label = "Sentences: " + ", ".join(said)
    head = f'<svg class="mix" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
    return f"{head}{''.join(parts)}</svg>"


def ticks(low: float, high: float, *, most: int = 4) -> list[float]:
    """Round numbers that enclose [low, high]: the first is at most `low`, the last at least `high`."""
    span = high - low
    if span <= 0:
        return [low, high]
    step = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 2.5, 5, 10, 20, 25):
        first, last = math.floor(low / (step * factor)), math.ceil(high / (step * factor))
        if last - first <= most:
            return [index * step * factor for index in range(first, last + 1)]
    return [low, high]


def _range(series: Series) -> tuple[float, float, list[float]]:
    low, high = float(series.raw_T.min()), float(series.raw_T.max())
    if low == high:
        room = abs(low) * 0.1 or 1.0
        low, high = low - room, high + room
        if low < 0 <= low + room:
            low = 0.0
    marks = ticks(low, high)
    return marks[0], marks[-1], marks


def _gridline(y: float, label: str, *, zero: bool) -> str:
    name = "grid zero" if zero else "grid"
    return (
        f'<line class="{name}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{escape(label)}</text>'
    )


def _step_labels(left: float, right: float) -> str:
    y = HEIGHT - 5
    if left == right:
        return f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{y}" text-anchor="middle">step {left:.0f}</text>'
    return (
        f'<text x="{LEFT}" y="{y}">step {left:.0f}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{y}" text-anchor="end">{right:.0f}</text>'
    )


def _tick(value: float, kind: Kind) -> str:
    rounded = 0.0 if abs(value) < 1e-12 else value
    if kind == "share":
        return f"{100 * rounded:.3g} %"
    return show(float(f"{rounded:.3g}"), "small")


def _whisker(interval: Interval, name: str, y: int, x: Callable[[float], float]) -> str:
    parts = []
    if interval.low is not None and interval.high is not None:
        parts.append(f'<line class="{name}" x1="{x(interval.low):.1f}" x2="{x(interval.high):.1f}" y1="{y}" y2="{y}"/>')
    if interval.value is not None:
        parts.append(f'<circle class="{name}" cx="{x(interval.value):.1f}" cy="{y}" r="4"/>')
    return "".join(parts)
