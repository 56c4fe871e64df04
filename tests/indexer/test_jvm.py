"""start_jvm: heap, forked children, and that nothing starts it before it is needed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.errors import UsageError
from boilersweep.indexer.jvm import (
    anserini_identity,
    anserini_jar,
    checked_heap,
    java_version,
    start_jvm,
)

pytestmark = pytest.mark.java

FORKING = """
import os, sys, warnings
warnings.simplefilter("ignore")
from boilersweep.errors import JavaError
from boilersweep.indexer.jvm import start_jvm
start_jvm("300m")
child = os.fork()
if child == 0:
    try:
        start_jvm()
    except JavaError as error:
        print(error, flush=True)
        os._exit(7)
    os._exit(8)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

HEAP = """
from boilersweep.indexer.jvm import start_jvm
start_jvm(*{arguments})
from jnius import autoclass
print(autoclass("java.lang.Runtime").getRuntime().maxMemory() // 2**20)
"""

COLLECTORS = """
import jnius_config
jnius_config.set_options({option!r})
from boilersweep.indexer.jvm import start_jvm
start_jvm()
from jnius import autoclass
beans = autoclass("java.lang.management.ManagementFactory").getGarbageCollectorMXBeans()
print(*[beans.get(number).getName() for number in range(beans.size())], sep=", ")
"""

HOST = """
import jnius_config
jnius_config.set_options("-Xmx200m")
import jnius
from boilersweep.errors import JavaError
from boilersweep.indexer.jvm import start_jvm
try:
    start_jvm()
except JavaError as error:
    print(error)
"""


def run(script: str, **environment: str) -> str:
    import os

    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("heap", ["2g", "1500m", "2G", "400000k", "1073741824"])
def test_a_heap_size(heap: str) -> None:
    assert checked_heap(heap) == heap


@pytest.mark.parametrize(
    "heap", ["", "g", "2gb", "2 g", "-1g", "2.5g", "2t", "2g -Xss1g", "x", "0m", "²g", "2g\n"]
)
def test_what_is_no_heap_size_is_a_usage_error(heap: str) -> None:
    with pytest.raises(UsageError, match="expected a size such as 2g or 1500m"):
        checked_heap(heap)


def test_a_forked_child_gets_an_error_and_does_not_hang() -> None:
    message, status = run(FORKING).strip().rsplit("\n", 1)
    assert status == "7"
    assert "forked from one with a running JVM" in message
    assert "spawn" in message


def test_the_heap_is_what_was_asked_for() -> None:
    found = run(HEAP.format(arguments=("200m",))).strip()
    assert 180 <= int(found) <= 200  # its collector keeps a part of it for itself


def test_the_heap_comes_from_the_environment_else() -> None:
    found = run(HEAP.format(arguments=()), BOILERSWEEP_HEAP="250m").strip()
    assert 225 <= int(found) <= 260


@pytest.mark.parametrize(
    ("option", "environment", "collectors"),
    [
        ("-Xmx200m", {}, "Copy, MarkSweepCompact"),
        ("-XX:+UseParallelGC", {}, "PS MarkSweep, PS Scavenge"),
        (
            "-Xmx200m",
            {"JAVA_TOOL_OPTIONS": "-Xss1m -XX:+UseParallelGC"},
            "PS MarkSweep, PS Scavenge",
        ),
        ("-Xmx200m", {"_JAVA_OPTIONS": "-XX:+UseParallelGC"}, "PS MarkSweep, PS Scavenge"),
    ],
)
def test_another_collector_may_be_chosen(
    option: str, environment: dict[str, str], collectors: str
) -> None:
    found = run(COLLECTORS.format(option=option), **environment).strip()
    assert sorted(found.split(", ")) == collectors.split(", ")


def test_a_jvm_of_the_host_without_anserini_is_refused() -> None:
    from boilersweep.indexer.jvm import find_java

    message = run(HOST, JAVA_HOME=str(find_java().home))
    assert "start_jvm()" in message
    assert "before jnius" in message


def test_starting_again_does_nothing(java: None) -> None:
    before = java_version()
    start_jvm("1m")
    assert java_version() == before


def test_the_jar_is_pyserinis() -> None:
    jar = Path(anserini_jar())
    assert jar.is_file()
    assert "pyserini" in jar.parts


def test_a_jar_is_known_by_its_version_and_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSERINI_CLASSPATH", str(tmp_path))
    jar = tmp_path / "anserini-9.8.7-fatjar.jar"
    jar.write_bytes(b"one")
    times = jar.stat()
    before = anserini_identity()
    assert re.fullmatch("9.8.7 [0-9a-f]{64}", before)
    jar.write_bytes(b"two")
    os.utime(jar, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert anserini_identity() != before


def test_a_folder_without_the_jar_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boilersweep.errors import JavaError

    monkeypatch.setenv("ANSERINI_CLASSPATH", str(tmp_path))
    with pytest.raises(JavaError, match=r"expected anserini-\*-fatjar\.jar"):
        anserini_jar()
