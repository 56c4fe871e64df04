"""What pyproject.toml cannot say: the packages in the folders it maps, and the compiled modules."""

import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo, is_zipfile

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

# Package -> its folder.
FOLDERS = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"][
    "setuptools"
]["package-dir"]

# Whether compilers may fuse products and sums, whose bits would then differ from NumPy's.
UNFUSED = sys.platform != "win32" and platform.machine() != "x86_64"


def packages() -> list[str]:
    """Every folder with an __init__.py, by its name as a package."""
    return [
        name
        for top, folder in FOLDERS.items()
        for name in (top, *(f"{top}.{below}" for below in find_packages(folder)))
    ]


def extensions() -> list[Extension]:
    """Return every .pyx, of which none is required.

    Without a C compiler, Python does the work of all but `learned`, which then does not work.
    """
    return [
        Extension(
            ".".join([top, *path.relative_to(folder).with_suffix("").parts]),
            [path.as_posix()],
            optional=True,
            extra_compile_args=["-ffp-contract=off"] if UNFUSED else [],
        )
        for top, folder in FOLDERS.items()
        for path in sorted(Path(folder).rglob("*.pyx"))
    ]


def anserini_jar() -> Path:
    """Return the jar with Lucene's classes.

    Raises:
        FileNotFoundError: pyserini is not installed.
    """
    spec = find_spec("pyserini")
    found = spec.submodule_search_locations if spec else None
    folder = os.environ.get("ANSERINI_CLASSPATH") or Path(
        *found or [], "resources", "jars"
    )
    jars = sorted(Path(folder).glob("anserini-*-fatjar.jar"))
    if not jars:
        raise FileNotFoundError(
            "pyserini, whose jar has Lucene's classes, is not installed"
        )
    return jars[-1]


def digest_of(sources: Path) -> bytes:
    """Return the SHA-256 of the Java sources, which the jar of their classes states."""
    files = sorted(sources.glob("*.java"))
    text = b"".join(path.name.encode() + path.read_bytes() for path in files)
    return sha256(text).hexdigest().encode()


class BuildCompiled(build_ext):
    """Also compiles the Java classes, where a checkout's sources have changed.

    Users need neither a JDK nor pyserini: the jar is part of the repository.
    """

    def run(self) -> None:
        """Build the extension modules, and in place the jar."""
        super().run()
        sources = Path(FOLDERS["boilersweep.indexer"], "compiled", "segments")
        jar = sources.parent / "segments.jar"
        digest = digest_of(sources)
        if not self.inplace or (is_zipfile(jar) and ZipFile(jar).comment == digest):
            return
        try:
            classes = self._classes(sources)
        except (OSError, subprocess.CalledProcessError) as error:
            self.warn(f"{jar.name} is not built: {error}")
            return
        with ZipFile(jar, "w") as packed:
            packed.comment = digest
            for name, content in classes.items():
                packed.writestr(ZipInfo(name), content, ZIP_DEFLATED)

    def _classes(self, sources: Path) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            command = [
                "javac",
                "--release",
                "17",
                "-cp",
                str(anserini_jar()),
                "-d",
                folder,
            ]
            files = map(str, sorted(sources.glob("*.java")))
            subprocess.run([*command, *files], check=True)  # noqa: S603
            classes = sorted(Path(folder).rglob("*.class"))
            return {
                path.relative_to(folder).as_posix(): path.read_bytes()
                for path in classes
            }


def readme() -> str:
    """Return README.md, for a release with absolute links, because PyPI shows no other files.

    $BOILERSWEEP_TREE is the address of the released files, such as
    https://example.org/boilersweep/blob/v0.1.0; without it, links stay as they are.
    """
    text = Path("README.md").read_text("utf-8")
    tree = os.environ.get("BOILERSWEEP_TREE")
    if not tree:
        return text
    text = re.sub(
        r"(!\[[^]]*\]\()(?!https?:)", rf"\1{tree.replace('/blob/', '/raw/')}/", text
    )
    return re.sub(r"(\]\()(?!https?:|#)", rf"\1{tree}/", text)


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    packages=packages(),
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildCompiled},
)
