#!/bin/sh
# sh scripts/leaves.sh [NAME... | all] [-- PYTEST'S OPTIONS]   delete applications (today's, without
# NAME) in a copy with all that needs them, and test the rest
exec sh "$(dirname "$0")/run.sh" python "$(dirname "$0")/leaves.py" "$@"
