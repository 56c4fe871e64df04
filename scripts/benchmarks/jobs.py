"""The process that runs one job: `python -m benchmarks.jobs JOB ARGUMENTS ANSWER`.

ARGUMENTS: the job's keyword arguments as JSON. ANSWER: the file for what it says of itself.
"""

import importlib
import json
import sys
from pathlib import Path

from benchmarks.marks import Marks

# Job -> module and function, imported in the job's own process only.
JOBS = {
    "time-systems": ("timing", "time_systems"),
    "segment": ("sweeps", "segment"),
    "plain-run": ("sweeps", "plain_run"),
    "exact-sweep": ("sweeps", "exact_sweep"),
    "index-sweep": ("sweeps", "index_sweep"),
    "separate-runs": ("sweeps", "separate_runs"),
    "search-under-rules": ("rules", "search_under_rules"),
    "command": ("commands", "run_command"),
    "write-demo": ("scaled", "write_demo_collection"),
    "write-scaled": ("scaled", "write_scaled"),
}


def main() -> None:
    """Run the job that the command line names."""
    job, arguments, answer = sys.argv[1:]
    module, function = JOBS[job]
    marks = Marks()
    run = getattr(importlib.import_module(f"benchmarks.{module}"), function)
    result = run(marks, **json.loads(arguments))
    said = {"phases": marks.phases, "result": result}
    Path(answer).write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main()
