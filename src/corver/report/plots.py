"""Learning curves as an image file, for documents.

In: a run folder and a path that ends in .png or .svg. Out: that file. How images look and are written is decided here
for all rooms; the page draws its own curves (`svg`).
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corver.errors import DependencyError, InputError, UsageError
from corver.report.curves import Series, read_series
from corver.report.read import RunFiles
from corver.report.values import printable
from corver.runs import RunFolder, write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ACCENT", "INK", "MUTED", "RULE", "SETTINGS", "encoded", "plain_axes", "save_curves"]

INK, MUTED, ACCENT, RULE = "#23262b", "#6b7280", "#6b3fa0", "#e2e0db"
COLUMNS, PANELS = 3, 9
# A fixed salt and no date make the same numbers give the same file.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "corver", "font.size": 9, "axes.unicode_minus": True}


def save_curves(folder: RunFolder, path: Path) -> Path:
    """Draw the first nine learning curves that the run has.

    Raises UsageError for another suffix, InputError when no metrics have been logged, DependencyError without
    matplotlib.
    """
    suffix = path.suffix.lower()
    if suffix not in (".png", ".svg"):
        raise UsageError(f"{path}: curves are written as .png or .svg, not {suffix or 'without a suffix'}")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise DependencyError("curves as images need matplotlib: pip install 'corver[report]'") from None
    files = RunFiles.read(folder)
    series = read_series(files.metrics)[:PANELS]
    if not series:
        raise InputError(f"{folder.metrics}: no metrics to draw yet")
    rows = -(-len(series) // COLUMNS)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(3.2 * COLUMNS, 2.1 * rows + 0.4), layout="constrained", facecolor="white")
        grid = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
        for axes, one in zip(grid, series, strict=False):
            _panel(axes, one)
        for axes in grid[len(series) :]:
            axes.set_visible(False)
        figure.suptitle(files.name, x=0.01, ha="left", color=INK, fontsize=11, weight="bold", parse_math=False)
        write_bytes(path, encoded(figure, suffix[1:]))
    return path


def _panel(axes: Axes, series: Series) -> None:
    axes.plot(series.steps_T, series.raw_T, ".", color=ACCENT, alpha=0.35, markersize=5, markeredgewidth=0)
    axes.plot(series.steps_T, series.smooth_T, color=ACCENT, linewidth=1.8)
    axes.set_title(printable(series.curve.title), loc="left", color=INK, fontsize=9.5, parse_math=False)
    axes.set_xlabel("step", color=MUTED, fontsize=8)
    plain_axes(axes)
    if series.curve.kind == "share":
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")


def plain_axes(axes: Axes) -> None:
    """Nothing but a baseline and faint horizontal rules."""
    axes.tick_params(colors=MUTED, labelsize=8, length=0)
    axes.grid(axis="y", color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(RULE)


def encoded(figure: Any, kind: str) -> bytes:
    """The figure as `png` or `svg`, the same bytes for the same drawing."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(buffer, format=kind, dpi=160, metadata=metadata)
    return buffer.getvalue()
