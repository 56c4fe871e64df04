#!/bin/sh
# sh scripts/test.sh [PYTEST ARGUMENTS]   format, lint, types and all tests
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh scripts/run.sh sh scripts/check.sh
# A file's tests stay together, as they share what is made once; each process has a JVM of its own.
exec sh scripts/run.sh pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
    --no-loadscope-reorder "$@"
