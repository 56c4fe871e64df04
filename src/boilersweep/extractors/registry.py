"""Extractors by name: our own, other libraries', and anyone's.

Anyone's are found in two ways. A package declares one as an entry point in the group
`boilersweep.extractors`; or its place is given as `module:function`, of a module that Python can
import. Both name a callable that takes a page's decoded HTML and returns its main text.
"""

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from boilersweep.errors import UsageError, did_you_mean, excerpt
from boilersweep.extractors import ccb, cetr, libraries
from boilersweep.extractors.plugins import PluginGroup
from boilersweep.outputs.identity import code_identity
from boilersweep.pages.language import detector

PLUGINS = PluginGroup("boilersweep.extractors", "extractor", ", or name it as module:function")


@dataclass(frozen=True, slots=True)
class Extractor:
    """An extractor. name: the one it was found by. extract: page's HTML to text; may raise."""

    name: str
    extract: Callable[[str], str]

    def text(self, page: str) -> str:
        """What it takes from a page, as UTF-8 can hold it; raises whatever foreign code raises."""
        return self.extract(page).encode("utf-8", "replace").decode("utf-8")

    def __str__(self) -> str:
        return self.name


_OWN: dict[str, Callable[[str], str]] = {
    "cetr": cetr.cetr,
    "cetr-km": cetr.cetr_km,
    "cetr-tm": cetr.cetr_tm,
    "ccb": ccb.ccb,
}
_LIBRARIES: dict[str, Callable[[], Callable[[str], str]]] = {
    "justext": libraries.justext,
    "trafilatura": libraries.trafilatura,
    "trafilatura-fast": libraries.trafilatura_fast,
    "resiliparse": libraries.resiliparse,
    "readability": libraries.readability,
    "boilerpy3-article": libraries.boilerpy3_article,
    "boilerpy3-default": libraries.boilerpy3_default,
}
_READS_LANGUAGE = frozenset({"justext"})


def extractor_names() -> list[str]:
    """The names of all extractors: ours, the libraries', installed or not, then entry points'."""
    known = [*_OWN, *_LIBRARIES]
    return [*known, *(name for name in PLUGINS.names() if name not in known)]


def find_extractor(name: str) -> Extractor:
    """The extractor of a name, an entry point's name, or a `module:function`.

    Imports what it needs. Raises UsageError where there is none of that name, where its library is
    missing, or where a plug-in cannot be imported or is not callable.
    """
    if name in _OWN:
        return Extractor(name, _OWN[name])
    if name in _LIBRARIES:
        return Extractor(name, _LIBRARIES[name]())
    point = PLUGINS.find(name)
    if point:
        return Extractor(name, _loaded(name, point.module, point.load))
    module, colon, attribute = name.partition(":")
    if colon and module and attribute:
        return Extractor(name, _loaded(name, module, lambda: _attribute(module, attribute)))
    known = extractor_names()
    raise UsageError(
        f"no extractor is named {excerpt(name)!r}{did_you_mean(name, known)}; there are "
        f"{', '.join(known)}, and module:function for a function of yours that takes HTML and "
        "returns text"
    )


def extractor_identity(name: str) -> str:
    """What an extractor's texts depend on beside the page, as text; nothing foreign is imported.

    Of our own the digest of the code, of a library its distribution and version, and what tells the
    language if it goes by that, of a plug-in its distribution and version, if it has any, and the
    digest of its sources.
    Raises UsageError where there is none of that name.
    """
    ours = f"boilersweep {code_identity('extract')['extract']}"
    if name in _OWN:
        return ours
    if name in _LIBRARIES:
        reads = f", {detector()}" if name in _READS_LANGUAGE else ""
        return f"{_distribution(libraries.DISTRIBUTIONS[name])}, {ours}{reads}"
    module = name.partition(":")[0]
    return PLUGINS.identity(name) or f"{name} {PLUGINS.sources_digest(name, module)}"


def _distribution(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{name} (not installed)"


def _attribute(module: str, attribute: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def _loaded(name: str, module: str, load: Callable[[], Any]) -> Callable[[str], str]:
    extract = PLUGINS.imported(name, module, load)
    if not callable(extract):
        raise UsageError(
            f"extractor {name!r}: expected a function from HTML to text, got "
            f"{type(extract).__name__}"
        )
    return cast("Callable[[str], str]", extract)
