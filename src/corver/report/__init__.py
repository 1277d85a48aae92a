"""Reports of a run: a run folder in; a self-contained page, a model card and images of its learning curves out.

In: `corver.runs.RunFolder`. The functions live in `page`, `card` and `plots`; jinja2 and matplotlib (the extra
`report`) are loaded when they are called.
"""

from __future__ import annotations

from corver.report.card import write_card
from corver.report.page import write_report
from corver.report.plots import save_curves

__all__ = ["save_curves", "write_card", "write_report"]
