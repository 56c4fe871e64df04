#!/bin/sh
# sh scripts/leaves.sh [NAME] [-- PYTEST'S OPTIONS]   delete an application (today's, without NAME) in
# a copy with all that needs it, and test the rest
exec sh "$(dirname "$0")/run.sh" python "$(dirname "$0")/leaves.py" "$@"
