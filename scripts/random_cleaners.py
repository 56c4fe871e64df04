"""Cleaners drawn at random from the whole grammar, to try what holds for any of them."""

import random
from collections.abc import Callable, Sequence

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.variants import Variant

_MOST_NESTED = 3

Draw = Callable[[random.Random], str]


def _compared(dice: random.Random) -> str:
    feature, numbers = dice.choice(
        [
            ("words", range(1, 41)),
            ("link_words", range(12)),
            ("density", [number / 2 for number in range(2, 30)]),
            ("link_density", [number / 20 for number in range(21)]),
        ]
    )
    return f"{feature}{dice.choice(['>=', '<=', '<', '>', '==', '!='])}{dice.choice(numbers):g}"


def _named(dice: random.Random) -> str:
    return dice.choice(
        [
            *("learned", "bte", "mss", "dsc", "density-rules", "numwords-rules", "cleaneval-rule"),
            f"link-quota({dice.choice([0.2, 0.5, 0.8])})",
        ]
    )


def _probable(dice: random.Random) -> str:
    return f"learned{dice.choice(['>=', '<'])}{dice.choice(range(5, 100, 5)) / 100:g}"


ATOMS: tuple[Draw, ...] = (_compared, _compared, _named, _probable)
"""What a rule is made of, as often as it is to be drawn."""


def random_variants(count: int, seed: int, texts: Sequence[str]) -> list[Variant]:
    """So many different variants; half of them count blocks several times.

    texts: those that stand beside the blocks, of which rules may ask for blocks.
    """
    dice = random.Random(seed)
    atoms = (*ATOMS, *((lambda dice: dice.choice(texts),) if texts else ()))
    found: dict[str, Variant] = {}
    while len(found) < count:
        text = _rule(dice, atoms, _MOST_NESTED)
        if dice.random() < 0.5:
            text = f"weighted({text}, {dice.choice([1, 2, 3, 5, 8, 20, 100])})"
        variant = Variant(parse_cleaner(text))
        found.setdefault(variant.name, variant)
    return list(found.values())


def _rule(dice: random.Random, atoms: Sequence[Draw], nested: int) -> str:
    kind = dice.choice("atom atom and or not filter".split()) if nested else "atom"
    if kind == "atom":
        return dice.choice(atoms)(dice)
    inner = _rule(dice, atoms, nested - 1)
    if kind == "not":
        return f"!({inner})"
    if kind == "filter":
        depth = dice.randint(1, 5)
        return dice.choice([f"ancestor({inner}, {depth})", f"largest-content({inner})"])
    other = _rule(dice, atoms, nested - 1)
    return f"({inner}) {'&' if kind == 'and' else '|'} ({other})"
