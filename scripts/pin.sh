#!/bin/sh
# sh scripts/pin.sh   writes the pins anew from pyproject.toml, names, versions and hashes:
# requirements.txt for users, requirements-dev.txt for developers, requirements-build.txt for
# building; needs uv
set -eu
cd "$(dirname "$0")/.."
export_pins() {
    file=$1
    shift
    uv export --quiet --format requirements-txt --no-emit-project --no-annotate --no-header "$@" \
        --output-file "$file" >/dev/null
}
export_pins requirements.txt --no-default-groups --extra pyserini --extra words --extra languages
export_pins requirements-dev.txt --all-extras --group dev
uv run --quiet --no-project --python '>=3.11' python -c '
import tomllib
with open("pyproject.toml", "rb") as file:
    print(*tomllib.load(file)["build-system"]["requires"], sep="\n")' |
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --no-header --output-file requirements-build.txt - >/dev/null
