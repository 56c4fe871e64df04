#!/bin/sh
# sh scripts/test.sh [PYTEST ARGUMENTS]   format, lint, types and all tests
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh scripts/run.sh sh scripts/check.sh
exec sh scripts/run.sh pytest "$@"
