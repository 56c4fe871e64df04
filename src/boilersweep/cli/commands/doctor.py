"""`boilersweep doctor`."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cli.messages import note
from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.extras import (
    INSTALL_LUCENE,
    PYSERINI,
    install_command,
    installer,
    missing_for_lucene,
    packages_of,
)
from boilersweep.indexer.adders import why_not_added
from boilersweep.indexer.jvm import find_java, start_jvm
from boilersweep.indexer.manifest import versions
from boilersweep.pages import compiled
from boilersweep.pages.language import DECLARED_ONLY, detector
from boilersweep.pages.words import ESTIMATED, dictionary
from boilersweep.work.processes import default_workers

_MINIMUM_MEMORY_GB = 4.0
_MINIMUM_DISK_GB = 2.0
_MINIMUM_OPEN_FILES = 4096


def run(
    *, install_: Annotated[bool, Parameter("--install")] = False, yes: bool = False
) -> int:
    """Check Python, Java, pyserini and the machine.

    Check Python, Java, pyserini, memory, disk and limits, and explain how to fix what is wrong.
    With --install, first install pyserini without the 6 GB of packages that it declares.

    Args:
        install_: Install pyserini into the environment of boilersweep, with its Lucene but without
            the packages that only its other parts need; asks first.
        yes: With --install: do not ask.
    """
    if install_:
        install(ask=not yes)
    wrong = False
    for verdict, line in (
        *_python(),
        *_segmenter(),
        *_learned(),
        *_texts(),
        *_lucene(),
        *_machine(),
    ):
        wrong = wrong or verdict == "wrong"
        print(f"{verdict:>5}  {line}")
    return 1 if wrong else 0


def install(*, ask: bool) -> None:
    """Install what Lucene needs and is missing, as boilersweep itself was installed."""
    missing = missing_for_lucene()
    if not missing:
        note("pyserini and all that it needs are installed already")
        return
    program = installer()
    if not program:
        raise BoilersweepError(
            f"expected pip in {sys.prefix}, or uv on PATH, found neither; install one of them"
        )
    commands = [[*program, "--no-deps", PYSERINI]]
    if missing != ["pyserini"]:
        commands.insert(0, [*program, *packages_of("lucene")])
    note(
        f"missing: {', '.join(missing)}; this runs:",
        *(f"  {shlex.join(command)}" for command in commands),
        "--no-deps leaves out torch and other packages, 6 GB, which `pip check` then reports",
    )
    if ask:
        if not sys.stdin.isatty():
            raise UsageError(
                "--install asks before it installs; without a terminal pass --yes"
            )
        note("Continue? [Y/n]")
        if input().strip().lower() not in ("", "y", "yes"):
            raise UsageError("nothing was installed")
    for command in commands:
        # What pip prints is no result of ours: it goes to stderr.
        if subprocess.run(command, check=False, stdout=2).returncode:  # noqa: S603
            raise BoilersweepError(
                f"failed: {shlex.join(command)}; its messages say why"
            )
    invalidate_caches()


def _python() -> Iterator[tuple[str, str]]:
    yield "ok", f"Python {sys.version.split()[0]} at {sys.executable}"
    for package in ("lxml", "pyarrow", "numpy"):
        try:
            yield "ok", f"{package} {version(package)}"
        except PackageNotFoundError:
            yield "wrong", f"{package} is not installed: pip install {package}"


def _segmenter() -> Iterator[tuple[str, str]]:
    why = compiled.why_missing()
    if not why and compiled.forbidden():
        why = "BOILERSWEEP_PURE=1 forbids the compiled one; unset it"
    if why:
        yield (
            "slow",
            f"the segmenter in pure Python cuts the pages, a third as fast: {why}"
            f"{_other_reading()}",
        )
    else:
        yield "ok", "the compiled segmenter cuts the pages"


def _other_reading() -> str:
    if compiled.is_oracle():
        return ""
    return (
        f"; it reads by libxml2 {compiled.libxml2()}, which cuts some pages differently from the "
        "compiled one (pages/compiled/README.md counts them): compare only stores of one parser"
    )


def _learned() -> Iterator[tuple[str, str]]:
    if why := why_no_model():
        yield "lacks", why
    else:
        yield "ok", "compiled code computes `learned`"


def _texts() -> Iterator[tuple[str, str]]:
    """Yield what knows the words and the languages of texts."""
    if dictionary() == ESTIMATED:
        yield (
            "lacks",
            "dictionaries for Chinese, Japanese, Thai, Lao, Khmer and Burmese, whose words are\n"
            "       estimated by length. To install them, run:\n"
            f"       {install_command('words')}",
        )
    else:
        yield "ok", f"{dictionary()} splits scripts without spaces into words"
    if detector() == DECLARED_ONLY:
        yield (
            "lacks",
            "a detector for the language of pages; only declared languages are used. To install\n"
            f"       it, run: {install_command('languages')}",
        )
    else:
        yield "ok", f"{detector()} detects the language of pages from their text"


def _lucene() -> Iterator[tuple[str, str]]:
    if missing := missing_for_lucene():
        yield (
            "lacks",
            "packages for indexing, searching and studies; cleaning, stores and exports work\n"
            f"       without them: {', '.join(missing)}. To install them, run:\n"
            f"       {INSTALL_LUCENE}",
        )
        return
    for package in ("pyserini", "pyjnius", "ir-measures"):
        yield "ok", f"{package} {version(package)}"
    try:
        java = find_java()
        yield "ok", f"Java {java.major} from {java.source}: {java.home}"
        start_jvm()
        installed = versions()
    except BoilersweepError as error:
        yield "wrong", str(error).replace("\n", "\n       ")
        return
    yield (
        "ok",
        f"Lucene {installed['lucene']} in Anserini {installed['anserini']} answers",
    )
    if why := why_not_added():
        yield "slow", f"without compiled code, many indexes take twice as long: {why}"
    else:
        yield "ok", "the code for many indexes is compiled"


def _machine() -> Iterator[tuple[str, str]]:
    if hasattr(os, "sysconf"):  # not on Windows
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
        few = memory < _MINIMUM_MEMORY_GB
        yield _limit(
            f"{memory:.1f} GB of memory", "sweep few thresholds at a time" * few
        )
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    few = free < _MINIMUM_DISK_GB
    yield _limit(f"{free:.1f} GB of disk free here", "parallel indexes need more" * few)
    with contextlib.suppress(ModuleNotFoundError):  # on Windows
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        few = soft < _MINIMUM_OPEN_FILES
        yield _limit(
            f"{soft:,} open files allowed", f"raise it with ulimit -n {hard}" * few
        )
    yield "ok", f"{default_workers()} processors"


def _limit(state: str, advice: str) -> tuple[str, str]:
    """Return the verdict on a limit of the machine; without advice, it is enough."""
    return ("low", f"{state}: {advice}") if advice else ("ok", state)
