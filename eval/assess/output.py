"""The folder of an assessment: the logs of its assessors, and the parts that are made of them.

manifest.json       each log with its length and the digest of its last line, the other parts with
                    their digests
people/NAME.jsonl   the log of a person, which only grows
people/NAME.qrels   the grades of this person
programs/           the same of programs
qrels.txt           the grades of all people
topics.tsv          the queries, in the order in which they are judged
audit.json          what the claim about these queries was fixed with, before people saw its order
"""

from typing import Annotated

import msgspec

from boilersweep.eval.people.folder import FolderFacts
from boilersweep.eval.people.log import LogFormat, now
from boilersweep.eval.stats.families import HIGHEST_GRADE
from boilersweep.outputs.parts import Output


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One assessor's grade of one document.

    Attributes:
        topic: The topic's id.
        docid: The document.
        grade: The grade; None for "cannot tell".
        seconds: How long the page was open.
        note: The assessor's reason.
        repeat: Whether the document was shown again to measure consistency; the first grade counts.
        text: The digest of the text that was judged.
        time: When the judgement was made.
        chain: The digest of this judgement and of all before it in the log; the log sets it.
    """

    topic: str
    docid: str
    grade: Annotated[int, msgspec.Meta(ge=0, le=HIGHEST_GRADE)] | None
    seconds: float = 0.0
    note: str = ""
    repeat: bool = False
    text: str = ""
    time: str = msgspec.field(default_factory=now)
    chain: str = ""


class Audit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an audit was begun with; another program, query, cleaner or text begins another one.

    Attributes:
        number: 1 for the first audit of the folder.
        program: The program whose grades are audited; "" for people alone.
        last: The digest of the last line of the program's log that counts.
        seed: The seed of the random order.
        population: The digest of the documents that decide, with their weights.
        before: How many lines the log of each person had.
    """

    number: int = 1
    program: str = ""
    last: str = ""
    seed: int = 1
    population: str = ""
    before: dict[str, int] = {}

    @property
    def key(self) -> str:
        """What the random order is drawn from: nothing that people judge in this audit."""
        return f"{self.number} {self.seed} {self.last} {self.population}"


ASSESSMENT = Output(
    name="assessment",
    command="assess",
    facts=FolderFacts,
    keeps=True,
    remedy="move it away, so that `boilersweep assess` writes it again from the logs",
)

LOG = LogFormat(
    line=Judgement,
    what="a judgement",
    command="assess",
    rescue="and read its grades with `boilersweep assess --read FILE --name {}`",
)
