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

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from boilersweep.eval.assess.log import AssessorLog
from boilersweep.outputs.parts import Entry, Output
from boilersweep.outputs.typed_files import as_type


class AssessmentFacts(msgspec.Struct, kw_only=True):
    """What the manifest of an assessment says of the whole.

    Attributes:
        boilersweep: The version that wrote it.
        left_out: Docids, each with the digests of former texts whose grades do not count.
    """

    boilersweep: str
    left_out: dict[str, list[str]]


class LogFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the manifest says of a log.

    Attributes:
        bytes: Its length.
        judgements: How many lines it has.
        last: The digest of the last line, and so of all lines.
    """

    bytes: int
    judgements: int
    last: str


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
    facts=AssessmentFacts,
    keeps=True,
    remedy="move it away, so that `boilersweep assess` writes it again from the logs",
)


def facts_of(log: AssessorLog) -> LogFacts:
    """Return what the manifest says of a log."""
    judged = log.judgements
    last = judged[-1].chain if judged else ""
    return LogFacts(bytes=log.size, judgements=len(judged), last=last)


def log_faults(
    folder: Path, listed: Mapping[str, Entry], logs: Sequence[AssessorLog]
) -> Iterator[str]:
    """Yield a sentence for each listed log that is missing, shorter, or another one.

    Args:
        folder: The folder.
        listed: The parts that manifest and plan list, by name.
        logs: The logs that exist.
    """
    found = {log.path.relative_to(folder).as_posix(): log for log in logs}
    for name, entry in listed.items():
        if not name.endswith(".jsonl"):
            continue
        log, facts = found.get(name), entry.facts
        if log is None:
            yield f"{folder / name} is missing"
        elif facts is not None:
            known = as_type(facts, LogFacts)
            number = known.judgements
            if len(log.judgements) < number:
                yield (
                    f"{log.path} has {len(log.judgements):,} judgements, and was written with "
                    f"{number:,}"
                )
            elif number and log.judgements[number - 1].chain != known.last:
                yield f"{log.path}: its first {number:,} judgements are others than before"
