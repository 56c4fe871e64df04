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

from boilersweep.cleaning.clean import clean_many, cut_page
from boilersweep.collection.cutting import Cutter
from boilersweep.errors import PageError
from boilersweep.pages.limits import Limits

_PAGES_AT_A_TIME = 100


class Cleaner(pt.Transformer):  # type: ignore[misc]
    """Adds `text`, as `boilersweep.clean` gives it, and `title` to rows with `html`.

    The HTML is bytes or text; other columns stay. A page that cannot be cleaned has an empty text,
    and a warning names it.
    """

    def __init__(self, cleaner: str = "learned") -> None:
        """Prepare to clean; raises UsageError if the cleaner does not exist.

        Args:
            cleaner: As text, see `boilersweep.cleaners.syntax.grammar`.
        """
        clean_many((), cleaner=cleaner)  # raises here, and not at the first page
        self.cleaner = cleaner

    def transform(self, inp: Any) -> Any:
        """Clean the pages of a DataFrame; raises pt.validate's error without a column html."""
        pt.validate.columns(inp, includes=["html"], context=self)
        rows = list(self.transform_iter(inp.to_dict(orient="records")))
        return inp.assign(
            **{name: [row[name] for row in rows] for name in ("text", "title")}
        )

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Clean the pages of any number of dictionaries, some in memory at a time."""
        rows = iter(inp)
        cutter = Cutter(Limits(), structure=False)
        while batch := list(islice(rows, _PAGES_AT_A_TIME)):
            pt.validate.columns(list(batch[0]), includes=["html"], context=self)
            texts = clean_many((row["html"] for row in batch), cleaner=self.cleaner)
            for row, text in zip(batch, texts, strict=True):
                if isinstance(text, PageError):
                    warnings.warn(f"{row.get('docno')}: {text}", stacklevel=2)
                    yield {**row, "text": "", "title": ""}
                else:
                    title = cut_page(row["html"], cutter).packed.title
                    yield {**row, "text": text, "title": title}

    def __repr__(self) -> str:
        return f"Cleaner({self.cleaner!r})"
