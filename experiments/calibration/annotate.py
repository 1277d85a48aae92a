"""An annotator who knows the data set: fills the empty labels of a sheet from its gold file.

In: a sheet that `corver calibrate sample` wrote and NAME.gold.jsonl of `prepare.py`. Out: the sheet with labels and a
column `group`, under another name. Sentences that the data set says nothing of stay without a label.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheet", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    gold = {row["id"]: row for row in map(json.loads, options.gold.read_text(encoding="utf-8").splitlines())}
    with options.sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        known = gold.get(row["id"])
        row["label"] = "" if known is None else str(known["label"]).lower()
        row["group"] = row["id"] if known is None else known["group"]
    with options.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    print(f"{options.output}: {sum(bool(row['label']) for row in rows):,} of {len(rows):,} rows labelled")


if __name__ == "__main__":
    main()
