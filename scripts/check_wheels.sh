#!/bin/sh
# sh scripts/check_wheels.sh WHEELS PYTHON...   installs boilersweep from a folder of wheels, without
# an index, into empty environments of each Python: its wheel, and its source distribution without a
# C compiler. The folder also has what boilersweep and its build require.
set -eu
wheels=$(cd "$1" && pwd)
shift
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() {  # PYTHON OPTION-OF-PIP [OPTION-OF-THE-CHECK]
    rm -rf "$work/env"
    "$1" -m venv "$work/env"
    "$work/env/bin/pip" install --quiet --disable-pip-version-check --no-index --no-cache-dir \
        --find-links "$wheels" "$2" boilersweep boilersweep
    "$work/env/bin/python" "$root/scripts/check_install.py" ${3:+"$3"} >"$work/log"
    echo "$("$1" --version), $2: $(tail -n 1 "$work/log")"
}
for python; do
    check "$python" --only-binary --compiled
    (export CC=false && check "$python" --no-binary)
done
