"""A program's grades beside people's."""

from boilersweep.eval.assess.judgements import compare_with_people
from boilersweep.eval.assess.output import Judgement
from tests.eval.assess.conftest import Make


def test_a_program_is_compared_with_what_people_agreed_on(make: Make) -> None:
    assessment = make()
    pairs = [pair for pair, _ in zip(assessment.pending(), range(5), strict=False)]
    people = [0, 0, 2, 3, None]
    for pair, given in zip(pairs, people, strict=True):
        assessment.add("people", "anna", Judgement(*pair, given))
    # The lower median of 1 and 2 counts
    assessment.add("people", "bob", Judgement(*pairs[2], 1))
    assert compare_with_people(assessment.judgements, "model") == []
    for pair, given in zip(pairs, [0, 2, 2, 3, 3], strict=True):
        assessment.add("programs", "model", Judgement(*pair, given))
    table, sentence = compare_with_people(assessment.judgements, "model")
    rows = [line.split() for line in table.splitlines()]
    assert rows[0] == ["model", "0", "1", "2", "3"]
    assert rows[2] == ["people:", "0", "1", "0", "1", "0"]
    assert rows[3] == ["people:", "1", "0", "0", "1", "0"]
    assert rows[5] == ["people:", "3", "0", "0", "0", "1"]
    assert (
        sentence
        == "model is +0.75 grades more lenient than people, in the mean of 4 documents"
    )
