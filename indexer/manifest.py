"""What an index says of itself: `boilersweep.json` in its folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from boilersweep import __version__, outputs
from boilersweep.errors import IndexingError, reason_of
from boilersweep.identity import code_identity
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import anserini_version
from boilersweep.selection import Cleaner, identity_of

MANIFEST = "boilersweep.json"


@dataclass(frozen=True, slots=True)
class IndexRecipe:
    """What an index depends on; two indexes of one recipe are the same.

    store: fingerprint of the block store. cleaner: see `boilersweep.selection.identity_of`.
    positions, stored: whether positions and the cleaned text are in it. anserini: its version.
    code: see `boilersweep.identity.code_identity`.
    """

    store: str
    cleaner: Mapping[str, Any]
    analyzer: AnalyzerOptions
    positions: bool
    stored: bool
    anserini: str
    code: Mapping[str, str]

    @property
    def rule(self) -> str:
        """The cleaner as it is written."""
        return str(self.cleaner["text"])


def index_recipe(
    store: str,
    cleaner: Cleaner,
    analyzer: AnalyzerOptions,
    *,
    positions: bool = False,
    stored: bool = False,
) -> IndexRecipe:
    """What an index made here and now depends on; raises JavaError where there is no Anserini."""
    return IndexRecipe(
        store,
        identity_of(cleaner),
        analyzer,
        positions,
        stored,
        anserini_version(),
        code_identity("clean", "index"),
    )


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """An index that is whole.

    documents: indexed. empty: left without a token by the rule, and not indexed.
    tokens: in the index, with repeats. skipped: records of the collection that became no
    document, by reason. versions: of what made it. files: of Lucene's commit; they differ between
    indexes that are the same, as Lucene draws random ids.
    """

    recipe: IndexRecipe
    documents: int
    empty: int
    tokens: int
    skipped: dict[str, int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    files: outputs.Listing = field(default_factory=dict, compare=False)


def manifest_json(manifest: IndexManifest) -> str:
    """The manifest as text, with its digest."""
    return outputs.manifest_text(asdict(manifest))


def read_manifest(index: Path) -> IndexManifest | None:
    """The manifest of the index, None where there is none.

    Raises IndexingError where it is not what boilersweep wrote.
    """
    path = index / MANIFEST
    try:
        values = outputs.read_manifest(path)
        recipe = values.pop("recipe")
        analyzer = AnalyzerOptions(**recipe.pop("analyzer"))
        return IndexManifest(recipe=IndexRecipe(**recipe, analyzer=analyzer), **values)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexingError(
            f"cannot read {path}: {reason_of(error)}; expected the folder of an index"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IndexingError(
            f"{path} is not a manifest of this boilersweep ({error}); build the index again"
        ) from error


def indexes_in(folder: Path) -> list[Path]:
    """The indexes of boilersweep that stand in a folder, by name."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith(".") and (path / MANIFEST).is_file()
    )


def versions() -> dict[str, str]:
    """Versions of boilersweep, pyserini, Anserini, Lucene and Java; the JVM must run."""
    from importlib.metadata import version

    from jnius import autoclass

    from boilersweep.indexer.jvm import java_version

    return {
        "boilersweep": __version__,
        "pyserini": version("pyserini"),
        "anserini": anserini_version(),
        "lucene": str(autoclass("org.apache.lucene.util.Version").LATEST.toString()),
        "java": java_version(),
    }
