#!/bin/sh
# Usage: run.sh INDEX FACTS OUT: score, sample, label from the gold files, curve, fit, and maps tried on other sets.
# Three curves a set: a sample of 150 a bin, all labelled sentences, and all of them under profile support.
set -eu
index=$1
facts=$2
out=$3
here=$(dirname "$0")
bin=${PYTHON_BIN:-.venv/bin}
mkdir -p "$out"
"$bin/python" "$here/prepare.py" --facts "$facts" --output "$out/data"
for set in counterfact fever factscore; do
    data=$out/data/$set
    results=$out/$set
    mkdir -p "$results"
    [ -e "$data.paper.jsonl" ] || "$bin/corver" score "$data.jsonl" --index "$index" --output "$data.paper.jsonl"
    [ -e "$data.profile.jsonl" ] ||
        "$bin/corver" score "$data.jsonl" --index "$index" --support profile --output "$data.profile.jsonl"

    # a sample, as a person would label it
    rm -f "$results"/*.csv "$results"/*.key.json
    "$bin/corver" calibrate sample "$data.paper.jsonl" --by count --per-level 150 --state no_claim --output "$results/sample.csv"
    "$bin/python" "$here/annotate.py" "$results/sample.csv" "$data.gold.jsonl" "$results/sample.labelled.csv"
    "$bin/corver" calibrate curve "$results/sample.labelled.csv" --group group --output "$results/sample" |
        tee "$results/sample.txt"
    "$bin/corver" calibrate fit "$results/sample.labelled.csv" --group group --output "$results/map.json" |
        tee "$results/map.txt"

    # every labelled sentence
    for support in paper profile; do
        by=count
        score=count
        [ $support = paper ] || { by=reward && score=profile; }
        "$bin/corver" calibrate sample "$data.$support.jsonl" --by $by --per-level 1000000 \
            --state no_claim --state no_evidence --output "$results/$support.csv"
        "$bin/python" "$here/annotate.py" "$results/$support.csv" "$data.gold.jsonl" "$results/$support.labelled.csv"
        "$bin/corver" calibrate curve "$results/$support.labelled.csv" --group group --score $score \
            --output "$results/$support" | tee "$results/$support.txt"
    done
    "$bin/corver" calibrate fit "$data.profile.jsonl" --neutral | tee "$results/neutral.txt"
done
for map in counterfact fever factscore; do
    for set in counterfact fever factscore; do
        echo "map of $map on $set:" \
            "$("$bin/corver" calibrate curve "$out/$set/paper.labelled.csv" --group group --calibration "$out/$map/map.json" --draws 200 | grep '^ECE, equal width')"
    done
done | tee "$out/transfer.txt"
