"""A transformer of PyTerrier's pipelines that cleans pages.

    from boilersweep.cleaning.pyterrier import Cleaner

    pipeline = Cleaner("learned") >> indexer
    pipeline.index({"docno": docno, "html": html} for docno, html in pages)

Needs pyterrier, of the extra of that name; neither it nor this starts a Java of its own.
"""

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyterrier as pt

from boilersweep.cleaning.clean import clean_many
from boilersweep.cleaning.page_cleaner import cut_page
from boilersweep.errors import PageError
from boilersweep.segmenting.cutting import Cutter
from boilersweep.segmenting.limits import Limits

_PAGES_AT_A_TIME = 100


class Cleaner(pt.Transformer):  # type: ignore[misc]
    """From `html`, bytes or text, `text`, as `boilersweep.clean` gives it, and `title`.

    Other columns stay. A page that cannot be cleaned has an empty text, and a warning names it.
    cleaner: as text, see `boilersweep.cleaners.parsing`.
    Raises UsageError for a cleaner that there is not, pt.validate's error for columns without html.
    """

    def __init__(self, cleaner: str = "learned") -> None:
        clean_many((), cleaner=cleaner)  # raises here, and not at the first page
        self.cleaner = cleaner

    def transform(self, inp: Any) -> Any:
        """The pages of a DataFrame."""
        pt.validate.columns(inp, includes=["html"], context=self)
        rows = list(self.transform_iter(inp.to_dict(orient="records")))
        return inp.assign(**{name: [row[name] for row in rows] for name in ("text", "title")})

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The pages of any number of dictionaries, some in memory at a time."""
        rows = iter(inp)
        cutter = Cutter(Limits(), structure=False)
        while some := list(islice(rows, _PAGES_AT_A_TIME)):
            pt.validate.columns(list(some[0]), includes=["html"], context=self)
            texts = clean_many((row["html"] for row in some), cleaner=self.cleaner)
            for row, text in zip(some, texts, strict=True):
                if isinstance(text, PageError):
                    warnings.warn(f"{row.get('docno')}: {text}", stacklevel=2)
                    yield {**row, "text": "", "title": ""}
                else:
                    title = cut_page(row["html"], cutter).packed.title
                    yield {**row, "text": text, "title": title}

    def __repr__(self) -> str:
        return f"Cleaner({self.cleaner!r})"
