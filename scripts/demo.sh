#!/bin/sh
# sh scripts/demo.sh [DIR]   the whole experiment on a small made-up collection
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/scripts/run.sh" boilersweep demo --output "${1:-boilersweep-demo}"
echo "Here boilersweep stands for: sh scripts/run.sh boilersweep"
