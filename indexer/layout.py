"""What an index holds of a page beside its docid and its terms, and in how many segments."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from boilersweep.errors import UsageError

# Fields whose text the shipped model of `learned` finds among all blocks of a page.
OF_CLASSES = ("headline", "comments")

# Fields that may be searched beside the contents.
SEARCHABLE = ("title", *OF_CLASSES)


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
    """What an index holds, as Anserini's IndexCollection with the options of the same names.

    Attributes:
        contents: Store the cleaned text.
        raw: Store JSON with id, the page's fields, and the cleaned text as contents.
        docvectors: Store document vectors, which feedback reads; also with --sweep.
        fields: The fields of SEARCHABLE that are searched beside the contents.
        optimize: Merge the index into one segment.
        blocks: Instead of --keep: index all blocks, and where each begins, for `search --keep`
            under any rule.
        positions: Store the positions of terms, for phrases.
        page_fields: Store PageFields.
    """

    contents: bool = False
    raw: bool = False
    docvectors: bool = False
    fields: tuple[str, ...] = ()
    optimize: bool = False
    blocks: bool = False
    positions: bool = True
    page_fields: bool = True

    def __post_init__(self) -> None:
        if self.blocks and (
            self.contents or self.raw or self.docvectors or self.fields
        ):
            raise UsageError(
                "expected no stored texts, document vectors or other fields, which no rule "
                "cleans; use `keep` for an index with them",
                parameter="blocks",
            )
        for name in self.fields:
            if name not in SEARCHABLE:
                raise UsageError(
                    f"field {name!r}: expected one of {', '.join(SEARCHABLE)}; contents are "
                    "always searched"
                )

    @property
    def classes(self) -> tuple[str, ...]:
        """The fields that are OF_CLASSES."""
        return tuple(name for name in OF_CLASSES if name in self.fields)


def parallel_layout(*, docvectors: bool = False) -> IndexLayout:
    """Return the layout of indexes that are compared: what ranking reads, and nothing else."""
    return IndexLayout(docvectors=docvectors, positions=False, page_fields=False)


def raw_json(docid: str, page: PageFields, contents: str) -> str:
    """Return the `raw` field of a page, in the form of a line of Anserini's JsonCollection."""
    known = {"url": page.url, **page._asdict()}
    values = {"id": docid, **{name: value for name, value in known.items() if value}}
    return json.dumps({**values, "contents": contents}, ensure_ascii=False)
