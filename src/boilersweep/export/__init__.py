"""What cleaners keep, in files that others read: JSON lines, Parquet, TREC web, text, bulk.

export      a store to such files, in one process or in several that share a folder; also the
            function `boilersweep.export`, which this package can be called as; what an export says
            of itself, and whether it is whole
options     what becomes of a document, whole or cut into passages
record_formats  what is kept as records, of documents or passages, and these as files
shards      the files of one shard of the store
feature_table  the features of its blocks as a table
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    """This package, which takes the place of the function of its name when it is imported."""

    def __call__(self, *arguments: object, **options: object) -> object:
        """Export, as `boilersweep.export.export.export` does."""
        from boilersweep.export.export import export

        return export(*arguments, **options)  # type: ignore[arg-type]


sys.modules[__name__].__class__ = _Callable
