"""What a person does to a page, a line of the log each, and the page's classes that follow.

people/NAME.jsonl   the log of a person, which only grows
html/PAGE.html      a page that somebody marked, as it was collected
marks/PAGE.json     the class and the text of each of its blocks
store/              the block store of the pages
manifest.json       the logs with their lengths and last digests, and the other files' digests
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from boilersweep.eval.judge.datasets.judged_page import CLASSES, Label
from boilersweep.eval.people.folder import FolderFacts
from boilersweep.eval.people.log import LogFormat, now
from boilersweep.outputs.parts import Output

Action = Literal["mark", "undo", "done"]
Number = Annotated[int, msgspec.Meta(ge=0)]

# The first and the last of some blocks, and their class.
Range = tuple[Number, Number, Label]


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person did to a page.

    Attributes:
        docid: The page.
        action: mark: gave classes to blocks; done: marked the page whole; undo: took back the last
            of both.
        ranges: The blocks and their classes.
        proposed: Whether the person saw a program's proposal for this page.
        seconds: How long the page was open.
        text: The digest of the title and the blocks that were marked.
        time: When that was.
        chain: The digest of this line and of all before it in the log; the log sets it.
    """

    docid: str
    action: Action
    ranges: tuple[Range, ...] = ()
    proposed: bool = False
    seconds: float = 0.0
    text: str = ""
    time: str = msgspec.field(default_factory=now)
    chain: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as one person has marked it.

    Attributes:
        classes: (m,) The number of each block's class.
        is_done: Whether the person has marked it whole.
        is_proposed: Whether the person saw a proposal.
        steps: How many steps can be taken back.
    """

    classes: tuple[int, ...]
    is_done: bool = False
    is_proposed: bool = False
    steps: int = 0


def sheet_of(lines: Sequence[Mark], blocks: int) -> Sheet:
    """Return what the lines about one page make of its blocks.

    Args:
        lines: What a person did to the page, in order.
        blocks: How many blocks the page has.
    """
    steps: list[Mark] = []
    for line in lines:
        if line.action != "undo":
            steps.append(line)
        elif steps:
            steps.pop()
    classes = [0] * blocks
    for step in steps:
        for first, last, label in step.ranges:
            end = min(last + 1, blocks)
            classes[first:end] = [CLASSES.index(label)] * max(0, end - first)
    return Sheet(
        tuple(classes),
        any(step.action == "done" for step in steps),
        any(line.proposed for line in lines),
        len(steps),
    )


LOG = LogFormat(
    line=Mark, what="a mark", command="judge --annotate", rescue="and mark again"
)

ANNOTATIONS = Output(
    name="annotation",
    command="judge --annotate",
    facts=FolderFacts,
    is_log=True,
    within=("store",),
    remedy="move it away, so that `boilersweep judge --annotate` writes it again from the logs",
)
