"""The curve and the reliability diagram as PNG and SVG.

In: a `Study`. Out: image bytes. This module computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from corver.calibrate.study import Study
from corver.errors import DependencyError
from corver.report.plots import ACCENT, INK, MUTED, SETTINGS, encoded, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from corver.calibrate.bins import Bin
    from corver.calibrate.reliability import Reliability

__all__ = ["ImageKind", "curve_image", "reliability_image"]

ImageKind: TypeAlias = Literal["png", "svg"]

_TITLES = {"equal_width": "bins of equal width", "equal_mass": "bins of equal mass"}


def curve_image(study: Study, kind: ImageKind) -> bytes:
    """P(true) in each bin with Wilson intervals, the monotone fit, the base rate, proposed thresholds."""
    filled = [(at, one) for at, one in enumerate(study.bins) if one.size]
    with _settings():
        figure = _figure(max(4.2, 0.55 * len(study.bins) + 2.2), 3.4)
        axes = figure.subplots()
        axes.axhline(study.base_rate.value, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
        isotonic = study.monotone.isotonic
        axes.plot([at for at, _ in filled], [isotonic[at] for at, _ in filled], color=MUTED, linewidth=1.0)
        for at, one in filled:
            rate = one.probability
            axes.plot([at, at], [rate.low, rate.high], color=ACCENT, linewidth=1.6, solid_capstyle="round")
            axes.plot(at, rate.value, "o", color=ACCENT, markersize=5)
            axes.annotate(f"{100 * rate.value:.0f}", (at, rate.value), (6, -7), textcoords="offset points",
                          va="center", fontsize=8, color=INK)  # fmt: skip
        lows = [one.low for one in study.bins]
        for jump in study.jumps.proposed:
            axes.axvline(lows.index(jump.threshold) - 0.5, color=ACCENT, linewidth=0.8, alpha=0.4)
        axes.set_xticks(range(len(study.bins)), [_tick(one) for one in study.bins])
        axes.set_xlim(-0.6, len(study.bins) - 0.4)
        _percent(axes, "P(true)")
        axes.set_xlabel(study.score, color=MUTED, fontsize=8)
        _title(figure, "How often a sentence is true", "95 % Wilson intervals; grey: monotone fit; dashed: base rate; "
                                                       "upright: proposed thresholds")  # fmt: skip
        return encoded(figure, kind)


def reliability_image(study: Study, kind: ImageKind) -> bytes:
    """Predicted against observed probability in bins of equal width and of equal mass."""
    with _settings():
        figure = _figure(7.4, 3.9)
        for axes, table in zip(figure.subplots(1, 2, squeeze=False)[0], study.reliability, strict=True):
            _diagram(axes, table)
        _title(figure, "Predicted and observed", f"{study.source}; marks grow with the share of sentences")
        return encoded(figure, kind)


def _diagram(axes: Axes, table: Reliability) -> None:
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    for one in table.bins:
        axes.plot([one.predicted] * 2, [one.observed.low, one.observed.high], color=ACCENT, linewidth=1.4, alpha=0.6)
    axes.scatter(
        [one.predicted for one in table.bins],
        [one.observed.value for one in table.bins],
        s=[20 + 220 * one.share for one in table.bins],
        color=ACCENT,
        alpha=0.85,
        linewidths=0,
        zorder=3,
    )
    right = table.ece_if_right
    axes.set_title(
        f"{_TITLES[table.binning]}\n"
        f"ECE {table.ece:.3f}; were all right: {right.value:.3f} [{right.low:.3f}, {right.high:.3f}]",
        loc="left",
        color=INK,
        fontsize=8.5,
    )
    axes.set_xlim(-0.03, 1.03)
    axes.set_aspect("equal")
    _percent(axes, "observed")
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    axes.set_xlabel("predicted", color=MUTED, fontsize=8)


def _tick(one: Bin) -> str:
    """The name of a bin on lines short enough to stand beside each other, and how many sentences it has."""
    name = one.name.replace(" to ", "\nto ").replace("below ", "below\n").replace(" and more", "\nand more")
    return f"{name}\nn {one.size:,}"


def _percent(axes: Axes, label: str) -> None:
    plain_axes(axes)
    axes.set_ylim(-0.03, 1.03)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    axes.set_ylabel(label, color=MUTED, fontsize=8)


def _title(figure: Any, title: str, below: str) -> None:
    figure.suptitle(f"{title}\n", x=0.01, ha="left", color=INK, fontsize=11, weight="bold", linespacing=0.8)
    figure.supxlabel(f"\n{below}", x=0.01, ha="left", color=MUTED, fontsize=7, parse_math=False)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def _settings() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise DependencyError("curves as images need matplotlib: pip install 'corver[report]'") from None
    return matplotlib.rc_context(SETTINGS)
