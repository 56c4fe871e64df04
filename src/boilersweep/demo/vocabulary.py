"""What the demo's blogs write about, and in which words."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject and its own words.

    Attributes:
        title: a plural, and the title of the topic.
        things: plurals.
        parts: singulars that take "the".
        deeds: what one does, as infinitives without "to".
    """

    title: str
    things: tuple[str, ...]
    parts: tuple[str, ...]
    deeds: tuple[str, ...]


def packaged(name: str) -> str:
    """Return the text of a file in this folder."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _subjects(table: str) -> Iterator[Subject]:
    """Four lines a subject: title; things; parts; deeds."""
    lines = table.splitlines()
    for at in range(0, len(lines), 4):
        things, parts, deeds = (tuple(line.split(", ")) for line in lines[at + 1 : at + 4])
        yield Subject(lines[at], things, parts, deeds)


# Fifty; topic number n is SUBJECTS[n - 1]. Neighbours share a word, so they are confused.
SUBJECTS = tuple(_subjects(packaged("subjects.txt")))

# Kind -> templates of sentences, or names; the file says which fields they have.
PHRASES: dict[str, list[str]] = tomllib.loads(packaged("phrases.toml"))
