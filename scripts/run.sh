#!/bin/sh
# sh scripts/run.sh COMMAND...   runs COMMAND in the project's own environment (.venv),
# made on first use from the project's pins: with uv where there is one, else with pip.
# `boilersweep` gets what a user needs (requirements.txt), any other command the developers' tools
# and every extra, too (requirements-dev.txt).
# UV_PYTHON=3.13 sh scripts/run.sh COMMAND...   the same with that Python, in .venv-3.13
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv${UV_PYTHON:+-$UV_PYTHON}
stamp=$venv/.installed  # says which pins

find_python() {
    for version in ${UV_PYTHON:-3 3.14 3.13 3.12 3.11}; do
        python=python$version
        if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    echo "boilersweep needs uv, or Python ${UV_PYTHON:-3.11 or newer} with its venv module;" \
        "found neither." >&2
    exit 1
}

# --no-deps: the pins are complete, and without it pyserini would pull in torch (3.6 GB).
# --no-build-isolation: what comes as source is built with the pins of requirements-build.txt.
install() {
    if command -v uv >/dev/null 2>&1; then
        [ -x "$venv/bin/python" ] || uv venv --quiet --clear --python "${UV_PYTHON:->=3.11}" "$venv"
        set -- "$1" uv pip install --quiet --python "$venv"
    else
        if [ ! -x "$venv/bin/pip" ]; then
            python=$(find_python)
            "$python" -m venv --clear "$venv"
        fi
        set -- "$1" "$venv/bin/python" -m pip install --quiet --disable-pip-version-check
    fi
    chosen=$1
    shift
    set -- "$@" --no-deps --no-build-isolation
    for pins in requirements-build "$chosen"; do
        "$@" --require-hashes --requirement "$root/$pins.txt"
    done
    "$@" --editable "$root"
    echo "$chosen" >"$stamp"
}

is_current() {
    for file in "$root"/requirements*.txt "$root/pyproject.toml" "$root/setup.py"; do
        [ ! "$file" -nt "$stamp" ] || return 1
    done
    [ -z "$(find "$root/src" "$root/indexer" \( -name '*.pyx' -o -name '*.pxd' -o -name '*.java' \) \
        -newer "$stamp")" ]
}

if [ $# -eq 0 ]; then
    echo "usage: sh scripts/run.sh COMMAND...   for example: sh scripts/run.sh boilersweep --help" >&2
    exit 2
fi
there=$(cat "$stamp" 2>/dev/null || true)
if [ "$1" = boilersweep ] && [ "$there" != requirements-dev ]; then
    wanted=requirements
else
    wanted=requirements-dev
fi
if [ "$there" != "$wanted" ] || ! is_current; then
    size="370 MB to download, 1 GB on disk"
    [ "$wanted" = requirements ] || size="700 MB to download, 2.4 GB on disk"
    echo "boilersweep: making its environment in ${venv##*/} (at first about $size)" >&2
    install "$wanted"
fi
PATH="$venv/bin:$PATH" VIRTUAL_ENV=$venv exec "$@"
