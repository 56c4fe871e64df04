#!/bin/sh
# sh scripts/pin.sh   writes requirements.txt and requirements-build.txt anew from pyproject.toml:
# names, versions and hashes; needs uv
set -eu
cd "$(dirname "$0")/.."
uv export --quiet --format requirements-txt --no-emit-project --no-annotate --no-header \
    --output-file requirements.txt >/dev/null
uv run --quiet --no-project --python '>=3.11' python -c '
import tomllib
with open("pyproject.toml", "rb") as file:
    print(*tomllib.load(file)["build-system"]["requires"], sep="\n")' |
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --no-header --output-file requirements-build.txt - >/dev/null
