"""A program's grades beside people's."""

from boilersweep.eval.assess.agreement import program_agreements
from boilersweep.eval.assess.log import Judgement
from tests.eval.assess.conftest import Make


def test_a_program_is_compared_with_what_people_agreed_on(make: Make) -> None:
    assessment = make()
    pairs = [pair for pair, _ in zip(assessment.pending(), range(5), strict=False)]
    people = [0, 0, 2, 3, None]
    for pair, given in zip(pairs, people, strict=True):
        assessment.add("people", "anna", Judgement(*pair, given))
    assessment.add("people", "bob", Judgement(*pairs[2], 1))  # the lower median of 1 and 2 counts
    assert program_agreements(assessment.judgements) == []
    for pair, given in zip(pairs, [0, 2, 2, 3, 3], strict=True):
        assessment.add("programs", "model", Judgement(*pair, given))
    [found] = program_agreements(assessment.judgements)
    assert found.counts == {(0, 0): 1, (0, 2): 1, (1, 2): 1, (3, 3): 1}
    assert found.leniency == (0 + 2 + 1 + 0) / 4
    lines = [line.split() for line in found.table(3).splitlines()]
    assert lines[0] == ["model", "0", "1", "2", "3"]
    assert lines[2] == ["people:", "0", "1", "0", "1", "0"]
    assert lines[3] == ["people:", "1", "0", "0", "1", "0"]
