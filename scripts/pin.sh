#!/bin/sh
# sh scripts/pin.sh   writes requirements.txt anew from pyproject.toml: names, versions and hashes; needs uv
set -eu
cd "$(dirname "$0")/.."
uv export --quiet --format requirements-txt --no-emit-project --no-annotate --no-header \
    --output-file requirements.txt >/dev/null
