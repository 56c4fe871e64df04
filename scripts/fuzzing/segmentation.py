"""Compare the compiled segmenter with the pure one, on whole and mutated pages."""

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from boilersweep.pages import compiled
from boilersweep.pages.elements import Borders, roles_of
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from fuzzing.reduction import reduced

HELP = "compare compiled and pure segmentation"

# Elements to put into pages.
NAMES = [
    *sorted(roles_of("block")),
    *"b em i span sub wbr a body br frameset head hr html img input link meta table tr x:y".split(),
    *"desc foreignObject object option select svg svg".split(),
    *"H1 P A DIV SCRIPT Title".split(),
]

# Elements with a raw text, to put into pages more often.
RAW = "script script style textarea title xmp iframe noembed noframes plaintext".split()

# Bytes to put into pages: what tokenizers stumble over.
FRAGMENTS = [
    *rb"""< > " ' / = & ; - ! <! </ </> <? <!-- --> --!> <!--> <!---> <!----> <!--- - -- <![CDATA[
    ]]> <?php ?> <!DOCTYPE <!doctype/html> &amp &am p; &#6 5; &#x &nbsp; &lt; /> =' ="> '> "/> one
    a:b 1 | . </script </script/ <script/> <textarea> </textarea> <title/> </title </plaintext>
    <xmp/> <style> </style <p<b> <a/href=x> <a'> <b"> <p/ > <p /=> <p=/> <br/> </br>""".split(),
    *b" |  |\n|\r|\r\n|\t|\x0b|\x0c|\x1c|\0|\x01|\x85|\xc3\xa9|\xe3\x80\x80|\xc2\xa0".split(
        b"|"
    ),
    *b"\xf0\x9f\x98\x80|\xc3|\xa9|\xff|\xfe\xff|\xef\xbb\xbf|\xed\xa0\x80".split(b"|"),
    *[b"<%c" % letter for letter in b"aZ1\0\x80 ."],
    *"中文 ア ｶﾞ 我们喜欢 ภาษาไทย ລາວ កម្ពុ မြန် 𠀀 \u200b \u200d \ufe0f 。".encode().split(),
    *"季\n|季\n<b>|\n節|#|¶|[edit]| 1 |math/tex|\u200f|🏴|\U000e0067".encode().split(
        b"|"
    ),
    *"<a>中</a>文 a<a>中 中</a>a <a></a>ไทย".encode().split(),
]

# Attributes to put into tags, whole and broken.
ATTRIBUTES = [
    "",
    " x",
    " x='>'",
    ' x="',
    "\nx=/",
    "\v",
    "\0",
    " /",
    "/ ",
    " class=a",
    ' CLASS="b  c"',
    " id='d&amp;e>'",
    "id=f/",
    " class",
    " class= ",
    "/hidden",
    " Hidden=''",
    " role = Main",
    " aria-hidden=TRUE",
    " style='display : none'",
    ' style="&#100;isplay:none"',
    " =class=a",
    " style=x",
    " style='x: none'",
    " id='\xe9'",
    " role=banner",
    " class=content",
    " classy=a",
    "\tid\n=\ng",
    " class='h",
    " id=\0",
    " class=i\f",
    " class=ln",
    " class='x lineno'",
    " class=gutter",
    " class=MathJax",
    " class=katex-html",
    " class=mw-editsection",
    " class=latex alt='a b'",
    " data-line-number=1",
    " type=math/tex",
]

# Bytes that make scripts within scripts.
ESCAPES = (
    b"<script> <script> <script/ </script> </script> <!-- <!-- --> - < ! > one".split()
)

_BREAK = re.compile(b"</br", re.IGNORECASE)

# Of the segmenters: borders and structure.
OPTIONS: list[tuple[Borders, bool]] = [
    ("paper", False),
    ("block", False),
    ("paper", True),
    ("block", True),
]

# Bytes of a page that are mutated at most.
WINDOW = 12_000


def mutations(pages: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Pages cut out of others and damaged, and some made of fragments alone."""
    chance = random.Random(seed)
    for _ in range(count):
        if not pages or chance.random() < 0.3:
            few = [fragment(chance) for _ in range(chance.randrange(2, 9))]
            some = ESCAPES if chance.random() < 0.2 else few
            yield b"".join(chance.choices(some, k=chance.randrange(1, 25)))
        else:
            yield damaged(chance.choice(pages), chance)


def fragment(chance: random.Random) -> bytes:
    """Return some bytes of a kind that matters to a tokenizer."""
    if chance.random() < 0.5:
        return chance.choice(FRAGMENTS)
    name = chance.choice(RAW if chance.random() < 0.3 else NAMES)
    slash = chance.choice(["", "", "/"])
    attribute = "".join(chance.choices(ATTRIBUTES, k=chance.choice([0, 1, 1, 1, 2, 4])))
    return (
        f"<{slash}{name}{attribute}{chance.choice(['>', '>', '>', '/>', ''])}".encode()
    )


def damaged(page: bytes, chance: random.Random) -> bytes:
    """Return a part of a page with one to eight changes."""
    start = chance.randrange(max(1, len(page) - 200))
    changed = bytearray(page[start : start + chance.randrange(100, WINDOW)])
    for _ in range(chance.randrange(1, 9)):
        place = chance.randrange(len(changed) + 1)
        action = chance.random()
        if action < 0.6:
            changed[place:place] = fragment(chance)
        elif action < 0.75:
            changed[place : place + 1] = bytes([chance.randrange(256)])
        elif action < 0.9:
            del changed[place : place + chance.randrange(1, 30)]
        else:
            other = chance.randrange(len(changed) + 1)
            changed[place:place] = changed[other : other + chance.randrange(1, 100)]
    return bytes(changed)


def is_comparable() -> bool:
    """Return whether both parsers are there, and lxml's is to read as the compiled one does."""
    return compiled.built and compiled.is_oracle()


def without_end_breaks(page: bytes) -> bytes:
    """Return a page without `</br>`, which the pure segmenter finds by a mere search."""
    return _BREAK.sub(b"<br", page)


def cut(segmenter: Segmenter, page: bytes) -> Page | str:
    """Return the page's blocks, or why there are none."""
    try:
        return segmenter.html(page)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


class Comparison:
    """Both segmenters with all options."""

    def __init__(self) -> None:
        from boilersweep.pages.compiled.segmenter import CompiledSegmenter

        self._pairs = [
            (
                Segmenter(borders=borders, structure=structure),
                CompiledSegmenter(borders=borders, structure=structure),
            )
            for borders, structure in OPTIONS
        ]

    def differs(self, page: bytes) -> bool:
        """Whether two segmenters differ on a page, with any options."""
        page = without_end_breaks(page)
        return any(cut(pure, page) != cut(fast, page) for pure, fast in self._pairs)

    def unparsable(self, page: bytes) -> bool:
        """Whether the pure segmenter gives up on a page."""
        return isinstance(cut(self._pairs[0][0], page), str)


def read_pages(folders: list[Path]) -> list[bytes]:
    """All files of the folders and of those within, as UTF-8."""
    files = sorted(
        path for folder in folders for path in folder.rglob("*") if path.is_file()
    )
    return [to_utf8(path.read_bytes()).utf8 for path in files]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument(
        "--pages", type=Path, action="append", default=[], metavar="DIR"
    )
    parser.add_argument("--mutations", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")


def run(options: argparse.Namespace) -> int:
    """Run the comparison; return the exit status."""
    if not compiled.built:
        print(compiled.why_missing(), file=sys.stderr)
        return 2
    pages = read_pages(options.pages)
    comparison = Comparison()
    if not is_comparable():
        mutated = mutations(pages, options.mutations, options.seed)
        print(
            f"of another libxml2 than the oracle's, {compiled.libxml2()}: differences"
        )
        for name, source in ("pages", pages), ("mutations", mutated):
            counts = Counter(map(comparison.differs, source))
            print(f"{name}: {counts[True]:,} of {counts.total():,}")
        return 0
    folder: Path | None = None
    found = unparsable = 0
    inputs = [pages, mutations(pages, options.mutations, options.seed)]
    for page in (page for source in inputs for page in source):
        unparsable += comparison.unparsable(page)
        if not comparison.differs(page):
            continue
        folder = folder or Path(tempfile.mkdtemp(prefix="boilersweep-fuzz-"))
        found += 1
        path = folder / f"{found}.html"
        path.write_bytes(reduced(page, comparison.differs))
        print(f"difference: {path}: {path.read_bytes()[:200]!r}")
        if found == 20:
            break
    print(
        f"{len(pages)} pages, {options.mutations} mutations (seed {options.seed}), all "
        f"options; unparsable: {unparsable}; differences: {found}"
    )
    return 1 if found else 0
