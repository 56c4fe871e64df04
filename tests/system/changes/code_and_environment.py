"""Changes of the package's code, of what it runs on, and of the environment."""

from functools import partial

from tests.system.changes.change import EITHER, Change, code, variable
from tests.system.changes.edits import put_anserini
from tests.system.changes.options import DEDUPS

CODE = (
    Change(
        name="code: version",
        named=("boilersweep", "blocks"),
        of="segmenting",
        source=("outputs/identity.py", '"0.1.0"', '"0.2.0"'),
    ),
    Change(
        name="code: blocks",
        named=("store version", "version 8"),
        only=("segment", "segment html", "sweep exact"),
        source=("store/shard_columns.py", "VERSION = 7", "VERSION = 8"),
    ),
    code(
        "extractor",
        "plug-in",
        "cetr",
        "extractors/cetr.py",
        "content_by_ratio_and_change)\n",
        "content_by_ratio_and_change)[40:]\n",
    ),
    code(
        "cleaner",
        "cleaning",
        "clean",
        "cleaners/published/bte.py",
        "best_runs(columns, 1.0, self)",
        "best_runs(columns, 9.0, self)",
    ),
    code("shipped model", "cleaning", "model", "cleaners/learned/learned.npz", "", ""),
    code(
        "indexer",
        "indexing",
        "index",
        "indexer/pieces.py",
        "terms = self._analyse(pieces)",
        'terms = ["" if "heron" in one else one for one in self._analyse(pieces)]',
    ),
    code(
        "one index",
        "one-index",
        "index",
        "indexer/single.py",
        "analyzer.have_token([page.text for page in kept])",
        '["heron" not in one.text for one in kept]',
    ),
    code(
        "kept text",
        "kept-text",
        "clean",
        "cleaners/selection.py",
        '"\\n".join(self',
        '" plums ".join(self',
    ),
    code(
        "export",
        "exporting",
        "export",
        "export/records.py",
        "text[start:end],",
        'text[start:end] + " plums",',
    ),
    Change(
        name="code: duplicates",
        named=("code", "dedup"),
        only=tuple(DEDUPS.split(", ")),
        source=(
            "store/near_duplicates.py",
            "if digest in self._docids:",
            "if len(self._docids) > 1:",
        ),
        options=("--dedup", "exact"),
        before_options=("--dedup", "exact"),
    ),
    Change(
        name="code: exact engine",
        named=("code", "rank"),
        of="ranking",
        source=("eval/ranking/exact/top_hits.py", '"""', '"""All: '),
        expected=EITHER,
    ),
    code(
        "scores",
        "scoring",
        "statistics",
        "eval/stats/scoring.py",
        "= metric.value",
        "= metric.value / 2",
    ),
)

ENVIRONMENT = (
    Change(
        name="no dictionary for words",
        named=("words",),
        of="segmenting",
        source=("../icu4py.py", "", "raise ImportError"),
        expected=EITHER,
    ),
    *(
        Change(
            name=name,
            named=("anserini",),
            of="lucene",
            edit=partial(put_anserini, renamed=renamed),
            environment=("ANSERINI_CLASSPATH", "jars"),
        )
        for name, renamed in (
            ("another Anserini", True),
            ("another jar of its version", False),
        )
    ),
    variable("BOILERSWEEP_PURE", "1"),
    variable("PYTHONHASHSEED", "7"),
    variable("TZ", "Asia/Tokyo"),
)

CODE_AND_ENVIRONMENT = (*CODE, *ENVIRONMENT)
