"""Continue the audit of a folder, or begin one where it was begun with something else.

A new audit takes what people judged before as known, and draws the other documents in a new random
order. So its claims are right with 95 % whatever led to it; those of two audits are not right
together with 95 %. What a program grades after the audit began does not count in it: only so do its
predictions depend on nothing that people judge in this order.
"""

import msgspec

from boilersweep.eval.assess.audit import AuditedFamily
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.assess.output import Audit
from boilersweep.eval.people.log import digest_of_text
from boilersweep.eval.stats.families import Family


def is_audit_of(
    audit: Audit, family: Family, judgements: Judgements, program: str
) -> bool:
    """Return whether an audit was begun with these runs, texts and program."""
    return (audit.program, audit.population) == (
        program,
        _population(family, judgements),
    )


def audited(
    family: Family, judgements: Judgements, program: str, seed: int
) -> AuditedFamily:
    """Return the comparison on these queries alone, by the folder's audit.

    Args:
        family: The runs, the queries and the measure.
        judgements: The judgements of the folder, where a new audit is recorded.
        program: The program whose grades people audit; "" for people alone.
        seed: The seed of the random order of a new audit.

    Raises:
        InputError: The record of the audit is damaged.
        OutputError: The record cannot be written.
    """
    audit = judgements.audit
    if audit is None or not is_audit_of(audit, family, judgements, program):
        lines = judgements.lines("programs").get(program, [])
        audit = Audit(
            number=audit.number + 1 if audit else 1,
            program=program,
            last=lines[-1].chain if lines else "",
            seed=seed,
            population=_population(family, judgements),
            before={name: len(log) for name, log in judgements.lines("people").items()},
        )
        judgements.begin_audit(audit)
    return _family_of(audit, family, judgements)


def _family_of(audit: Audit, family: Family, judgements: Judgements) -> AuditedFamily:
    predicted: dict[tuple[str, str], int | None] = {}
    graded = judgements.lines("programs").get(audit.program, []) if audit.last else []
    for one in graded:
        if judgements.counts(one):
            predicted[one.topic, one.docid] = one.grade
        if one.chain == audit.last:
            break
    before = {
        (one.topic, one.docid)
        for name, log in judgements.lines("people").items()
        for one in log[: audit.before.get(name, 0)]
        if judgements.counts(one)
    }
    return AuditedFamily(
        family.runs,
        family.topics,
        family.measure,
        key=audit.key,
        predicted=predicted,
        before=frozenset(before),
    )


def _population(family: Family, judgements: Judgements) -> str:
    """Return the digest of what decides: first documents of each cleaner, and changed texts."""
    k = family.measure.k
    runs = [
        [name, topic, list(run.get(topic, ()))[:k]]
        for name, run in sorted(family.runs.items())
        for topic in sorted(family.topics)
    ]
    facts = [str(family.measure), runs, judgements.texts_left_out()]
    return digest_of_text(msgspec.json.encode(facts).decode())
