"""What a study compares, and in which role."""

import pytest

from boilersweep import UsageError
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.eval import StudyOptions
from boilersweep.eval.study.plan import study_variants


def test_everything_once_and_in_order() -> None:
    found = study_variants(
        parse_cleaners("bte,words>=11,gold,words>=1,bte"),
        StudyOptions(sweeps=["words=1,10:12"]),
        ["gold", "mine"],
    )
    roles = dict(zip(map(str, found.variants), found.roles, strict=True))
    assert roles == {
        "words>=1": "baseline",
        "bte": "cleaner",
        "words>=11": "cleaner",
        "words>=10": "swept",
        "words>=12": "swept",
        "gold": "gold",
    }
    assert list(roles) == [str(variant) for variant in found.variants]
    assert found.gold == 5
    assert found.candidates == [0, 1, 2, 3, 4]


def test_the_gold_text_by_another_name_or_none() -> None:
    cleaners = parse_cleaners("bte")
    other = study_variants(cleaners, StudyOptions(gold="mine"), ["gold", "mine"])
    assert [str(variant) for variant in other.variants] == ["words>=1", "bte", "mine"]
    without = study_variants(cleaners, StudyOptions(), ["mine"])
    assert without.gold is None
    assert without.roles == ("baseline", "cleaner")


@pytest.mark.parametrize(
    ("baseline", "cleaners", "texts", "gold", "message"),
    [
        ("words>=1", "words>=1", [], None, "compare with words>=1, got none"),
        ("words>=1", "gold", ["gold"], None, "compare with words>=1, got none"),
        (
            "words>=1",
            "bte",
            ["mine"],
            "gold",
            "it has mine; `boilersweep segment --texts gold=FILE`",
        ),
        (
            "words>=1",
            "bte",
            [],
            "gold",
            "it has none; `boilersweep segment --texts gold=FILE`",
        ),
        ("gold", "bte", ["gold"], None, "got the gold text 'gold'"),
        (
            "words>=1",
            "bte,words>=2 & words>=3,words>=2&(words>=3 )|!bte",
            [],
            None,
            None,
        ),
    ],
)
def test_what_cannot_be_compared(
    baseline: str,
    cleaners: str,
    texts: list[str],
    gold: str | None,
    message: str | None,
) -> None:
    def compared() -> object:
        return study_variants(
            parse_cleaners(cleaners), StudyOptions(baseline=baseline, gold=gold), texts
        )

    if message is None:
        compared()
        return
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        compared()
