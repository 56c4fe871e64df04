"""pyserini's indexer and reader, by which ours are judged, without the network; starts Java.

pyserini 2.4 downloads lists of prebuilt indexes when it is imported; here there are none.
"""

import sys
from unittest.mock import MagicMock, patch

from boilersweep.indexer import start_jvm

start_jvm()  # before anything of pyserini's starts another one
with patch.dict(sys.modules, {"pyserini.prebuilt_index_info": MagicMock()}):
    from pyserini.index.lucene import LuceneIndexer, LuceneIndexReader

__all__ = ["LuceneIndexReader", "LuceneIndexer"]
