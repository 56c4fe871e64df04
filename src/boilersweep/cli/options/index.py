"""What an index holds and how its text is analysed, with the options of Anserini."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.messages import note
from boilersweep.cli.options.values import part, section
from boilersweep.indexer.analyzer import (
    LANGUAGES,
    AnalyzerOptions,
    unlike_documents,
)
from boilersweep.indexer.layout import SEARCHABLE, IndexLayout
from boilersweep.store.store import BlockStore

_LAYOUT = section(
    "contents of the index",
    "With --keep, or --blocks instead; docids, terms, positions, titles, URLs and dates are always "
    "included.",
)
_ANALYZER = section("analyzer")

# The options of the analyzer.
ANALYZER = (
    *("--language", "--stemmer", "--keepStopwords", "--pretokenized", "--identifiers"),
    *("--keep-apostrophes", "--no-title"),
)


@Parameter(name="*", group=_LAYOUT)
@dataclass(frozen=True, slots=True)
class Layout:
    """What the index to deploy holds.

    Attributes:
        fields: Fields to search besides the contents; headline and comments as the shipped model
            finds them.
    """

    layout: Annotated[
        IndexLayout,
        part(
            IndexLayout,
            but=("fields", "positions", "page_fields"),
            contents="storeContents",
            raw="storeRaw",
            docvectors="storeDocvectors",
        ),
    ] = IndexLayout()
    fields: Annotated[
        Sequence[str], Parameter(choices=SEARCHABLE, consume_multiple=True)
    ] = ()

    def options(self) -> IndexLayout:
        """Return the layout."""
        return replace(self.layout, fields=tuple(dict.fromkeys(self.fields)))


@Parameter(name="*", group=_ANALYZER)
@dataclass(frozen=True, slots=True)
class Analyzer:
    """How texts become tokens.

    Attributes:
        language: The language of Anserini's analyzer.
        no_title: Leave the pages' titles out of what is searched and compared.
    """

    language: Annotated[
        str, Parameter(choices=tuple(sorted(LANGUAGES)), metavar="CODE")
    ] = "en"
    analyzer: Annotated[
        AnalyzerOptions,
        part(
            AnalyzerOptions,
            but=("language", "title"),
            keep_stopwords="keepStopwords",
        ),
    ] = AnalyzerOptions()
    no_title: bool = False

    def options(self) -> AnalyzerOptions:
        """Return the analyzer."""
        return replace(self.analyzer, language=self.language, title=not self.no_title)


def note_languages(
    analyzer: AnalyzerOptions, languages: Sequence[str], store: BlockStore
) -> None:
    """Print a warning if most of the requested documents are in another language."""
    asked = languages or store.languages
    documents = {
        name: count for name, count in store.languages.items() if name in asked
    }
    if unlike := unlike_documents(analyzer, documents):
        note(unlike)
