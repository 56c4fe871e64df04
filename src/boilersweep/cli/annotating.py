"""`boilersweep judge --annotate`: people mark the blocks of pages on a page of this machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from boilersweep.cli.call import Call
from boilersweep.cli.messages import note
from boilersweep.cli.options.collection import own_store, report_losses
from boilersweep.cli.options.serving import Page
from boilersweep.cli.options.values import PagesInput, section
from boilersweep.collection.inputs import paths_of
from boilersweep.errors import UsageError
from boilersweep.eval.annotate.agreement import agreement_table
from boilersweep.eval.annotate.annotations import (
    STORE,
    Annotations,
    annotations_in,
    pages_to_mark,
)
from boilersweep.eval.annotate.marks import ANNOTATIONS
from boilersweep.extras import require
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import refuse_inputs
from boilersweep.segmenting.segment import Segmentation
from boilersweep.store.store import open_store


@Parameter(name="*", group=section("gold texts of one's own"))
@dataclass(frozen=True, slots=True)
class Annotating:
    """Pages that people mark in place of judging cleaners.

    Attributes:
        annotate: Open a page on this machine where people mark the blocks of these pages as
            headline, full text, supplemental, related or comments: a folder of pages or one file of
            this machine. --output is the folder of the marks, which --dataset marked=DIR reads.
        status: With --annotate: print what is marked and how far people agree, without a page.
    """

    annotate: PagesInput | None = None
    status: bool = False

    def check(self, call: Call) -> None:
        """Raise UsageError for options that do not go together."""
        call.needs("--status", "--annotate")
        call.needs("--address", "--annotate")
        others = call.other_than("--annotate", "--status", "--address", "--output")
        call.apart("--annotate", *others)


def annotate(annotating: Annotating, page: Page, output: Path) -> None:
    """Open the page until it is interrupted, then print what is marked."""
    pages = annotating.annotate
    if pages is None:
        raise UsageError("expected --annotate")
    inputs = paths_of(pages)
    if annotating.status:
        # It only reads: it works where others mark now, and in a read-only folder.
        to_mark = pages_to_mark(open_store(output / STORE))
        annotations = Annotations(output, to_mark, complete=False)
        _print(annotations)
        return
    require("starlette", "uvicorn", "jinja2")
    from boilersweep.eval.annotate.marking import marking_routes

    refuse_inputs(output, closed=inputs)
    store = own_store(pages, output, Segmentation(), ANNOTATIONS)
    report_losses(store)
    to_mark = pages_to_mark(store)
    with annotations_in(output, to_mark, inputs) as annotations:
        note(*_notes(annotations))
        page.serve(marking_routes(annotations))
        _print(annotations)


def _notes(annotations: Annotations) -> Iterator[str]:
    yield from annotations.notes
    documents = annotations.pages.documents
    if changed := [docid for docid in annotations.changed if docid in documents]:
        yield (
            f"{len(changed):,} pages changed since they were marked; their marks do not count, and "
            f"they are asked for again: {some_of(changed)}"
        )
    if gone := sorted(annotations.docids - documents.keys()):
        yield (
            f"{len(gone):,} marked pages are not in the collection; what was marked of them stays "
            f"as it is: {some_of(gone)}"
        )


def _print(annotations: Annotations) -> None:
    marked = annotations.marked
    print(f"{len(marked):,} of {len(annotations.pages.documents):,} pages are marked")
    for name in annotations.records["people"]:
        sheets = [sheets[name] for sheets in marked.values() if name in sheets]
        proposed = sum(sheet.is_proposed for sheet in sheets)
        print(
            f"{name}: {len(sheets):,} pages, {proposed:,} of them with the proposal shown"
        )
    if table := agreement_table(annotations):
        print(table, "kappa of blocks weighted by words", sep="\n")
    if differing := annotations.differing:
        print(
            f"{len(differing):,} pages need the person `adjudicator`: {some_of(differing)}"
        )
    if marked:
        print(
            f"boilersweep judge --dataset marked={annotations.folder} --cleaners learned,bte "
            "--output JUDGED"
        )
