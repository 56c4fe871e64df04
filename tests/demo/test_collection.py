"""write_demo: the same everywhere, in the BLOGS06 layout, with sound topics and judgements."""

import gzip
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import OutputError, UsageError
from boilersweep.demo.collection import DemoCollection, write_demo

# Of the unzipped files: the zipped bytes also depend on which zlib Python was built with.
PINNED = "fc470ea257f0bc6fbfa86119f675e9b4f5b2fe746f6aaf0bf8399b731654f943"


@dataclass(frozen=True, slots=True)
class Document:
    docid: str
    header: str
    body: bytes
    file: Path
    offset: int


RECORD = re.compile(
    rb"<DOC>\n<DOCNO>(?P<docid>[^<]+)</DOCNO>\n(?P<lines>.*?)<DOCHDR>\n(?P<header>.*?)\n</DOCHDR>\n"
    rb"(?P<body>.*?)\n</DOC>\n",
    re.DOTALL,
)


def documents(trec: Path) -> Iterator[Document]:
    for file in sorted(trec.glob("*/permalinks-*.gz")):
        content = gzip.decompress(file.read_bytes())
        end = 0
        for match in RECORD.finditer(content):
            assert match.start() == end, f"{file}: something stands between two records"
            end = match.end()
            yield Document(
                docid=match["docid"].decode(),
                header=match["header"].decode(),
                body=match["body"],
                file=file,
                offset=match.start(),
            )
        assert end == len(content)


def qrels(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text("ascii").splitlines():
        topic, iteration, docid, grade = line.split()
        assert iteration == "0"
        assert docid not in grades[topic]
        grades[topic][docid] = int(grade)
    return grades


def files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    return write_demo(tmp_path_factory.mktemp("demo"))


def test_the_content_is_pinned_also_over_itself(tmp_path: Path) -> None:
    for _ in range(2):
        write_demo(tmp_path, pages=300)
    digest = hashlib.sha256()
    for name, content in files(tmp_path).items():
        digest.update(name.encode())
        digest.update(gzip.decompress(content) if name.endswith(".gz") else content)
    assert digest.hexdigest() == PINNED


def test_files_are_laid_out_as_in_blogs06(usual: DemoCollection) -> None:
    names = sorted(
        path.relative_to(usual.trec).as_posix() for path in usual.trec.glob("*/*")
    )
    permalinks = [name for name in names if "permalinks" in name]
    assert permalinks == [
        f"{day}/permalinks-00{number}.gz"
        for day in ("20051206", "20051213", "20051220", "20051227")
        for number in (0, 1)
    ]
    assert set(names) - set(permalinks) == {
        "20051206/feeds-000.gz",
        "20051206/homepages-000.gz",
    }


def test_docids_name_day_file_and_offset(usual: DemoCollection) -> None:
    found = list(documents(usual.trec))
    assert len(found) == usual.pages == 600
    for document in found:
        day, number = document.file.parent.name, document.file.name[11:14]
        assert document.docid == f"DEMO06-{day}-{number}-{document.offset:010d}"


def test_larger_demos_have_more_files_not_larger_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.demo.collection._MOST_PAGES_A_FILE", 20)
    demo = write_demo(tmp_path, pages=170)
    counts: dict[Path, int] = defaultdict(int)
    for document in documents(demo.trec):
        counts[document.file] += 1
    assert sum(counts.values()) == 170
    assert max(counts.values()) <= 20


def test_every_topic_has_relevant_documents_that_exist(usual: DemoCollection) -> None:
    judged = qrels(usual.qrels)
    docids = {document.docid for document in documents(usual.trec)}
    numbers = re.findall(
        r"^<num> Number: (\d+)$", usual.topics.read_text("utf-8"), re.MULTILINE
    )
    assert numbers == [str(number) for number in range(1, 51)] == list(judged)
    for grades in judged.values():
        assert sum(grade > 0 for grade in grades.values()) >= 8
        assert docids.issuperset(grades)


def test_few_pages_have_fewer_topics(tmp_path: Path) -> None:
    demo = write_demo(tmp_path, pages=5)
    topics = demo.topics.read_text("utf-8")
    assert topics.count("<top>") == demo.topic_count == len(qrels(demo.qrels))
    assert 0 < demo.topic_count < 50


def test_no_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        write_demo(tmp_path, pages=0)


def test_files_of_a_larger_demo_are_refused(tmp_path: Path) -> None:
    stranger = tmp_path / "trec" / "20051206" / "permalinks-002.gz"
    stranger.parent.mkdir(parents=True)
    stranger.touch()
    with pytest.raises(OutputError, match=r"permalinks-002\.gz is there"):
        write_demo(tmp_path, pages=5)


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("in the way")
    with pytest.raises(OutputError, match="cannot write"):
        write_demo(tmp_path / "demo", pages=5)


def test_a_failure_leaves_no_part_of_a_file(
    tmp_path: Path,
) -> None:
    record = "boilersweep.demo.collection.permalink_record"
    with (
        mock.patch(record, side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        write_demo(tmp_path, pages=30)
    assert files(tmp_path) == {}
