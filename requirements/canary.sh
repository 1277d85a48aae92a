#!/bin/sh
# The trainer's tests against the oldest and the newest TRL: the environment $1 keeps its own, each version goes into a
# folder of its own that Python finds first. More versions may be named after it. All are tried; 1 if one does not pass.
set -eu
venv=$1
shift
cd "$(dirname "$0")/.."
oldest=$(sed -n 's/.*"trl>=\([0-9.]*\).*/\1/p' pyproject.toml)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=
[ $# -gt 0 ] || set -- "$oldest" newest
for version in "$@"; do
    wanted=trl
    [ "$version" = newest ] || wanted="trl==$version"
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet install --no-deps --target "$folder/$version" "$wanted"
    echo "TRL $(PYTHONPATH="$folder/$version" "$venv/bin/python" -c 'import trl; print(trl.__version__)')"
    PYTHONPATH="$folder/$version" OMP_NUM_THREADS=1 "$venv/bin/python" -m pytest -p no:cacheprovider \
        tests/unit/test_train_contract.py tests/unit/test_train_trainer.py tests/unit/test_train_setups.py \
        tests/unit/test_train_checkpoints.py tests/unit/test_train_processes.py tests/unit/test_train_run.py \
        tests/oracle/test_train_shared_prompt.py || failed="$failed $version"
done
[ -z "$failed" ] || {
    echo "not passed:$failed" >&2
    exit 1
}
