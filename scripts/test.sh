#!/bin/sh
# sh scripts/test.sh [PYTEST ARGUMENTS]   format, lint, types and all tests
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh scripts/run.sh sh scripts/check.sh
# A file's tests stay together, as they share what is made once; each process has a JVM of its own.
# A process that ends, as after a test that hangs, is not started again.
exec sh scripts/run.sh pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
    --no-loadscope-reorder --max-worker-restart 0 "$@"
