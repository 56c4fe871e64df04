"""A collection on which indexing, searching and exact sweeps can go wrong, and queries for it."""
# ruff: noqa: RUF001, S311

import random
from collections.abc import Sequence

ODD = (
    "the of and running runner ran ponies caresses relational conditional generously wi-fi don't "
    "O'Neil's naïve façade straße Ελλάδα привет 12,345.67 C++ foo|bar |pipe| a|7 x|y|z term|3 "
    "snake_case user@example.org U.S.A. 日本語 한국어 ไทย 😀 👩‍💻 𝒳𝓎𝓏 𐐷𐐲𐑌 𠮷野家 é e\u0301 "
    "zero\u200bwidth non\u00a0breaking soft\u00adhyphen x0blk0x X0BLK0X \ufffd \uffff7"
).split(" ")
LONG = ["w" * 255, "w" * 256, "ab" * 200, "long|" * 80, "𝒳" * 150, "q" * 1100]
BLOCK_LENGTHS = [1, 1, 2, 3, 4, 5, 7, 9, 12, 17, 25, 33, 41, 60]


def make_words(dice: random.Random, count: int) -> list[str]:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return [
        "".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(count)
    ]


def some_block(
    dice: random.Random, words: Sequence[str], weights: Sequence[float]
) -> str:
    tokens = dice.choices(words, weights, k=dice.choice(BLOCK_LENGTHS))
    linked = dice.choice([0, 0, 0, 1, len(tokens) // 2, len(tokens)])
    plain = [token.replace("&", "&amp;").replace("<", "&lt;") for token in tokens]
    return (
        f"<p><a href='/'>{' '.join(plain[:linked])}</a> {' '.join(plain[linked:])}</p>"
    )


def vocabulary() -> list[str]:
    """Return words, frequent ones first."""
    dice = random.Random(11)
    words = make_words(dice, 220)
    for word in ODD:
        words.insert(dice.randrange(70), word)
    return words


def difficult_pages() -> dict[str, str]:
    """114 pages: 70 varied by Zipf's law, 30 alike in groups, and the awkward ones."""
    words, dice = vocabulary(), random.Random(12)
    weights = [1 / (rank + 2) for rank in range(len(words))]
    pages = {}
    for number in range(70):
        blocks = [some_block(dice, words, weights) for _ in range(dice.randint(1, 14))]
        pages[f"page-{number:03d}"] = _title(number, words) + "".join(blocks)
    for number in range(30):  # five pages six times over, in no order
        pages[f"tie-{(29 - number) * 7 % 30:02d}"] = pages[f"page-{number % 5:03d}"]
    for number, word in enumerate(LONG):
        pages[f"long-{number}"] = (
            f"<p>{word}</p><p>before {word} after {word} running</p>"
        )
    pages["stop-words"] = (
        "<title>running ponies</title><p>the</p><p>of and the</p><p>"
        + "to be or not to be " * 7
        + "</p>"
    )
    pages["many-times"] = "<p>" + "ponies " * 700 + "</p><p>ponies</p>"
    pages["only-a-long-block"] = "<p>" + " ".join(make_words(dice, 90)) + "</p>"
    pages["only-a-menu"] = (
        "<title>the caresses</title><p>ponies</p><p><a href='/'>running</a></p>"
    )
    pages["no-block"] = "<title>running ponies</title><p>... !!! ---</p>"
    pages["empty"] = "<p> </p>"
    pages["ünï-😀"] = "<p>running ponies 😀 with a docid of its own</p>"
    pages["ünï-\ufffd"] = "<p>running ponies 😀 with a docid of its own</p>"
    return pages


def pages_with_apostrophes() -> dict[str, str]:
    """Pages that write the same words with one of the characters for an apostrophe each."""
    return {
        f"apostrophe-{ord(sign):04x}": (
            f"<title>O{sign}Brien{sign}s clock</title><p>six o{sign}clock</p><p>O{sign}Brien "
            f"didn{sign}t stop the ponies{sign} clock {sign}n{sign} all {sign}til l{sign}été</p>"
            f"<p>don{sign}t, rock{sign}{sign}n, x{sign}y.z, the 80{sign}s of {sign * 3}</p>"
        )
        for sign in "'\u2019\u02bc\uff07\u2018`"
    }


def _title(number: int, words: Sequence[str]) -> str:
    """Every fourth page has none, every fourth one of stop words, and some have odd words."""
    if number % 4 == 0:
        return ""
    title = " ".join(words[number : number + number % 4]) if number % 4 > 1 else "the"
    return f"<title>{title}</title>"


def difficult_queries() -> dict[str, str]:
    """79 queries: words alone and together, repeated, unknown, stop words only, none at all."""
    words, dice = vocabulary(), random.Random(13)
    weights = [1 / (rank + 2) for rank in range(len(words))]
    queries = {
        f"z{n}": " ".join(dice.choices(words, weights, k=n % 5 + 1)) for n in range(10)
    }
    rare = words[60:]
    queries |= {f"r{n}": " ".join(dice.choices(rare, k=n % 4 + 1)) for n in range(8)}
    odd = [
        *ODD[4:],
        *LONG[:5],
        *("the of and", "the of", "nowhereatall", "", "...", "the", "𠮷野家 𝒳𝓎𝓏"),
        *("o'clock", "o’clock didn’t", "Oʼbrien", "l＇été ’til rock’’n x’y.z"),
        "ponies ponies running",
        "ponies running ponies nowhereatall nowhereatall ponies",
        f"{words[0]} {words[0]} {words[1]} the {words[0]}",
    ]
    return queries | {f"o{number}": text for number, text in enumerate(odd)}
