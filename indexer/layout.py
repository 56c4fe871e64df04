"""What an index holds of a page beside its docid and its terms, and in how many segments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from boilersweep.errors import UsageError

OF_CLASSES = ("headline", "comments")
"""Fields whose text the shipped model of `learned` finds among all blocks of a page."""

SEARCHABLE = ("title", *OF_CLASSES)
"""Fields that may be searched beside the contents."""


class PageFields(NamedTuple):
    """What a store knows of a page beside its blocks; empty where it knows nothing.

    From headline to canonical_url they are METADATA of a store that has them; headline and
    comments are OF_CLASSES where the layout has these fields.
    """

    title: str = ""
    url: str = ""
    date: str = ""
    headline: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    site_name: str = ""
    image: str = ""
    canonical_url: str = ""
    comments: str = ""


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """As Anserini's IndexCollection has it with the options of the same names.

    contents: store the cleaned text. raw: store JSON with id, url, title, date, the other
    PageFields and contents.
    docvectors: store what feedback reads, the terms of each document. fields: what is searched
    beside the contents, of SEARCHABLE. optimize: merge all into one segment.
    positions: of terms, for phrases. page_fields: store PageFields.
    """

    contents: bool = False
    raw: bool = False
    docvectors: bool = False
    fields: tuple[str, ...] = ()
    optimize: bool = False
    positions: bool = True
    page_fields: bool = True

    def __post_init__(self) -> None:
        for field in self.fields:
            if field not in SEARCHABLE:
                raise UsageError(
                    f"field {field!r}: expected one of {', '.join(SEARCHABLE)}; contents are "
                    "always searched"
                )

    @property
    def classes(self) -> tuple[str, ...]:
        """The fields that are OF_CLASSES."""
        return tuple(field for field in OF_CLASSES if field in self.fields)

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> "IndexLayout":
        """The layout that `dataclasses.asdict` and JSON were made of."""
        return cls(**{**values, "fields": tuple(values["fields"])})


def parallel_layout(*, docvectors: bool = False) -> IndexLayout:
    """Of indexes that are compared and not deployed: what ranking reads, and nothing else."""
    return IndexLayout(docvectors=docvectors, positions=False, page_fields=False)


def raw_json(docid: str, page: PageFields, contents: str) -> str:
    """What `raw` holds of a page, as the lines of Anserini's JsonCollection are."""
    known = {"url": page.url, **page._asdict()}
    values = {"id": docid, **{name: value for name, value in known.items() if value}}
    return json.dumps({**values, "contents": contents}, ensure_ascii=False)
