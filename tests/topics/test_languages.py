"""Topics in several languages, in the forms of HC4, NeuCLIR and CLEF eHealth 2018."""

import json
from pathlib import Path

import pytest

from boilersweep import TopicsError
from boilersweep.topics import Topic, read_topics

# Of HC4's resources/hc4/*.topics.v1-0.jsonl.
LINE = {
    "topic_id": "12",
    "languages_with_qrels": ["zho"],
    "topics": [
        {
            "lang": "zho",
            "source": "machine",
            "topic_title": "m",
            "topic_description": "n",
        },
        {
            "lang": "eng",
            "source": "original",
            "topic_title": "old clocks",
            "topic_description": "Articles on clocks.",
            "topic_narrative": "Not watches.",
        },
        {
            "lang": "zho",
            "source": "human translation",
            "topic_title": "\u65e7\u949f",
            "topic_description": "\u6587\u7ae0",
        },
    ],
    "narratives": {"zho": {"very_valuable": "x"}},
}
# Of CLEF eHealth 2018's clef2018_queries_task1_task4.txt.
QUERIES = """<queries>
\t<query>
\t\t<id> 151001 </id>
\t\t<en> anemia diet </en>
\t\t<fr> an\u00e9mie alimentation </fr>
\t</query>
\t<query>
\t\t<id>152001</id>
\t\t<en>gout &amp; diet</en>
\t\t<fr>goutte</fr>
\t</query>
</queries>
"""


def test_topics_of_hc4(tmp_path: Path) -> None:
    path = tmp_path / "dev.topics.jsonl"
    path.write_text(json.dumps(LINE) + "\n", "utf-8")
    assert read_topics(path) == [
        Topic("12", "old clocks", "Articles on clocks.", "Not watches.")
    ]
    assert read_topics(path, "zho") == [Topic("12", "\u65e7\u949f", "\u6587\u7ae0")]
    with pytest.raises(TopicsError, match="expected a title for topic '12'"):
        read_topics(path, "rus")


def test_queries_of_clef_ehealth(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text(QUERIES, "utf-8")
    assert read_topics(path) == [
        Topic("151001", "anemia diet"),
        Topic("152001", "gout & diet"),
    ]
    assert [topic.title for topic in read_topics(path, "fr")] == [
        "an\u00e9mie alimentation",
        "goutte",
    ]
