"""Names of a package whose modules are imported when the names are first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping

# Type checkers take this name as true; importing typing takes longer than all else. The annotation
# keeps jedi from hiding the names that depend on it from editors.
TYPE_CHECKING: bool = False


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Args:
        package: The package's name.
        modules: Name -> the module that defines it.
    """
    namespace = vars(sys.modules[package])

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = namespace[name] = getattr(import_module(modules[name]), name)
        return value

    def names() -> list[str]:
        return sorted({*namespace, *modules})

    return get, names
