"""What the benchmark ran on."""

import os
import platform
import re
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import boilersweep
from boilersweep.errors import JavaError
from boilersweep.indexer.jvm import HEAP_VARIABLE, find_java


def describe_machine() -> dict[str, Any]:
    """Processor, memory, system, Python, Java, and the versions of all packages."""
    packages = {item.metadata["Name"]: item.version for item in distributions()}
    packages["boilersweep"] = boilersweep.__version__
    return {
        "processor": _first(r"^model name\s*:\s*(.+)$", "/proc/cpuinfo")
        or platform.processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _java(),
        "java_heap": os.environ.get(HEAP_VARIABLE),
        "load_at_start": os.getloadavg(),
        "packages": dict(sorted(packages.items(), key=lambda item: item[0].lower())),
    }


def _java() -> str:
    try:
        java = find_java()
    except JavaError as error:
        return str(error)
    version = _first(r'^JAVA_VERSION="([^"]+)"', str(java.home / "release"))
    return f"{version or java.major} ({java.source})"


def _first(pattern: str, path: str) -> str | None:
    """Return the first match in a file; None where there is no such file."""
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None
