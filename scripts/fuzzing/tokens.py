"""Compare the tokens of text pieces with those of Lucene's analyzer, on real and mutated blocks."""
# ruff: noqa: RUF001

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.indexer import compiled
from boilersweep.indexer.analyzer import (
    LANGUAGES,
    STEMMERS,
    AnalyzerOptions,
    LuceneAnalysis,
)
from boilersweep.indexer.contents import (
    STANDARD_BORDERS,
    PurePieces,
    TermTable,
    borders_of,
)
from boilersweep.indexer.jvm import anserini_jar, start_jvm
from boilersweep.store.store import open_store
from fuzzing.automaton import read_automaton
from fuzzing.cutting import ExpectedPieces
from fuzzing.reduction import reduced

if TYPE_CHECKING:
    from boilersweep.indexer.contents import Pieces

HELP = "compare tokens with those of Lucene"

# What tokenizers stumble over.
FRAGMENTS = [
    *" |  |\t|\n|\r\n|\0|\x7f|\x85|\xa0|\u2028|\u3000|\uffff|\ufffe|\ufeff|\ufffd".split(
        "|"
    ),
    *". .. : ; , ' \" _ ` - / ’ ‘ ʼ · ‧ ﹒ ．․ ٫ ٬ ՟ ‿ # * @".split(),
    *"don't it's 's U.S.A. 1,000.5 3:4 l'été the of running".split(),
    *"\u0301 \u00ad \u200b \u200c \u200d \u2060 \ufe0f \u20e3 \u0600 \u06dd \U000e0041".split(),
    *"א ב' א\" א'א א\"א カ ｶ ー か 本 語 𠮷 한 ㅎ ไ ท ລ ᠠ ا ـ आ ् ß İ ı Σ ς ﬁ".split(),
    *"😀 👩‍💻 👍🏽 🇩🇪 #️⃣ 𝒳 𐐷".split(),
]

# Characters of the longest token.
LONG = 255

BATCH = 500
MOST_SHOWN = 20


def mutations(blocks: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Blocks made from others, and some of fragments alone."""
    dice = random.Random(seed)
    turning = read_automaton(Path(anserini_jar())).boundaries()
    for _ in range(count):
        text = dice.choice(blocks) if blocks and dice.random() < 0.6 else ""
        start = dice.randrange(len(text) + 1)
        made = list(text[start : start + dice.randrange(1, 120)])
        for _ in range(dice.randrange(1, 9)):
            place = dice.randrange(len(made) + 1)
            if made and dice.random() < 0.2:
                del made[place : place + dice.randrange(1, 6)]
            else:
                made[place:place] = fragment(dice, turning)
        yield "".join(made)


def fragment(dice: random.Random, turning: Sequence[str]) -> str:
    """Return some characters that matter to a tokenizer."""
    chance = dice.random()
    if chance < 0.0001:
        # With which `LuceneAnalysis` parts texts
        return dice.choice(["x0blk0x", " X0BLK0X "])
    if chance < 0.45:
        return dice.choice(FRAGMENTS)
    if chance < 0.75:
        return dice.choice(turning)
    if chance < 0.85:
        point = dice.randrange(0x110000 - 0x800)
        return chr(point if point < 0xD800 else point + 0x800)
    if chance < 0.97:
        return dice.choice("aZ9é")
    letter = dice.choice(["w", "7", "é", "本", "\U0001d4b3", "w.", "w'"])
    return letter * dice.randrange(LONG // len(letter) - 3, LONG // len(letter) + 4)


class Comparison:
    """Lucene's analyzer of some options, and the tables."""

    def __init__(self, options: AnalyzerOptions) -> None:
        self.lucene = LuceneAnalysis(options)
        borders = borders_of(self.lucene.analyzer)
        kinds: list[Callable[[], Pieces]] = [PurePieces] if borders else []
        if borders and compiled.built:
            kinds.append(partial(compiled.make_pieces, borders))
        asked = (self.lucene.tokens, self.lucene.stacked)
        self.tables = [TermTable(kind, *asked) for kind in kinds]

    def different(self, texts: Sequence[str]) -> list[str]:
        """Those of which a table does not give what Lucene does."""
        expected = [self.lucene.tokens([text])[0] for text in texts]
        stacked = self.lucene.stacked(texts)
        wrong: dict[str, None] = {}
        for table in self.tables:
            found = table.analysed(texts)
            lengths = found.stacked_lengths
            stacks = stacked if lengths is None or stacked is None else lengths.tolist()
            pairs = zip(found.tokens(), stacks or [0] * len(texts), strict=True)
            wanted = zip(expected, stacked or [0] * len(texts), strict=True)
            wrong |= {
                t: None for t, a, b in zip(texts, pairs, wanted, strict=True) if a != b
            }
        return list(wrong)


class CutComparison:
    """The compiled pieces, and what they are to be."""

    def __init__(self) -> None:
        self.pieces = compiled.make_pieces(STANDARD_BORDERS)
        self.expected = ExpectedPieces()

    def different(self, texts: Sequence[str]) -> list[str]:
        """All texts, if the pieces of one are not what they are to be."""
        cut = self.pieces.cut(texts)
        found = (cut.pieces.tolist(), cut.starts.tolist(), cut.new)
        return [] if found == self.expected.cut(texts) else [*texts]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument(
        "--store", type=Path, action="append", default=[], metavar="DIR"
    )
    parser.add_argument("--mutations", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument(
        "--language", choices=sorted(LANGUAGES), default="en", metavar="CODE"
    )
    parser.add_argument("--stemmer", choices=STEMMERS, default="porter")
    parser.add_argument("--pretokenized", action="store_true")
    parser.add_argument("--identifiers", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Run the comparison; return the exit status."""
    options = AnalyzerOptions(
        language=arguments.language,
        stemmer=arguments.stemmer,
        pretokenized=arguments.pretokenized,
        identifiers=arguments.identifiers,
    )
    stores = map(open_store, arguments.store)
    blocks = [
        text
        for store in stores
        for columns in store.columns()
        for text in columns.texts
    ]
    texts = chain(blocks, mutations(blocks, arguments.mutations, arguments.seed))
    start_jvm()
    comparison = Comparison(options)
    if not comparison.tables:
        print(
            f"the analyzer of {options} does not look at single tokens", file=sys.stderr
        )
        return 2
    found = 0
    for text in compare(texts, comparison):
        found += 1
        print(f"difference: {text!r}")
    print(
        f"{len(blocks):,} blocks, {arguments.mutations:,} mutations (seed {arguments.seed}); "
        f"differences: {found}"
    )
    return 1 if found else 0


def compare(
    texts: Iterator[str], comparison: Comparison | CutComparison
) -> Iterator[str]:
    """Yield the first texts that differ, as small as they get; twenty at most."""
    found = 0
    while found < MOST_SHOWN and (some := list(islice(texts, BATCH))):
        for text in comparison.different(some):
            found += 1
            yield reduced(text, lambda shorter: bool(comparison.different([shorter])))
