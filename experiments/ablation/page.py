"""Put the tables of the results into docs/ablation.md, so that no number of the page is copied by hand.

    python experiments/ablation/page.py            write the tables
    python experiments/ablation/page.py --check    1 if the page holds others

In: the page and the files in results/. A line `<!-- table: TITLE; rows=A,B; of=C; drop=D -->` names a table by its
title; of its rows those stay whose first cell is A or B and whose second is C, of its columns all but D. The table
stands under the line. This module knows no result.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from estimates import read_results
from ranking import calibration_tables
from smollm2 import smollm2_tables
from tables import TABLES, Table

__all__ = ["filled", "main", "result_tables"]

ROOT = Path(__file__).parents[2]
PAGE, RESULTS = ROOT / "docs" / "ablation.md", Path(__file__).with_name("results")
_PLACE = re.compile(r"(<!-- table: (.+?) -->\n)(?:\|.*\n)*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    old = options.page.read_text(encoding="utf-8")
    new = filled(old, result_tables(options.results))
    if options.check:
        sys.exit(int(new != old))
    options.page.write_text(new, encoding="utf-8")


def result_tables(folder: Path) -> dict[str, Table]:
    """All tables by title, of the files that are there."""
    results = read_results(folder / "small.json")
    tables = [table for make in TABLES.values() for table in make(results)]
    for name, make_from in (("calibration.json", calibration_tables), ("smollm2.json", smollm2_tables)):
        if (folder / name).exists():
            tables += make_from(folder / name)
    return {table.title: table for table in tables}


def filled(page: str, tables: Mapping[str, Table]) -> str:
    """The page with its tables made anew. Raises KeyError for a title that no table has."""
    return _PLACE.sub(lambda place: f"{place[1]}{_chosen(place[2], tables)}\n", page)


def _chosen(order: str, tables: Mapping[str, Table]) -> Table:
    title, *parts = (part.strip() for part in order.split(";"))
    table = tables[title]
    wanted = {name: [one.strip() for one in value.split(",")] for name, value in (part.split("=") for part in parts)}
    keep = [place for place, name in enumerate(table.head) if name not in wanted.get("drop", [])]
    rows = [
        row for row in table.rows if row[0] in wanted.get("rows", [row[0]]) and row[1] in wanted.get("of", [row[1]])
    ]
    return Table(title, [table.head[place] for place in keep], [[row[place] for place in keep] for row in rows])


if __name__ == "__main__":
    main()
