"""Options of an experiment by single names, for tests that change one at a time."""

from dataclasses import fields
from typing import Any

from boilersweep.eval import (
    ExperimentOptions,
    OutputOptions,
    StudyOptions,
    Verification,
)


def experiment_arguments(**given: Any) -> dict[str, Any]:
    """Return arguments of `run_sweep` and `run_grid`, those of options as their objects.

    Args:
        given: Names of fields of ExperimentOptions and OutputOptions; `verified` and `full` of
            Verification; all others stay as they are.
    """
    verification = Verification(
        variants=given.pop("verified", None), full=given.pop("full", False)
    )
    names = ("search", "measures", "engine", "build")
    options = {name: given.pop(name) for name in names if name in given}
    output = {
        name: given.pop(name)
        for name in ("title", "sources", "overwrite")
        if name in given
    }
    return given | {
        "options": ExperimentOptions(verification=verification, **options),
        "output_options": OutputOptions(**output),
    }


def study_arguments(**given: Any) -> dict[str, Any]:
    """Return arguments of `run_study`, those of options as their objects.

    Args:
        given: As for `experiment_arguments`, and names of fields of StudyOptions.
    """
    names = [field.name for field in fields(StudyOptions)]
    study = StudyOptions(**{name: given.pop(name) for name in names if name in given})
    return experiment_arguments(**given) | {"study": study}
