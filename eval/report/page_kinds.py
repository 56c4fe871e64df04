"""Kinds of pages, and what each cleaner leaves of them."""

from dataclasses import dataclass

from boilersweep.eval.report.wording import count, share
from boilersweep.eval.study.results import Study


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of pages. head: how many of the sample's pages, and their share."""

    name: str
    head: str


@dataclass(frozen=True, slots=True)
class PageKinds:
    """The section. pages: of the sample. lines: a cleaner, and its share of each kind's words."""

    pages: str
    kinds: list[Kind]
    lines: list[tuple[str, list[str]]]


def page_kinds(study: Study) -> PageKinds | None:
    """The section; None where the study has no sample of pages."""
    pages = sum(kind.pages for kind in study.kinds)
    if not pages:
        return None
    rows = [row for row in study.ordered(study.shown) if row.role != "run"]
    return PageKinds(
        count(pages, "page"),
        [Kind(kind.kind, f"{kind.pages:,}, {share(kind.pages / pages)}") for kind in study.kinds],
        [
            (
                str(row.variant),
                [share(one.kept[row.variant.name] / max(one.words, 1)) for one in study.kinds],
            )
            for row in rows
        ],
    )
