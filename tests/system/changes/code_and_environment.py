"""Changes of the package's code, of what it runs on, and of the environment."""

from functools import partial

from tests.system.changes.change import EITHER, SAME, Change, code, numbers, variable
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
        named=("store version", "version 9"),
        only=("segment", "segment html", "sweep exact"),
        source=("store/shard_columns.py", "VERSION = ", "VERSION = 9"),
    ),
    code("extract", "plug-in", "extractors/registry.py", "cetr"),
    code("clean", "cleaning", "cleaners/__init__.py"),
    Change(
        name="shipped model",
        named=("code", "model"),
        of="cleaning",
        source=("cleaners/learned/learned.npz", "", ""),
    ),
    code("index", "indexing", "indexer/manifest.py"),
    code("export", "exporting", "export/export.py"),
    Change(
        name="code: dedup",
        named=("code", "dedup"),
        only=tuple(DEDUPS.split(", ")),
        source=("cleaners/duplicates.py", *numbers("dedup")),
        options=("--dedup", "exact"),
        before_options=("--dedup", "exact"),
    ),
    Change(
        name="code: rank",
        named=("code", "rank"),
        of="ranking",
        source=("eval/ranking/exact/plan.py", *numbers("rank")),
        expected=EITHER,
    ),
    code("statistics", "scoring", "eval/stats/__init__.py"),
    Change(
        name="code: judge",
        named=("code", "judge"),
        only=("judge",),
        source=("eval/judge/__init__.py", *numbers("judge")),
    ),
)

ENVIRONMENT = (
    Change(
        name="no dictionary for words",
        named=("words", "dictionary"),
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
    # A store records who parsed its pages: the compiled parser, or libxml2.
    Change(
        name="another parser",
        named=("parser",),
        only=("segment", "sweep exact"),
        environment=("BOILERSWEEP_PURE", "1"),
    ),
    Change(
        name="BOILERSWEEP_PURE",
        only=("index",),
        environment=("BOILERSWEEP_PURE", "1"),
        expected=SAME,
    ),
    variable("PYTHONHASHSEED", "7"),
    variable("TZ", "Asia/Tokyo"),
)

CODE_AND_ENVIRONMENT = (*CODE, *ENVIRONMENT)
