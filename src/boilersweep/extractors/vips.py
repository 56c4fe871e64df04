"""VIPS: the visual block of a page, as headless Chromium draws it, that holds most of its text.

Source: Cai, Yu, Wen and Ma, VIPS: a Vision-based Page Segmentation Algorithm, Microsoft Research
MSR-TR-2003-79, 2003. We did not have the report: the rules are as its open implementations and the
literature number and word them. They leave open above all every threshold and weight; our decisions
are stated where they are used.

`visual_regions` divides what is drawn: nodes that are visual blocks (section 4.1), the separators
between them (4.2), and regions of a wanted coherence (4.3). `Browser` is one headless Chromium
without network, scripts and files, in which `vips.js` measures. `content` chooses the region that
is the page's content.
"""

import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from itertools import count, pairwise
from typing import Any, NamedTuple

import msgspec

from boilersweep.errors import UsageError
from boilersweep.extractors import BuiltIn
from boilersweep.extras import install_command
from boilersweep.pages.stray_characters import without_surrogates
from boilersweep.pages.words import count_words

# The relative size below which a node is not divided.
SMALL = 0.1

# The DoC of text in one font, and in several (rule 4).
SAME, MIXED = 10, 9

# In the place of a DoC.
_DIVIDED = 0

# Pixels by which blocks overlap that only meet.
_ROUNDING = 1


class Node(msgspec.Struct, eq=False):
    """An element, or a text, as `vips.js` says it.

    Attributes:
        parent: The number of the element around it, -1 for none.
        name: Its tag.
        box: Its left, top, right and bottom, in pixels.
        area: Its square pixels.
        first: The size, in pixels, and the weight of the first text's font, as last is of the last
            one's.
        mixed: Whether texts in it have several fonts.
        background: The colour behind it, as the browser names it.
        inline: Whether it breaks no line.
        virtual: Whether it is a text or a virtual text node.
        ruled: Whether an HR is directly in it.
        text: A text, behind a line break if it begins a line; None for an element.
        linked: Whether a text is in a link.
        children: The nodes directly in it, in the order of the page.
    """

    parent: int
    name: str
    box: tuple[int, int, int, int]
    area: int
    first: tuple[float, int]
    last: tuple[float, int]
    mixed: bool
    background: str
    inline: bool
    virtual: bool
    ruled: bool
    text: str | None = None
    linked: bool = False
    children: list["Node"] = []


class Drawn(msgspec.Struct):
    """A page.

    Attributes:
        rows: Its nodes, BODY first.
        rules: The upper and lower edges of its HRs.
    """

    rows: list[Node]
    rules: list[tuple[int, int]]


def drawn_page(measured: Any) -> Drawn:
    """Return the page of which `vips.js` says this."""
    page = msgspec.convert(measured, Drawn)
    for node in page.rows[1:]:
        page.rows[node.parent].children.append(node)
    return page


def texts_in(nodes: Sequence[Node]) -> Iterator[tuple[str, bool]]:
    """Yield each text in some nodes, in the order of the page, and whether it is in a link."""
    stack = [*reversed(nodes)]
    while stack:
        node = stack.pop()
        stack += reversed(node.children)
        if node.text is not None:
            yield node.text, node.linked


class VisualBlock(NamedTuple):
    """A node that is not divided in this round, with its degree of coherence."""

    node: Node
    doc: int


class Separator(NamedTuple):
    """A band between blocks.

    Attributes:
        weight: From 1 to 9.
        start: In pixels from the left or the top; end likewise.
        before: How many blocks of the region come before it.
    """

    weight: float
    start: int
    end: int
    before: int


@dataclass(slots=True)
class _Round:
    """The division of one block.

    Attributes:
        root: The block.
        kept_whole: The DoC of nodes that rule 7 keeps whole.
        undivided: Nodes that were not divided.
        before: The sibling before a node.
    """

    root: Node
    kept_whole: dict[Node, int] = field(default_factory=dict)
    undivided: set[Node] = field(default_factory=set)
    before: dict[Node, Node] = field(default_factory=dict)


def visual_blocks(root: Node) -> list[VisualBlock]:
    """Return the visual blocks within a node, which is divided, in the order of the page."""
    state = _Round(root)
    blocks: list[VisualBlock] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if doc := _verdict(state, node):
            state.undivided.add(node)
            blocks.append(VisualBlock(node, doc))
        else:
            state.before.update(zip(node.children[1:], node.children, strict=False))
            stack += reversed(node.children)
    return blocks


def _verdict(state: _Round, node: Node) -> int:
    known = state.kept_whole.get(node) if node.text is None else SAME
    if known:
        return known
    numbers = _PARAGRAPH if node.inline else _OF_TAG.get(node.name, _OTHER)
    rules = (_RULES[number] for number in numbers)
    coherence = next(doc for applies, doc in rules if applies(state, node))
    return coherence(state, node) if coherence else _DIVIDED


def _share(state: _Round, node: Node) -> float:
    return node.area / max(state.root.area, 1)


def _block(state: _Round, node: Node) -> int:
    """Return a DoC from 5 to 8: lower for larger nodes, one less for parts of tables."""
    share = _share(state, node)
    doc = 8 - (share >= SMALL / 2) - (share >= 2 * SMALL) - (share >= 5 * SMALL)
    return max(5, doc - (node.name in ("table", "tr", "tbody")))


def _divide_once(state: _Round, node: Node) -> int:
    others = [c for c in node.children if c.background != node.background]
    state.kept_whole |= {child: max(6, _block(state, child)) for child in others}
    return _DIVIDED


# Number -> when a rule applies, and the DoC that it gives; None if it divides.
_RULES: dict[
    int, tuple[Callable[[_Round, Node], bool], Callable[[_Round, Node], int] | None]
] = {
    # Divide a node whose only child is no text.
    2: (lambda _, node: [c.text for c in node.children] == [None], None),
    # Divide the root of the current block.
    3: (lambda state, node: node is state.root, None),
    # Keep a node of nothing but texts and virtual ones whole.
    4: (
        lambda _, node: all(c.virtual for c in node.children),
        lambda _, node: MIXED if node.mixed else SAME,
    ),
    # Divide a node with a child that breaks the line.
    5: (lambda _, node: not all(c.inline for c in node.children), None),
    # Divide a node that contains an HR.
    6: (lambda _, node: node.ruled, None),
    # Divide a node with a child of another background, which stays whole this round.
    7: (
        lambda _, node: any(c.background != node.background for c in node.children),
        _divide_once,
    ),
    # Keep a small node with a text or a virtual one as child whole.
    8: (
        lambda state, node: (
            _share(state, node) < SMALL and any(c.virtual for c in node.children)
        ),
        _block,
    ),
    # Keep a node whose largest child is small whole.
    9: (
        lambda state, node: max(_share(state, c) for c in node.children) < SMALL,
        _block,
    ),
    # Keep a node whole if the sibling before it was not divided.
    10: (lambda state, node: state.before.get(node) in state.undivided, _block),
    # Divide.
    11: (lambda *_: True, None),
    # Do not divide.
    12: (lambda *_: True, _block),
}
_PARAGRAPH = (2, 3, 4, 5, 6, 8, 9, 11)
_OTHER = (2, 3, 4, 6, 7, 8, 9, 11)
_TABLE = (2, 3, 7, 9, 12)
_CELL = (2, 3, 4, 8, 9, 10, 12)
_OF_TAG = {
    "table": _TABLE,
    "tr": _TABLE,
    "td": _CELL,
    "th": _CELL,
    "p": _PARAGRAPH,
}


def visual_regions(page: Drawn, pdoc: int) -> list[list[Node]]:
    """Return the page's visual blocks, none less coherent than permitted if it can be divided.

    Each is some nodes that no separator parts, or none heavy enough.
    """
    regions: list[list[Node]] = []
    waiting = [visual_blocks(root) for root in page.rows[:1]]
    while waiting:
        blocks = waiting.pop()
        whole = all(_is_whole(block, pdoc) for block in blocks)
        heaviest, parts = _split(page, blocks)
        if len(parts) > 1 and (11 - heaviest < pdoc or not whole):
            waiting += reversed(parts)
        elif whole:
            regions.append([block.node for block in blocks])
        elif len(blocks) == 1:
            waiting.append(visual_blocks(blocks[0].node))
        else:
            waiting += [[block] for block in reversed(blocks)]
    return regions


def _is_whole(block: VisualBlock, pdoc: int) -> bool:
    """Return whether a block is coherent enough, or cannot be divided."""
    if block.doc >= pdoc or block.node.text is not None:
        return True
    return [part.node for part in visual_blocks(block.node)] == [block.node]


def _split(
    page: Drawn, blocks: Sequence[VisualBlock]
) -> tuple[float, list[list[VisualBlock]]]:
    """Return a region's heaviest weight, and its parts between separators of that weight.

    They are all of one direction, horizontal if both have some.
    """
    ordered = {v: sorted(blocks, key=lambda b: extent(b, v)) for v in (False, True)}
    bands = {v: separators(page, ordered[v], vertical=v) for v in ordered}
    heaviest = max((band.weight for v in bands for band in bands[v]), default=0.0)
    vertical = all(band.weight < heaviest for band in bands[False])
    cuts = [band.before for band in bands[vertical] if band.weight == heaviest]
    borders = pairwise([0, *cuts, len(blocks)])
    return heaviest, [ordered[vertical][start:end] for start, end in borders]


def extent(block: VisualBlock, vertical: bool) -> tuple[int, ...]:
    """Return left and right of a block, what vertical separators part, or top and bottom."""
    return block.node.box[0::2] if vertical else block.node.box[1::2]


def separators(
    page: Drawn, blocks: Sequence[VisualBlock], *, vertical: bool
) -> list[Separator]:
    """Return the separators of blocks that are sorted by `extent`, in one direction."""
    bands = []
    last, reach = blocks[0], extent(blocks[0], vertical)[1]
    for number, block in enumerate(blocks[1:], start=1):
        start, end = extent(block, vertical)
        if start >= reach - _ROUNDING:
            rules = [] if vertical else page.rules
            edges = reach - _ROUNDING, start + _ROUNDING
            ruled = any(edges[0] <= top and low <= edges[1] for top, low in rules)
            weight = _weight(last, block, start - reach, vertical) + 3 * ruled
            bands.append(
                Separator(min(max(weight, 1), 9), min(reach, start), start, number)
            )
        if end > reach:
            last, reach = block, end
    return bands


def _weight(one: VisualBlock, other: VisualBlock, pixels: int, vertical: bool) -> float:
    """Return the weight of a separator: 1, and 1 for each width of a letter m, up to 4.

    It is 2 more if backgrounds differ. Of a horizontal one it is 1 more if fonts differ, and 1 more
    if the upper one is smaller; 1 less between blocks of text in one font; HRs add 3.
    """
    upper, lower = one.node.last, other.node.first
    weight = 1 + min(max(pixels, 0) / max((upper[0] + lower[0]) / 2, 1), 4)
    weight += 2 * (one.node.background != other.node.background)
    if not vertical and upper != lower:
        weight += 1 + (upper[0] < lower[0])
    elif not vertical and min(one.doc, other.doc) >= MIXED:
        weight -= 1
    return weight


# Of the window, in CSS pixels.
WIDTH, HEIGHT = 1280, 1024

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
)
_SCRIPT = (files(__package__) / "vips.js").read_text(encoding="utf-8")
_EMPTY = (
    "data:text/html,<!DOCTYPE html><meta http-equiv=Content-Security-Policy "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\"><body>"
)
_WATCH = 'read -r _; kill -s KILL -- "-$1"; sleep 0.1; rm -rf -- "$2"'


def find_chromium() -> tuple[str, str]:
    """Return the paths of Chromium and its driver.

    Raises:
        UsageError: One of them, or selenium, is not installed.
    """
    chromium = next(filter(None, map(shutil.which, _NAMES)), None)
    driver = shutil.which("chromedriver")
    if not chromium or not driver or not find_spec("selenium"):
        raise UsageError(
            "vips draws pages with Chromium, chromedriver and selenium; run: apt-get install "
            f"chromium chromium-driver; {install_command('vips')}"
        )
    return chromium, driver


@cache
def drawing_identity() -> str:
    """Return the browser's version and the digest of the script: what is drawn depends on them."""
    driver = shutil.which("chromedriver")
    version = subprocess.check_output([driver, "--version"]) if driver else b""  # noqa: S603
    release = " ".join(version.decode().split()[:2]) or "Chromium (not installed)"
    return f"{release}, {sha256(_SCRIPT.encode()).hexdigest()}"


class Browser:
    """A running Chromium, for one thread; raises what selenium does, and OSError.

    Attributes:
        close: Ends it at once, whatever it is at; happens by itself when nobody has it any more.
    """

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location, driver = find_chromium()
        profile = tempfile.mkdtemp(prefix="boilersweep-vips-")
        # Chromium's own sandbox does not start as root.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        for flag in (*_FLAGS, *root, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = Service(
            driver, popen_kw={"start_new_session": True, "preexec_fn": _unlimited}
        )
        service.start()
        watch = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _WATCH, "sh", str(service.process.pid), profile],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.close = weakref.finalize(self, _end, watch, service)
        self._driver = webdriver.Remote(service.service_url, options=options)
        self._pages = count()

    def measure(self, page: str) -> Any:
        """Return what `vips.js` says of a page, within half a minute."""
        if next(self._pages) % 100 == 0:
            self._driver.get(_EMPTY)  # what pages left in memory goes
        return self._driver.execute_script(_SCRIPT, page, WIDTH, HEIGHT)


def _end(watch: "subprocess.Popen[bytes]", service: Any) -> None:
    watch.communicate()
    with service.process:  # killed by now
        service.process = None  # or selenium would talk to it once more


def _unlimited() -> None:
    """Lift, in the driver's process, a worker's limit of address space: Chromium reserves more."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


# The permitted degree of coherence, from 1 to 10: the larger it is, the smaller are the blocks.
PDOC = 6


def content(page: Drawn) -> str:
    """Return the text of the visual block with the most words outside links."""
    largest = max(visual_regions(page, PDOC), key=_unlinked_words, default=[])
    lines = "".join(text for text, _ in texts_in(largest)).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip()


def _unlinked_words(region: list[Node]) -> int:
    return sum(count_words(text) for text, linked in texts_in(region) if not linked)


def vips() -> Callable[[str], str]:
    """Return the extractor, whose browser starts with the first page.

    A browser whose page fails, or is stopped by a limit, is ended and replaced.

    Raises:
        UsageError: Chromium, its driver or selenium is not installed.
    """
    find_chromium()
    browser: Browser | None = None

    def extract(page: str) -> str:
        nonlocal browser
        try:
            browser = browser or Browser()
            return content(drawn_page(browser.measure(without_surrogates(page))))
        except BaseException:
            # In this order: while the end takes time, a limit may stop the call again.
            ended, browser = browser, None
            if ended:
                ended.close()
            raise

    return extract


EXTRACTORS = (BuiltIn("vips", vips, "selenium", drawing_identity),)
