"""Applications: parts of boilersweep that the core does not import and that can be deleted.

The core names what an application provides by its place, `module:name`, as an entry point does.
Without the application, the place provides nothing. `scripts/leaves.sh` deletes one in a copy, and
tests the rest.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from boilersweep.errors import UsageError


def provided(place: str) -> Any | None:
    """Return what a place names, None where its module was deleted.

    Args:
        place: Such as `boilersweep.cleaners.learned.cleaner:Learned`.
    """
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        return None


def all_provided(places: Iterable[str]) -> list[Any]:
    """Return what some places name, without those whose modules were deleted."""
    return [
        application for application in map(provided, places) if application is not None
    ]


def required(place: str, feature: str) -> Any:
    """Return what a place names.

    Args:
        place: As `provided` takes it.
        feature: What requires it, for the message.

    Raises:
        UsageError: Its module was deleted.
    """
    application = provided(place)
    if application is None:
        module = place.partition(":")[0].removeprefix("boilersweep.")
        raise UsageError(
            f"{feature} requires `{module}`, which this copy of boilersweep lacks; "
            "install a complete boilersweep"
        )
    return application
