"""Extractors by name: our own, other libraries', and anyone's.

Anyone's are found in two ways. A package declares one as an entry point in the group
`boilersweep.extractors`; or its place is given as `module:function`, of a module that Python can
import. Both name a callable that takes a page's decoded HTML and returns its main text.
"""

import importlib
import importlib.metadata
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, cast

from boilersweep.applications import all_provided
from boilersweep.errors import PageError, UsageError, did_you_mean, excerpt
from boilersweep.extractors import BuiltIn, ccb, cetr, partitions, pruning
from boilersweep.outputs.identity import CodeVersion, __version__
from boilersweep.pages.stray_characters import as_shown
from boilersweep.plugins import PluginGroup, contained

PLUGINS = PluginGroup(
    "boilersweep.extractors", "extractor", ", or name it as module:function"
)


@dataclass(frozen=True, slots=True)
class Extractor:
    """An extractor that was found by its name.

    Attributes:
        name: The name.
        extract: Gives the text of a page's HTML; may raise anything.
    """

    name: str
    extract: Callable[[str], str]

    def text(self, page: str) -> str:
        """Return what it takes from a page, as UTF-8 can hold it; raises what foreign code does."""
        text = self.extract(page).encode("utf-8", "replace").decode("utf-8")
        return as_shown(text)

    def __str__(self) -> str:
        return self.name


# The extractors that boilersweep brings, by name; a new module has its line here.
BUILT_IN: dict[str, BuiltIn] = {
    extractor.name: extractor
    for extractors in (
        *(cetr.EXTRACTORS, ccb.EXTRACTORS, partitions.EXTRACTORS, pruning.EXTRACTORS),
        *all_provided(
            [
                "boilersweep.extractors.vips:EXTRACTORS",
                "boilersweep.extractors.libraries:EXTRACTORS",
            ]
        ),
    )
    for extractor in extractors
}


def extractor_names() -> list[str]:
    """Return the names of all extractors: built in, installed or not, then entry points'."""
    return [*BUILT_IN, *(name for name in PLUGINS.names() if name not in BUILT_IN)]


_CALL = re.compile(r"(?P<name>[\w-]+)\((?P<values>[\d\s,.]*)\)")


def with_values(name: str, values: Sequence[float]) -> str:
    """Return the canonical name of a built-in extractor with values of its parameters.

    Raises:
        UsageError: It takes fewer values, or others.
    """
    parameters = BUILT_IN[name].parameters
    expected = ", ".join(
        f"{parameter.name} from {parameter.least} to {parameter.most}"
        for parameter in parameters
    )
    if len(values) > len(parameters) or not all(
        value == int(value) and one.least <= value <= one.most
        for one, value in zip(parameters, values, strict=False)
    ):
        given = ", ".join(f"{value:g}" for value in values)
        raise UsageError(
            f"{name}({given}): expected {f'whole numbers: {expected}' if expected else name}"
        )
    whole = [int(value) for value in values]
    whole += [parameter.default for parameter in parameters[len(values) :]]
    is_default = whole == [parameter.default for parameter in parameters]
    return name if is_default else f"{name}({', '.join(map(str, whole))})"


def takes_values(name: str) -> bool:
    """Return whether an extractor may be given numbers behind its name."""
    return name in BUILT_IN and bool(BUILT_IN[name].parameters)


def _called(name: str) -> tuple[str, list[int]]:
    """Return the canonical name of a built-in extractor with its values; without any, the name."""
    call = _CALL.fullmatch(name)
    if not (call and takes_values(call["name"])):
        return name, []
    values = [float(value) for value in call["values"].split(",") if value.strip()]
    name = with_values(call["name"], values)
    return name, [int(value) for value in re.findall(r"\d+", name.partition("(")[2])]


def find_extractor(name: str) -> Extractor:
    """Return the extractor of a name, an entry point's name, or a `module:function`.

    Imports what it needs. Behind a built-in name may be numbers, as in `cetr(4, 3)`.

    Raises:
        UsageError: No extractor has that name, its library is missing, or a plug-in cannot be
            imported or is not callable.
    """
    name, values = _called(name)
    if built_in := BUILT_IN.get(name.partition("(")[0]):
        return Extractor(name, built_in.load(*values))
    point = PLUGINS.find(name)
    if point:
        return Extractor(name, _loaded(name, point.module, point.load))
    module, colon, attribute = name.partition(":")
    if colon and module and attribute:
        return Extractor(
            name,
            _loaded(
                name,
                module,
                lambda: attrgetter(attribute)(importlib.import_module(module)),
            ),
        )
    known = extractor_names()
    raise UsageError(
        f"no extractor is named {excerpt(name)!r}{did_you_mean(name, known)}; there are "
        f"{', '.join(known)}, and module:function for a function of yours that takes HTML and "
        "returns text"
    )


EXTRACT_CODE = CodeVersion("extract", 1)


def extractor_identity(name: str) -> str:
    """Describe what an extractor's texts depend on beside the page; imports nothing foreign.

    Of our own the number of the code, of a library its distribution and version, and what else it
    depends on, of a plug-in its distribution and version, if it has any, and the
    digest of its sources.

    Raises:
        UsageError: No extractor has that name.
    """
    if built_in := BUILT_IN.get(name.partition("(")[0]):
        parts = [_version(built_in.distribution)] if built_in.distribution else []
        parts.append(f"boilersweep {__version__}, code {EXTRACT_CODE.number}")
        parts += [built_in.depends_on()] if built_in.depends_on else []
        return ", ".join(parts)
    module = name.partition(":")[0]
    return PLUGINS.identity(name) or f"{name} {PLUGINS.sources_digest(name, module)}"


def _version(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{name} (not installed)"


def _loaded(name: str, module: str, load: Callable[[], Any]) -> Callable[[str], str]:
    extract = PLUGINS.imported(name, module, load)
    if not callable(extract):
        raise UsageError(
            f"extractor {name!r}: expected a function from HTML to text, got "
            f"{type(extract).__name__}"
        )
    return cast("Callable[[str], str]", extract)


def extracted(extractor: Extractor, page: str) -> str:
    """Return the text that an extractor takes from a page, decoded.

    Raises:
        PageError: The extractor fails.
    """
    try:
        with contained():
            return extractor.text(page)
    except Exception as error:  # foreign code on hostile pages raises what it likes
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PageError(f"{extractor.name} failed on the page ({message})") from error
