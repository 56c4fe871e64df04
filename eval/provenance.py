"""What was run on what, for the manifests of sweeps and studies."""

from dataclasses import asdict
from typing import Any

from boilersweep import __version__
from boilersweep.eval.engines import SearchOptions
from boilersweep.eval.verification import Verified
from boilersweep.indexer.manifest import versions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, describe


def provenance(
    store: BlockStore,
    options: SearchOptions,
    agreement: Agreement,
    judged: int,
    verified: Verified | None,
    *,
    exact: bool,
) -> dict[str, Any]:
    """What every manifest says. judged: documents of the collection that any topic judges."""
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
        "topics": asdict(agreement),
        "judged_documents": judged,
        "engine": "exact" if exact else "indexes",
        "verified": asdict(verified) if verified else None,
        "notes": describe(agreement),
        "versions": versions(),
    }
