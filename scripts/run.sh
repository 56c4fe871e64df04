#!/bin/sh
# sh scripts/run.sh COMMAND...   runs COMMAND in the project's own environment (.venv),
# made on first use from the pins of requirements.txt: with uv where there is one, else with pip.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv
stamp=$venv/.installed

find_python() {
    for python in python3 python3.13 python3.12 python3.11; do
        if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    echo "boilersweep needs uv, or Python 3.11 or newer with its venv module; found neither." >&2
    exit 1
}

# --no-deps: requirements.txt is complete, and without it pyserini would pull in torch (3.6 GB).
# --no-build-isolation: what comes as source is built with the pins of requirements-build.txt.
install() {
    echo "boilersweep: making its environment in .venv (at first about 470 MB to download, 1.3 GB on disk)" >&2
    if command -v uv >/dev/null 2>&1; then
        [ -x "$venv/bin/python" ] || uv venv --quiet --clear --python '>=3.11' "$venv"
        set -- uv pip install --quiet --python "$venv"
    else
        if [ ! -x "$venv/bin/pip" ]; then
            python=$(find_python)
            "$python" -m venv --clear "$venv"
        fi
        set -- "$venv/bin/python" -m pip install --quiet --disable-pip-version-check
    fi
    set -- "$@" --no-deps --no-build-isolation
    for pins in requirements-build requirements; do
        "$@" --require-hashes --requirement "$root/$pins.txt"
    done
    "$@" --editable "$root"
    touch "$stamp"
}

is_current() {
    for file in "$root"/requirements*.txt "$root/pyproject.toml" "$root/setup.py"; do
        [ ! "$file" -nt "$stamp" ] || return 1
    done
    [ -z "$(find "$root/src" \( -name '*.pyx' -o -name '*.pxd' \) -newer "$stamp")" ]
}

if [ ! -f "$stamp" ] || ! is_current; then
    install
fi
if [ $# -eq 0 ]; then
    echo "usage: sh scripts/run.sh COMMAND...   for example: sh scripts/run.sh boilersweep --help" >&2
    exit 2
fi
PATH="$venv/bin:$PATH" VIRTUAL_ENV=$venv exec "$@"
