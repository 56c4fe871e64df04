"""Made-up prose: the subjects, their words, and sentences, paragraphs, teasers and comments."""

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import resources
from typing import TypeVar

T = TypeVar("T")


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
        things, parts, deeds = (
            tuple(line.split(", ")) for line in lines[at + 1 : at + 4]
        )
        yield Subject(lines[at], things, parts, deeds)


# Fifty; topic number n is SUBJECTS[n - 1]. Neighbours share a word, so they are confused.
SUBJECTS = tuple(_subjects(packaged("subjects.txt")))

# Kind -> templates of sentences, or names; the file says which fields they have.
PHRASES: dict[str, list[str]] = tomllib.loads(packaged("phrases.toml"))


class Tone(IntEnum):
    """How a post speaks of its subject, with the grade that BLOGS06 gives it."""

    NEUTRAL = 1
    AGAINST = 2
    MIXED = 3
    FOR = 4


_OPINIONS = {
    Tone.NEUTRAL: PHRASES["plain"],
    Tone.AGAINST: PHRASES["complaint"],
    Tone.MIXED: PHRASES["praise"] + PHRASES["complaint"],
    Tone.FOR: PHRASES["praise"],
}
# Beside the headlines that any post may have.
_HEADLINES = {
    Tone.AGAINST: PHRASES["headlines_against"],
    Tone.FOR: PHRASES["headlines_for"],
}


class Dice:
    """Draws that are the same everywhere.

    Only `random()` is used: of the generator's methods it alone keeps its sequence in every version
    of Python.
    """

    def __init__(self, *seed: int | str) -> None:
        text = " ".join(str(part) for part in seed)
        self._random = random.Random(text).random  # noqa: S311 - nothing here is secret

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """Return an integer from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return this many different items (all of them if there are fewer), in random order."""
        rest = list(items)
        return [
            rest.pop(int(self._random() * len(rest)))
            for _ in range(min(count, len(rest)))
        ]


def sentence(dice: Dice, subject: Subject, templates: Sequence[str]) -> str:
    """One of the templates, filled with the subject's words."""
    things, others = dice.some(subject.things, 2)
    part, piece = dice.some(subject.parts, 2)
    text = dice.pick(templates).format(
        title=subject.title,
        things=things,
        others=others,
        part=part,
        piece=piece,
        deed=dice.pick(subject.deeds),
        name=dice.pick(PHRASES["names"]),
        place=dice.pick(PHRASES["places"]),
        month=dice.pick(PHRASES["months"]),
    )
    return text[0].upper() + text[1:]


def paragraph(
    dice: Dice, subject: Subject, tone: Tone, *, words: int, naming: float
) -> str:
    """Sentences until there are about this many words.

    `naming` is the probability that the paragraph calls the subject by its title; posts do not
    repeat their title in every paragraph, which is what makes them hard to find.
    """
    plain = dice.some(PHRASES["plain"], len(PHRASES["plain"]))
    opinions = dice.some(_OPINIONS[tone], 3)
    fillers = dice.some(PHRASES["filler"], 3)
    sentences = (
        [sentence(dice, subject, PHRASES["naming"])] if dice.chance(naming) else []
    )
    while sum(len(text.split()) for text in sentences) < words - 7:
        kind = dice.number(1, 10)
        stack = plain if kind <= 5 else opinions if kind <= 7 else fillers
        sentences.append(sentence(dice, subject, [(stack or plain).pop()]))
    return " ".join(dice.some(sentences, len(sentences)))


def headline(dice: Dice, subject: Subject, tone: Tone) -> str:
    """Return the headline of a post."""
    return sentence(dice, subject, PHRASES["headlines"] + _HEADLINES.get(tone, []))


def teaser(dice: Dice, subject: Subject, *, naming: float) -> str:
    """Five to nine of the subject's words, cut off as blogs cut them off."""
    items = dice.some(subject.things + subject.parts, 10)
    if dice.chance(naming):
        items.insert(1, subject.title)
    length = dice.number(5, 8)
    words: list[str] = []
    for item in items:
        words += item.split()
        if len(words) >= length:
            break
        words[-1] += ","
    text = " ".join(words[:9])
    return text[0].upper() + text[1:] + "..."


def comment(dice: Dice, subject: Subject, *, short: float) -> str:
    """Return a comment: a few words with this probability, else a few sentences."""
    if dice.chance(short):
        return sentence(dice, subject, PHRASES["short_comments"])
    tone = dice.pick(tuple(Tone))
    return paragraph(dice, subject, tone, words=dice.number(15, 45), naming=0.1)
