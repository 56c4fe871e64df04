"""From a block store to Lucene indexes: parallel ones for a sweep, or one to deploy.

build_index             one cleaned index to deploy
build_parallel_indexes  one index for every threshold and cleaner, in one pass
AnalyzerOptions         how texts become tokens, as Anserini has it
start_jvm               start Java with a heap of a size; else it starts when it is needed

Importing it starts no JVM and imports no pyserini; building does.
"""

from boilersweep.lazy import lazy_names

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from boilersweep.indexer.analyzer import AnalyzerOptions
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.indexer.manifest import IndexManifest
    from boilersweep.indexer.parallel import ParallelIndex, build_parallel_indexes
    from boilersweep.indexer.single import build_index
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "AnalyzerOptions": "boilersweep.indexer.analyzer",
            "IndexManifest": "boilersweep.indexer.manifest",
            "ParallelIndex": "boilersweep.indexer.parallel",
            "build_index": "boilersweep.indexer.single",
            "build_parallel_indexes": "boilersweep.indexer.parallel",
            "start_jvm": "boilersweep.indexer.jvm",
        },
    )

__all__ = [
    "AnalyzerOptions",
    "IndexManifest",
    "ParallelIndex",
    "build_index",
    "build_parallel_indexes",
    "start_jvm",
]
