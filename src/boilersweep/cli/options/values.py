"""How the words of a call become values, and the fields of dataclasses options."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter, Token

from boilersweep.collection.inputs import Input, parse_inputs
from boilersweep.errors import UsageError
from boilersweep.outputs.locations import location, output_location, output_path
from boilersweep.redaction import without_secrets


def parsed(parse: Callable[[str], object], metavar: str, **more: Any) -> Parameter:
    """Return how one word becomes a value; a UsageError of `parse` gets the option's name.

    Args:
        parse: A function from the word to the value.
        metavar: What the help text calls the word.
        more: More arguments of Parameter.
    """
    parse_word = _naming(parse, metavar)
    return Parameter(
        converter=lambda _type, tokens: parse_word(tokens[0]),
        n_tokens=1,
        accepts_keys=False,
        metavar=metavar,
        **more,
    )


def parsed_each(
    parse: Callable[[str], object], metavar: str, count: int = 1, **more: Any
) -> Parameter:
    """Return how words become a tuple of values; see `parsed`.

    Args:
        parse: A function from a word to a value.
        metavar: What the help text calls a word.
        count: How many words follow the option, which may be repeated.
        more: More arguments of Parameter.
    """
    parse_word = _naming(parse, metavar)
    return Parameter(
        converter=lambda _type, tokens: tuple(map(parse_word, tokens)),
        n_tokens=count,
        accepts_keys=False,
        metavar=metavar,
        **more,
    )


def _naming(parse: Callable[[str], object], metavar: str) -> Callable[[Token], object]:
    """Return a parser of words whose errors have the name of the option."""

    def parse_word(word: Token) -> object:
        try:
            return parse(word.value)
        except UsageError as error:
            raise UsageError(f"{word.keyword or metavar}: {error}") from error

    return parse_word


def listed(parse: Callable[[str], object], metavar: str = "LIST") -> Parameter:
    """Return how one word with commas becomes several values."""
    return parsed(parse, metavar, allow_repeating=False)


def path(metavar: str, parse: Callable[[str], Path] = Path) -> Parameter:
    """Return how a word becomes a path; `-` is a stream."""
    return parsed(_checked(parse), metavar, allow_leading_hyphen=True)


def paths(metavar: str, parse: Callable[[str], Path] = Path) -> Parameter:
    """Return how the words of a repeated option become paths; `-` is a stream."""
    return parsed_each(_checked(parse), metavar, allow_leading_hyphen=True)


def _all_inputs(_type: object, words: Sequence[Token]) -> Input:
    """Return what the words of a repeated option name together."""
    check = _naming(_checked(Path), "PATH")
    for word in words:
        check(word)
    try:
        return parse_inputs([word.value for word in words])
    except UsageError as error:
        raise UsageError(f"{words[0].keyword or 'PATH'}: {error}") from error


def _checked(parse: Callable[[str], Path]) -> Callable[[str], Path]:
    """Return a parser of paths that takes neither an empty text nor an option for one."""

    def parse_path(text: str) -> Path:
        if not text:
            raise UsageError("expected a path, got an empty text")
        if text.startswith("-") and text != "-":
            raise UsageError(f"expected a path, got {text}; a file may be ./{text}")
        return parse(text)

    return parse_path


def _here(text: str) -> Path:
    """Return a path of this machine; raise UsageError for a URL, of which Path drops a slash."""
    if "://" in text:
        raise UsageError(
            f"expected a path of this machine, got {without_secrets(text)}; copy it here first"
        )
    return Path(text)


def positive(text: str) -> int:
    """Return a whole number of at least 1; raise UsageError for another text."""
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def part(
    declared: type,
    *names: str,
    group: Group | None = None,
    but: Collection[str] = (),
    **flags: str,
) -> Parameter:
    """Return how a dataclass declares options: by names, types, defaults and docstring.

    Args:
        declared: The dataclass.
        names: The fields that are options (default: all).
        group: Their group in the help text.
        but: Fields that are no options.
        flags: Field -> its option without dashes, where it is spelled differently.
    """
    every = [field.name for field in fields(declared)]
    left_out = [name for name in every if name in but or (names and name not in names)]
    # Has to match the parameter that holds the dataclass, too.
    pattern = rf"^(?!(?:{'|'.join(left_out)})$)"
    settings: dict[str, Any] = {"group": group} if group else {}
    return Parameter(
        name="*",
        parse=re.compile(pattern),
        name_transform=lambda name: flags.get(name, name.replace("_", "-")),
        **settings,
    )


Count = Annotated[int, parsed(positive, "N")]
File = Annotated[Path, path("FILE", location)]
Folder = Annotated[Path, path("DIR", _here)]
FolderAnywhere = Annotated[Path, path("DIR", location)]
PagesInput = Annotated[
    Input,
    Parameter(
        converter=_all_inputs,
        n_tokens=1,
        accepts_keys=False,
        allow_repeating=True,
        allow_leading_hyphen=True,
        metavar="PATH",
    ),
]
Store = Annotated[Path, path("DIR", location)]
OutputFile = Annotated[Path, path("FILE", output_path)]
OutputFolder = Annotated[Path, path("DIR", output_path)]
OutputAnywhere = Annotated[Path, path("DIR", output_location)]


def section(title: str, about: str = "") -> Group:
    """Return a section of help texts; sections are in the order of their declarations."""
    return Group.create_ordered(title, help=about, sort_key=2)
