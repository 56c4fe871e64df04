"""What follows from people's logs: sheets, turns, agreement, and a dataset after any kill."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import CollectionError, InputError, UsageError
from boilersweep.eval.annotate.agreement import agreement_table, pairs_of
from boilersweep.eval.annotate.annotations import (
    Annotations,
    PagesToMark,
    annotations_in,
    file_name,
    merged,
)
from boilersweep.eval.annotate.checked_pages import CHECKED
from boilersweep.eval.annotate.marks import Mark, Sheet, sheet_of
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.outputs.parts import MANIFEST
from tests.eval.annotate.conftest import WANTED, mark_page, page
from tests.stores import contents, faults_of

Pages = Callable[[], PagesToMark]


@pytest.mark.parametrize(
    ("lines", "classes", "is_done"),
    [
        ([], [0, 0, 0], False),
        ([Mark("d", "undo")], [0, 0, 0], False),
        ([Mark("d", "mark", ((0, 1, "headline"),))], [1, 1, 0], False),
        (
            [
                Mark("d", "mark", ((0, 2, "full text"),)),
                Mark("d", "mark", ((1, 1, "related"), (2, 2, "not content"))),
                Mark("d", "done"),
            ],
            [2, 4, 0],
            True,
        ),
        (
            [
                Mark("d", "mark", ((0, 2, "full text"),)),
                Mark("d", "mark", ((1, 1, "comments"),)),
                Mark("d", "done"),
                Mark("d", "undo"),
                Mark("d", "undo"),
            ],
            [2, 2, 2],
            False,
        ),
        # A log of more blocks than the page has
        (
            [Mark("d", "mark", ((1, 9, "headline"), (7, 8, "related")))],
            [0, 1, 1],
            False,
        ),
    ],
)
def test_sheets(lines: list[Mark], classes: list[int], is_done: bool) -> None:
    sheet = sheet_of(lines, 3)
    assert ([*sheet.classes], sheet.is_done) == (classes, is_done)


def test_the_class_of_most_people_counts_and_the_adjudicator_s_alone() -> None:
    sheets = {
        "anna": Sheet((2, 2, 1)),
        "bob": Sheet((2, 0, 5)),
        "eve": Sheet((0, 2, 5)),
    }
    assert merged(sheets) == [2, 2, 5]
    assert merged({"anna": Sheet((2, 1)), "bob": Sheet((0, 2))}) == [0, 1]
    assert merged({**sheets, "adjudicator": Sheet((4, 4, 4))}) == [4, 4, 4]


@given(st.sets(st.text(), max_size=30))
def test_each_page_has_files_of_its_own(docids: set[str]) -> None:
    names = {file_name(docid) for docid in docids}
    assert len(names) == len(docids)
    assert all("/" not in name and not name.startswith(".") for name in names)
    assert all(len(name) < 150 for name in names)


def test_a_dataset_follows(pages: Pages, folder: Path) -> None:
    with annotations_in(folder, pages()) as annotations:
        mark_page(annotations, "anna", "p1")
        assert [one.name for one in read_dataset("marked", folder).pages] == ["p1"]
        mark_page(annotations, "anna", "p2", ())
        annotations.add("anna", Mark("p3", "mark", ((0, 0, "headline"),)))
    assert faults_of(CHECKED, folder) == []
    dataset = read_dataset("marked", folder)
    assert [one.name for one in dataset.pages] == ["p1", "p2"]
    assert dataset.pages[1].gold == ""
    gold = dataset.pages[0].gold.split("\n")
    assert (gold[0], gold[2]) == (
        "Pony news 1",
        "It was wet after all 1 hours of rain.",
    )
    marks = json.loads((folder / "marks/p1.json").read_text())
    assert (marks["docid"], marks["people"], marks["proposed"]) == (
        "p1",
        ["anna"],
        False,
    )
    assert (folder / "html/p1.html").read_text() == page(1)
    before = contents(folder)
    with annotations_in(folder, pages()) as annotations:
        assert annotations.notes == []
        assert annotations.sheet("anna", "p1").classes == tuple(WANTED)
    assert contents(folder) == before


def test_undone_pages_leave_the_dataset(pages: Pages, folder: Path) -> None:
    with annotations_in(folder, pages()) as annotations:
        mark_page(annotations, "anna", "p1")
        mark_page(annotations, "anna", "p2")
        annotations.add("anna", Mark("p1", "undo"))
        assert [one.name for one in read_dataset("marked", folder).pages] == ["p2"]
    with annotations_in(folder, pages()) as annotations:
        annotations.add("anna", Mark("p2", "undo"))
    assert faults_of(CHECKED, folder) == []
    with pytest.raises(InputError):
        read_dataset("marked", folder)


@pytest.mark.parametrize(
    "step",
    [
        "boilersweep.outputs.plan.Plan.append",
        "boilersweep.eval.people.log.append_line",
        "boilersweep.eval.people.folder.whole_file",
        "boilersweep.outputs.writer.write_text",
    ],
)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_kills_lose_nothing(
    pages: Pages,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    times: int,
) -> None:
    """What was acknowledged is there after a kill, and the dataset has whole pages only."""
    read, acknowledged, left = pages(), list[str](), [times]
    found = pytest.MonkeyPatch()
    owner, _, name = step.rpartition(".")
    real = _resolved(owner, name)

    def killed(*arguments: object, **more: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*arguments, **more)

    found.setattr(step, killed)
    try:
        with annotations_in(folder, read) as annotations:
            monkeypatch.setattr(annotations, "finish", lambda: None)
            for docid in ("p1", "p2"):
                mark_page(annotations, "anna", docid)
                acknowledged.append(docid)
    except KeyboardInterrupt:
        pass
    finally:
        found.undo()
    with annotations_in(folder, pages()) as annotations:
        assert annotations.marked.keys() >= {*acknowledged}
        for docid in ("p1", "p2"):
            if docid not in annotations.marked:
                mark_page(annotations, "anna", docid)
    assert faults_of(CHECKED, folder) == []
    dataset = read_dataset("marked", folder)
    assert [one.name for one in dataset.pages] == ["p1", "p2"]
    assert dataset.skipped == []


def _resolved(owner: str, name: str) -> Callable[..., object]:
    import pkgutil

    function: Callable[..., object] = getattr(pkgutil.resolve_name(owner), name)
    return function


def test_changed_pages_are_marked_again(
    pages: Pages, folder: Path, collection: Path
) -> None:
    with annotations_in(folder, pages()) as annotations:
        for docid in ("p1", "p2", "p4"):
            mark_page(annotations, "anna", docid)
    (collection / "p1.html").write_text(page(1).replace("river", "sea"))
    (collection / "p2.html").write_text(page(2) + "<script>1</script>")
    (collection / "p4.html").unlink()
    with annotations_in(folder, pages()) as annotations:
        assert annotations.changed == ["p1"]
        assert annotations.texts_left_out().keys() == {"p1"}
        assert annotations.marked.keys() == {"p2"}
        assert annotations.next_for("anna", "p0") != "p2"
        assert not annotations.sheet("anna", "p1").is_done
    assert faults_of(CHECKED, folder) == []
    assert (folder / "html/p2.html").read_text().endswith("<script>1</script>")
    # What was marked of a page that is gone stays
    names = [one.name for one in read_dataset("marked", folder).pages]
    assert names == ["p2", "p4"]
    with annotations_in(folder, pages()) as annotations:
        mark_page(annotations, "anna", "p1")
        assert annotations.changed == []
    names = [one.name for one in read_dataset("marked", folder).pages]
    assert names == ["p1", "p2", "p4"]


def test_a_page_that_changes_while_people_mark_is_refused(
    pages: Pages, folder: Path, collection: Path
) -> None:
    with annotations_in(folder, pages()) as annotations:
        annotations.add("anna", Mark("p1", "mark", ((0, 0, "headline"),)))
        (collection / "p1.html").write_text("<p>another page</p>")
        with pytest.raises(CollectionError, match="changed"):
            annotations.add("anna", Mark("p1", "done"))
        assert not annotations.marked


@pytest.mark.parametrize(
    "line",
    [
        Mark("elsewhere", "done"),
        Mark("p1", "mark", ((0, 6, "headline"),)),
        Mark("p1", "mark", ((3, 2, "headline"),)),
    ],
)
def test_impossible_marks_are_refused(pages: Pages, folder: Path, line: Mark) -> None:
    with annotations_in(folder, pages()) as annotations:
        with pytest.raises(UsageError):
            annotations.add("anna", line)
        assert annotations.records["people"] == {}


def test_turns(pages: Pages, folder: Path) -> None:
    with annotations_in(folder, pages()) as annotations:
        first = annotations.next_for("anna")
        second = annotations.next_for("bob")
        assert first
        assert second
        assert second != first
        assert annotations.next_for("anna") == first
        later = annotations.next_for("anna", first)
        assert later not in (first, second, None)
        for docid in annotations.pages.documents:
            mark_page(annotations, "anna", docid)
        shared = annotations.next_for("bob")
        assert annotations.next_for("anna") is None
        assert annotations.next_for("adjudicator") is None
        assert shared
        mark_page(annotations, "bob", shared, [(0, 0, "headline")])
        assert annotations.differing == [shared]
        assert annotations.next_for("adjudicator") == shared
        mark_page(annotations, "adjudicator", shared, [(1, 1, "headline")])
        assert annotations.differing == []
    [changed] = [p for p in read_dataset("marked", folder).pages if p.name == shared]
    assert changed.gold == "News"


def test_agreement_by_hand(pages: Pages, folder: Path) -> None:
    """Words of the blocks of p1: 1, 1, 3, 16, 9 and 5, of which the last is seen differently."""
    with annotations_in(folder, pages()) as annotations:
        mark_page(annotations, "anna", "p1")
        mark_page(annotations, "anna", "p2")
        mark_page(annotations, "bob", "p1", [(2, 2, "headline"), (3, 4, "full text")])
        mark_page(annotations, "adjudicator", "p1")
        [pair] = pairs_of(annotations)
        assert (pair.names, pair.pages) == (("anna", "bob"), 1)
        assert pair.words == [1, 1, 3, 16, 9, 5]
        chance = (2 * 7 + 3 * 3 + 25 * 25) / 35**2
        assert pair.kappa == pytest.approx((30 / 35 - chance) / (1 - chance))
        assert [pair.kappa_of(number) for number in (1, 2)] == [1, 1]
        assert pair.kappa_of(3) is None
        chance = (2 * 7 + 33 * 28) / 35**2
        nothing = (30 / 35 - chance) / (1 - chance)
        assert pair.kappa_of(0) == pytest.approx(nothing)
        assert pair.kappa_of(5) == 0
        row = agreement_table(annotations).splitlines()[2].split()
    kappas = [f"{nothing:.2f}", "1.00", "1.00", "-", "-", "0.00"]
    assert row == ["anna", "and", "bob", "1", "35", f"{pair.kappa:.2f}", *kappas]


def test_damaged_logs_and_files_of_others(pages: Pages, folder: Path) -> None:
    with annotations_in(folder, pages()) as annotations:
        mark_page(annotations, "anna", "p1")
    log = folder / "people/anna.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b"full text", b"related"))
    [fault, *_] = [one for one in faults_of(CHECKED, folder) if "was changed" in one]
    assert "mark again" in fault
    with pytest.raises(InputError, match="was changed"):
        Annotations(folder, pages(), complete=False)
    log.write_bytes(whole + b'{"docid": "p2"')
    with annotations_in(folder, pages()) as annotations:
        assert "removed an incomplete last line" in annotations.notes[0]
    assert log.read_bytes() == whole
    shutil.copy(folder / "html/p1.html", folder / "html/p2.html")
    (folder / MANIFEST).unlink()
    assert [one.name for one in read_dataset("marked", folder).pages] == ["p1"]
