"""Sources and languages with their scores."""

from boilersweep.cleaners.learned.model import ModelProvenance
from boilersweep.eval.training.tables import training_table
from boilersweep.outputs.typed_files import as_type


def test_the_lowest_of_gold_texts_is_marked() -> None:
    source = {"dataset": "folder", "licence": "x", "rows": 2000}
    said = {
        "sources": [
            source
            | {"label": "news", "pages": 30, "share": 0.75}
            | {"held_out": {"site": {"word_f1": 0.9}, "source": {"word_f1": 0.7}}},
            source
            | {"label": "old", "pages": 9, "share": 0.25}
            | {"held_out": {"site": {"word_f1": 0.8}, "source": {"word_f1": 0.75}}},
            source
            | {"label": "strings", "pages": 9, "share": 0.0}
            | {"held_out": {"site": {"balanced": 0.5}, "source": {}}},
        ],
        "languages": {"en": {"pages": 40, "held_out": {"site": {"word_f1": 0.8}, "source": {}}}},
    }
    lines = [line.split() for line in training_table(as_type(said, ModelProvenance)).splitlines()]
    assert lines[0] == ["source", "pages", "rows", "share", "by", "site", "by", "source"]
    assert lines[2] == ["news", "30", "2,000", "0.750", "0.900", "0.700*"]
    assert lines[3] == ["old", "9", "2,000", "0.250", "0.800*", "0.750"]
    assert lines[4] == ["strings", "9", "2,000", "0.000", "0.500s"]
    assert not any(line[:1] == ["language"] for line in lines)  # one is no table
