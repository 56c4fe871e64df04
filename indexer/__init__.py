"""From a block store to Lucene indexes: parallel ones for a sweep, or one to deploy.

build_index             one cleaned index to deploy
build_parallel_indexes  one index for every threshold and cleaner, in one pass
open_index              search an index with the calls of pyserini's LuceneSearcher
IndexOptions            how to build one index; ParallelOptions: parallel ones
IndexLayout             what an index holds beside docids and terms
AnalyzerOptions         how texts become tokens, as Anserini has it
as_typed                a text with the keyboard's apostrophe, as indexes have it
start_jvm               start Java with a heap of a size; else it starts when it is needed

Importing it starts no JVM and imports no pyserini; building and searching do.
"""

from boilersweep.lazy import TYPE_CHECKING, lazy_names

if TYPE_CHECKING:
    from boilersweep.indexer.analyzer import AnalyzerOptions, as_typed
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.indexer.layout import IndexLayout
    from boilersweep.indexer.manifest import IndexManifest
    from boilersweep.indexer.options import IndexOptions, ParallelOptions
    from boilersweep.indexer.parallel_indexes import (
        ParallelIndex,
        build_parallel_indexes,
    )
    from boilersweep.indexer.searcher import IndexSearcher, open_index
    from boilersweep.indexer.single import build_index
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "AnalyzerOptions": "boilersweep.indexer.analyzer",
            "IndexLayout": "boilersweep.indexer.layout",
            "IndexManifest": "boilersweep.indexer.manifest",
            "IndexOptions": "boilersweep.indexer.options",
            "IndexSearcher": "boilersweep.indexer.searcher",
            "ParallelIndex": "boilersweep.indexer.parallel_indexes",
            "ParallelOptions": "boilersweep.indexer.options",
            "as_typed": "boilersweep.indexer.analyzer",
            "build_index": "boilersweep.indexer.single",
            "build_parallel_indexes": "boilersweep.indexer.parallel_indexes",
            "open_index": "boilersweep.indexer.searcher",
            "start_jvm": "boilersweep.indexer.jvm",
        },
    )

__all__ = [
    "AnalyzerOptions",
    "IndexLayout",
    "IndexManifest",
    "IndexOptions",
    "IndexSearcher",
    "ParallelIndex",
    "ParallelOptions",
    "as_typed",
    "build_index",
    "build_parallel_indexes",
    "open_index",
    "start_jvm",
]
