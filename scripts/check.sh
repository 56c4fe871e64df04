#!/bin/sh
# sh scripts/check.sh   format, lint, types and the import layers;
# scripts/run.sh runs it in the project's environment
set -eu
cd "$(dirname "$0")/.."
# mypy and import-linter cannot follow setuptools' package-dir mapping: they read the same tree made
# of links.
types=build/types
rm -rf "$types" && mkdir -p "$types/boilersweep"
for part in "$PWD"/src/boilersweep/*; do ln -s "$part" "$types/boilersweep/"; done
for part in indexer eval topics; do ln -s "$PWD/$part" "$types/boilersweep/$part"; done
ruff format --check .
ruff check .
MYPYPATH=$types mypy -p boilersweep
MYPYPATH=$types:scripts mypy scripts/*.py scripts/papers scripts/fuzzing scripts/faults tests
PYTHONPATH=$types lint-imports --no-logo
