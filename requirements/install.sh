#!/bin/sh
# Make the development environment in the folder $1 with the versions of constraints.txt.
# torch comes first and pinned: left to the resolver, a newer build of several gigabytes may be taken.
set -eu
venv=$1
here=$(dirname "$0")
"${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "corver needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2
    exit 2
}
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
echo "installing torch into $venv"
$pip install "$(grep '^torch==' "$here/constraints.txt")"
echo "installing corver and its tools into $venv"
$pip install --constraint "$here/constraints.txt" --editable "$here/..[all,dev]"
