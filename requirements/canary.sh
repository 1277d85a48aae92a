#!/bin/sh
# The trainer's tests against the oldest and the newest TRL: the environment $1 keeps its own, each version goes into a
# folder of its own that Python finds first. More versions may be named after it.
set -eu
venv=$1
shift
cd "$(dirname "$0")/.."
oldest=$(sed -n 's/.*"trl>=\([0-9.]*\).*/\1/p' pyproject.toml)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in "${@:-$oldest newest}"; do
    for one in $version; do
        wanted=trl
        [ "$one" = newest ] || wanted="trl==$one"
        "$venv/bin/python" -m pip --disable-pip-version-check --quiet install --no-deps --target "$folder/$one" "$wanted"
        echo "TRL $(PYTHONPATH="$folder/$one" "$venv/bin/python" -c 'import trl; print(trl.__version__)')"
        PYTHONPATH="$folder/$one" OMP_NUM_THREADS=1 "$venv/bin/python" -m pytest -p no:cacheprovider \
            tests/unit/test_train_contract.py tests/unit/test_train_trainer.py tests/unit/test_train_setups.py \
            tests/unit/test_train_checkpoints.py tests/unit/test_train_processes.py
    done
done
