"""boilersweep: sweep boilerplate-removal thresholds over a web collection and measure retrieval.

    import boilersweep

    page = boilersweep.page(html)
    print(page.headline, page.published, page.text)

Importing it is quick: no Java is started and nothing heavy is loaded before it is used.

page                a page's text, Markdown, metadata and blocks
clean, clean_many   pages to the text that a cleaner keeps of them
clean_batch         an Arrow batch of pages to one with their texts
blocks              the blocks of a page as columns
parse_cleaner       a cleaner from its text
collect_variants    thresholds and cleaners under the names of their files
segment_collection  a collection to a block store, or a store to the state of its collection
open_store          a block store
export              a store to files of what cleaners keep; ExportOptions: how

Beside these names and the errors:

boilersweep.indexer  from a block store to Lucene indexes
boilersweep.topics   topics and qrels
boilersweep.eval     search, scores, sweeps, studies, reports

Within, in folders with manuals of their own:

pages       what a page is: blocks, structure, the segmenter
collection  readers of collections
features    numbers computed for blocks
cleaners    what to keep of a page; extractors: texts taken from its HTML
store       the block store; segmenting: from a collection to a store
cleaning    from pages to texts, without a store
export      what cleaners keep, as files
outputs     files, identities and output folders; work: processes and shares
demo        a made-up collection; cli: the command line
"""

from boilersweep.errors import (
    BoilersweepError,
    BusyError,
    CollectionError,
    IndexingError,
    InputError,
    JavaError,
    OutputError,
    PageError,
    QrelsError,
    RunError,
    StoreError,
    TopicsError,
    UsageError,
    VerificationError,
)
from boilersweep.lazy import TYPE_CHECKING, lazy_names

if TYPE_CHECKING:
    from boilersweep.cleaners.syntax.grammar import parse_cleaner
    from boilersweep.cleaners.syntax.variants import collect_variants
    from boilersweep.cleaning.batch import clean_batch
    from boilersweep.cleaning.clean import clean, clean_many
    from boilersweep.cleaning.cleaned_page import Blocks, CleanedPage, blocks, page
    from boilersweep.export.export import export
    from boilersweep.export.options import ExportOptions
    from boilersweep.outputs.identity import __version__
    from boilersweep.segmenting.segment import Segmentation, segment_collection
    from boilersweep.store.store import BlockStore, open_store
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "BlockStore": "boilersweep.store.store",
            "Blocks": "boilersweep.cleaning.cleaned_page",
            "CleanedPage": "boilersweep.cleaning.cleaned_page",
            "ExportOptions": "boilersweep.export.options",
            "Segmentation": "boilersweep.segmenting.segment",
            "__version__": "boilersweep.outputs.identity",
            "blocks": "boilersweep.cleaning.cleaned_page",
            "clean": "boilersweep.cleaning.clean",
            "clean_batch": "boilersweep.cleaning.batch",
            "clean_many": "boilersweep.cleaning.clean",
            "collect_variants": "boilersweep.cleaners.syntax.variants",
            "export": "boilersweep.export.export",
            "open_store": "boilersweep.store.store",
            "page": "boilersweep.cleaning.cleaned_page",
            "parse_cleaner": "boilersweep.cleaners.syntax.grammar",
            "segment_collection": "boilersweep.segmenting.segment",
        },
    )

__all__ = [
    "BlockStore",
    "Blocks",
    "BoilersweepError",
    "BusyError",
    "CleanedPage",
    "CollectionError",
    "ExportOptions",
    "IndexingError",
    "InputError",
    "JavaError",
    "OutputError",
    "PageError",
    "QrelsError",
    "RunError",
    "Segmentation",
    "StoreError",
    "TopicsError",
    "UsageError",
    "VerificationError",
    "__version__",
    "blocks",
    "clean",
    "clean_batch",
    "clean_many",
    "collect_variants",
    "export",
    "open_store",
    "page",
    "parse_cleaner",
    "segment_collection",
]
