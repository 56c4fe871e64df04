#!/bin/sh
# sh scripts/check.sh   format, lint and types, run in the project's environment by scripts/run.sh
set -eu
cd "$(dirname "$0")/.."
# mypy cannot follow setuptools' package-dir mapping: it reads the same tree made of links.
types=build/types
rm -rf "$types" && mkdir -p "$types/boilersweep"
for part in "$PWD"/src/boilersweep/*; do ln -s "$part" "$types/boilersweep/"; done
for part in indexer eval topics; do ln -s "$PWD/$part" "$types/boilersweep/$part"; done
ruff format --check .
ruff check .
MYPYPATH=$types mypy -p boilersweep
