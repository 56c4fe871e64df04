"""The page that explores: lists, documents, and the way to judging; and where it looks for them."""

import contextlib
import re
import shutil
import threading
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import pytest

from boilersweep import (
    BlockStore,
    BoilersweepError,
    collect_variants,
    open_store,
    parse_cleaner,
)
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval import (
    ExperimentOptions,
    QueryLikelihood,
    SearchOptions,
    run_sweep,
    search_index,
)
from boilersweep.eval.assess.judgements import judgements_in
from boilersweep.eval.ranking.runs import read_run
from boilersweep.indexer import build_parallel_indexes, open_index
from boilersweep.topics import Qrels, Topic
from tests.eval.people.serving import TOKEN, Served, serving

pytestmark = [pytest.mark.java, pytest.mark.usefixtures("java", "needs_serve")]

VARIANTS = collect_variants(
    [parse_sweep("words=1,3,11")], ["bte", "headed(bte)", "words>=3 & words<=9"]
)
QUERIES = (
    "bread",
    "an oven baker's BREAD bread",
    "neighbour",
    "nothing has zyxw",
    "!?",
)


def test_lists_are_those_of_a_search(
    exploring: Served, pages: BlockStore, tmp_path: Path
) -> None:
    indexes = tmp_path / "indexes"
    build_parallel_indexes(pages, VARIANTS, indexes)
    names = [str(variant) for variant in VARIANTS]
    assert list(exploring.page.lists.names) == names[:-1]  # the last one is typed
    assert exploring.page.most == {"words": 11, "density": 1}
    for variant in VARIANTS:
        run = search_index(indexes / variant.name, dict(enumerate_queries()), hits=10)
        for key, query in enumerate_queries():
            expected = [docid for docid, _ in run[key]]
            assert exploring.page.lists.top(query, str(variant)) == expected


def enumerate_queries() -> list[tuple[str, str]]:
    return [(str(number), query) for number, query in enumerate(QUERIES)]


def test_lists_name_what_entered_left_and_moved(exploring: Served) -> None:
    status, body, _ = exploring.ask("/?q=bread&c=words>=1&c=words>=11")
    assert status == 200
    assert "<bdi>words&gt;=11</bdi>" in body
    assert re.search(r"against A: \d+ entered, 1 left, \d+ moved", body)
    # The hostile page is too short for 11 words
    assert body.count('class="change">left ') == 1
    fragment = exploring.ask("/lists?q=bread&c=words>=1&c=words>=11")[1]
    assert fragment.strip() in body
    start = exploring.ask("/?c=words>=1&c=words>=11")[1]
    changes = re.findall(
        r"<bdi>([a-z ]+)</bdi></a> .*>(\d+) documents enter or leave", start
    )
    assert [query for query, _ in changes] == ["contact bread", "neighbour"]
    assert int(changes[0][1]) > int(changes[1][1])


@pytest.mark.parametrize(
    "query",
    [
        "c=99&c=-1",
        "c=1",
        "c=x&c=%F0%9F%98%80",
        "q=%00&c=1&c=2",
        "",
        "q=bread&c=(&c=%29",
    ],
)
def test_odd_addresses_give_a_page(exploring: Served, query: str) -> None:
    status, body, _ = exploring.ask(f"/?{query}")
    assert (status, body.count('list="rules"')) == (200, 2)


def test_document_shows_what_each_cleaner_keeps(exploring: Served) -> None:
    status, body, headers = exploring.ask(
        "/page?q=breads&c=words>=1&c=words>=11&docid=d2"
    )
    assert status == 200
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert "</b> <bdi>words&gt;=1</bdi> keeps 5 of 5 blocks" in body
    assert "</b> <bdi>words&gt;=11</bdi> keeps 1 of 5 blocks" in body
    assert "<mark>bread</mark>" in body
    [picture] = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', body)
    drawn = b64decode(picture).decode()
    assert "words" in drawn
    # A sketch, see tests/quick.py
    assert {*re.findall(r'"cleaner": "(.)"', drawn)} == {"A", "B"}
    assert body.count('<span class="unseen">kept by </span>') == 5
    assert exploring.ask("/page?docid=unknown")[0] == 400


def test_pages_of_a_hostile_collection_are_text(exploring: Served) -> None:
    for path in (
        "/?q=bread",
        "/page?q=bread&docid=evil",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E",
    ):
        status, body, _ = exploring.ask(path)
        assert status == 200
        assert "<script>" not in body
        assert "<img" not in body.replace('<img class="blocks"', "")
        assert "&lt;script&gt;" in body


def test_query_is_judged_in_the_same_server(exploring: Served) -> None:
    form = [("q", "bread oven"), ("c", "words>=1"), ("c", "words>=11")]
    status, _, headers = exploring.ask("/judge", form)
    top, base = (
        headers["location"][: len(TOKEN) + 1],
        headers["location"][len(TOKEN) + 1 :],
    )
    assert (status, top, base[:9]) == (303, f"/{TOKEN}", "/assess/q")
    _, body, _ = exploring.ask(base)
    docid = re.findall('name="docid" value="([^"]+)"', body)[0]
    topic = re.findall('name="topic" value="([^"]+)"', body)[0]
    assert 'href="../../?q=bread+oven&amp;c=words%3E%3D1&amp;c=words%3E%3D11"' in body
    assert (
        exploring.ask(f"{base}page.css")[0]
        == exploring.ask(f"{base}judging.js")[0]
        == 200
    )
    graded = {"topic": topic, "docid": docid, "grade": "2"}
    assert exploring.ask(f"{base}judge", graded)[2]["location"] == top + base
    assert (
        exploring.page.judged / "people/anna.qrels"
    ).read_text() == f"{topic} 0 {docid} 2\n"
    assert (
        exploring.page.judged / "topics.tsv"
    ).read_text() == f"{topic}\tbread oven\n"
    assert (
        '<b class="letter" title="judged">2</b>'
        in exploring.ask("/?q=bread+oven&c=words>=1&c=words>=11")[1]
    )
    again = exploring.ask(
        "/judge", [("q", "BREAD oven"), ("c", "words>=1"), ("c", "words>=3")]
    )
    assert again[2]["location"].startswith(f"{top}/assess/{topic}-")
    for path in ("/assess/elsewhere/", "/assess/elsewhere/judging.js"):
        status, _, headers = exploring.ask(path)
        assert (status, headers["location"]) == (303, f"{top}/")
    assert exploring.ask("/judge", [("q", ""), ("c", "bte")])[0] == 400
    assert (
        exploring.ask("/judge", [("q", "bread"), ("c", "bte"), ("c", "bte")])[0] == 400
    )


def test_a_slow_search_blocks_no_other_page(
    exploring: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def search(query: str, rule: str) -> list[str]:
        begun.set()
        assert ended.wait(20)
        return []

    monkeypatch.setattr(exploring.page.lists, "top", search)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(exploring.ask, "/lists?q=bread")
        assert begun.wait(20)
        assert exploring.ask("/page.css")[0] == 200
        assert not slow.done()
        ended.set()
        assert slow.result()[0] == 200


@pytest.mark.parametrize(
    "rule",
    ["learned('model.npz')", "my_module:function", "cetr | bte", "headed(words>=9)"],
)
def test_typed_rules_read_the_index_alone(exploring: Served, rule: str) -> None:
    asked = urlencode([("q", "bread"), ("c", "words>=1"), ("c", rule)])
    status, body, _ = exploring.ask(f"/lists?{asked}")
    assert (status, body.count('<p role="alert">')) == (200, 1)


def test_lists_need_no_store(
    pages: BlockStore, tmp_path: Path, exploring: Served
) -> None:
    from boilersweep.eval.serve.exploring import Worker, explore_index, exploring_routes

    with open_index(tmp_path / "pages.blocks") as searcher:
        explored = explore_index(
            searcher, None, [parse_sweep("words=1,3")], [], tmp_path / "other"
        )
        worker = Worker()
        with (
            contextlib.closing(worker),
            judgements_in(explored.judged) as judgements,
            serving(explored, exploring_routes(explored, worker, judgements)) as server,
        ):
            assert "Page 3" in server.ask("/?q=bread")[1]
            status, body, _ = server.ask("/page?q=bread&docid=d2")
            assert (status, "--store" in body) == (400, True)


def test_a_single_cleaner_is_refused(exploring: Served, tmp_path: Path) -> None:
    from boilersweep.eval.serve.exploring import explore_index

    with (
        open_index(tmp_path / "pages.blocks") as searcher,
        pytest.raises(BoilersweepError, match="at least two thresholds"),
    ):
        explore_index(searcher, None, [], [parse_cleaner("bte")], tmp_path)


def test_experiment_is_searched_from_its_store(
    pages: BlockStore, tmp_path: Path
) -> None:
    from boilersweep.eval.serve.exploring import explore_experiment

    store = open_store(shutil.copytree(pages.path, tmp_path / "store"))
    qrels = Qrels({"1": {"d1": 1, "d2": 0}})
    options = ExperimentOptions(search=SearchOptions(model=QueryLikelihood(500)))
    folder = tmp_path / "sweep"
    run_sweep(
        store,
        [parse_sweep("words=1,3,11")],
        [Topic("1", "bread")],
        qrels,
        folder,
        cleaners=["bte"],
        options=options,
    )
    with ExitStack() as stack:
        explored = explore_experiment(folder, tmp_path / "judged", stack)
        assert list(explored.lists.names) == [str(one) for one in VARIANTS[:4]]
        run = read_run(folder / "runs" / f"{VARIANTS[0].name}.trec")
        found = explored.lists.top("bread", "words>=1")
        assert found == [docid for docid, _ in run["1"]]
    shutil.rmtree(store.path)
    with ExitStack() as stack, pytest.raises(BoilersweepError, match="its store "):
        explore_experiment(folder, tmp_path / "judged", stack)
