"""`--fields` that the topics lack, in every command that has it: an error, or a count."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

pytestmark = pytest.mark.java

COMMANDS = (
    "sweep --sweep words=1 --store STORE --qrels QRELS --output OUT --topics",
    "sweep --sweep words=1:2 --store STORE --output OUT --topics",
    "sweep --grid words=1 density=1 --store STORE --qrels QRELS --output OUT --topics",
    "compare --cleaners bte --store STORE --qrels QRELS --output OUT --topics",
    "compare --cleaners bte --store STORE --output OUT --topics",
    "assess --status --cleaners bte,words>=1 --store STORE --output OUT --topics",
    "assess --write POOL --cleaners bte,words>=1 --store STORE --output OUT --topics",
    pytest.param(
        "search --cleaners bte,words>=1 --store STORE --qrels QRELS --topic 1 --topics",
        marks=pytest.mark.application("report"),
    ),
    "search --index INDEX --output RUN --topics",
)
QUERIES = (
    "sweep --sweep words=1:2 --store STORE --output OUT --queries",
    "compare --cleaners bte --store STORE --output OUT --queries",
    "assess --status --cleaners bte,words>=1 --store STORE --output OUT --queries",
)


@pytest.fixture(scope="module")
def index(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from boilersweep import open_store
    from boilersweep.indexer import build_index

    folder = tmp_path_factory.mktemp("index") / "bte"
    build_index(open_store(store), "bte", folder)
    return folder


@pytest.fixture
def words(store: Path, index: Path, inputs: Inputs, tmp_path: Path) -> dict[str, Path]:
    return {
        "STORE": store,
        "INDEX": index,
        "QRELS": inputs.qrels,
        "OUT": tmp_path / "out",
        "POOL": tmp_path / "pool.csv",
        "RUN": tmp_path / "run.trec",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_field_that_topics_lack(
    call: Call, tmp_path: Path, words: dict[str, Path], command: str
) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        '{"id": "1", "title": "pony", "desc": "the pony"}\n{"id": "2", "title": "zebra"}\n'
    )
    given = [words.get(word, word) for word in command.split()]
    call(*given, topics, "--fields", "narr").refused(
        1, "expected topics with the field narr, got 2 without it"
    )
    call(*given, topics, "--fields", "title", "desc").ok().noted(
        "1 of 2 topics have no desc: 2."
    )


@pytest.mark.parametrize("command", QUERIES)
def test_queries_have_titles_only(
    call: Call, tmp_path: Path, words: dict[str, Path], command: str
) -> None:
    log = tmp_path / "queries.txt"
    log.write_text("pony\nzebra\n")
    given = [words.get(word, word) for word in command.split()]
    call(*given, log, "--fields", "narr").refused(
        1, "expected topics with the field narr"
    )


@pytest.mark.parametrize("command", QUERIES)
def test_how_many_queries_were_drawn(
    call: Call, tmp_path: Path, words: dict[str, Path], command: str
) -> None:
    log = tmp_path / "queries.csv"
    lines = [f"pony word{number},{number + 1}" for number in range(60)]
    log.write_text("\n".join(["query,num_searches", *lines]))
    given = [words.get(word, word) for word in command.split()]
    call(*given, log, "--sample", 5).ok().noted(
        "query and num_searches: 60 different queries, the most frequent 'pony word59'",
        "5 of 60 different queries were drawn by their counts",
    )
