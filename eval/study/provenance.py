"""What was run on what, for the manifest of a study."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from boilersweep import __version__
from boilersweep.eval.engines import SearchOptions
from boilersweep.eval.study.variants import StudyVariants
from boilersweep.eval.verification import Verified
from boilersweep.indexer.manifest import versions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, describe


def provenance(
    store: BlockStore,
    options: SearchOptions,
    compared: StudyVariants,
    measures: Sequence[str],
    agreement: Agreement,
    judged: int,
    verified: Verified | None,
    *,
    exact: bool,
    seed: int,
) -> dict[str, Any]:
    """The manifest. judged: documents of the collection that any topic judges."""
    return {
        "boilersweep": __version__,
        "input": store.manifest["input"],
        "store": str(store.path.resolve()),
        "store_fingerprint": store.fingerprint,
        "documents": store.documents,
        "skipped": dict(store.skipped),
        "analyzer": asdict(options.analyzer),
        "model": str(options.model),
        "hits": options.hits,
        "fields": list(options.fields),
        "variants": [[str(v), r] for v, r in zip(compared.variants, compared.roles, strict=True)],
        "measures": list(measures),
        "seed": seed,
        "topics": asdict(agreement),
        "judged_documents": judged,
        "engine": "exact" if exact else "indexes",
        "verified": asdict(verified) if verified else None,
        "notes": describe(agreement),
        "versions": versions(),
    }
