"""What was run on what, for the manifests of sweeps and studies, and what results depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from boilersweep.cleaners.extractor_blocks import AlignmentCounts, alignment_json
from boilersweep.cleaners.selection import identity_of
from boilersweep.cleaners.variants import Variant
from boilersweep.eval.engines import EngineName, SearchOptions
from boilersweep.eval.ranking_models import Dense, Hybrid, RankingModel
from boilersweep.eval.verification import Verified
from boilersweep.indexer.analyzer import unlike_documents
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.layout import parallel_layout
from boilersweep.indexer.manifest import IndexRecipe, index_recipe, versions
from boilersweep.outputs.identity import __version__, code_identity, digest_of, file_digest
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, Qrels, describe


def identity(
    kind: str,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    qrels: Qrels,
    options: SearchOptions,
    measures: Sequence[str],
    **more: Any,
) -> dict[str, Any]:
    """What the results of a sweep or a study depend on, as nested JSON. more: of its kind."""
    models: dict[str, str] = {}
    plugins: dict[str, str] = {}
    for variant in variants:
        cleaner = identity_of(variant.cleaner)
        models |= cleaner["models"]
        plugins |= cleaner.get("plugins", {})
    return {
        "kind": kind,
        "store": store.fingerprint,
        **({"languages": list(store.chosen_languages)} if store.chosen_languages else {}),
        "variants": {variant.name: str(variant) for variant in variants},
        "models": models,
        "topics": {"fields": list(options.fields), "queries": digest_of(queries)},
        "qrels": digest_of(asdict(qrels)),
        "measures": list(measures),
        "ranking": ranking_identity(options.model),
        "hits": options.hits,
        "analyzer": asdict(options.analyzer),
        **({"plugins": plugins} if plugins else {}),
        **more,
        "anserini": anserini_identity(),
        "ir_measures": version("ir_measures"),
        "code": code_identity("clean", "index", "rank"),
    }


def ranking_identity(model: RankingModel) -> dict[str, Any]:
    """A ranking formula and its parameters."""
    return {"formula": str(model), **_parameters(model)}


def _parameters(model: Any) -> dict[str, Any]:
    if isinstance(model, Dense | Hybrid):  # where the vectors are does not matter
        return model.parameters
    return asdict(model) if is_dataclass(model) and not isinstance(model, type) else {}


def index_recipes(
    store: BlockStore,
    variants: Sequence[Variant],
    options: SearchOptions,
    *,
    docvectors: bool = False,
) -> dict[str, IndexRecipe]:
    """What the real index of each variant depends on, by its name.

    docvectors: they have them although the model reads none.
    """
    layout = parallel_layout(docvectors=docvectors or options.model.reads_vectors)
    return {
        variant.name: index_recipe(
            *(store.fingerprint, variant.cleaner, options.analyzer, layout),
            languages=store.chosen_languages,
        )
        for variant in variants
    }


def file_facts(files: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """Where files that were read are and what is in them, so that it can be checked later.

    A pipe, as of `--topics <(zcat topics.gz)`, cannot be read again and is left out.
    """
    return {
        what: {
            "path": str(path.resolve()),
            "bytes": path.stat().st_size,
            "sha256": file_digest(path),
        }
        for what, path in files.items()
        if path.is_file()
    }


def provenance(
    store: BlockStore,
    options: SearchOptions,
    agreement: Agreement,
    judged: int,
    verified: Verified | None,
    *,
    engine: EngineName,
    placed: Mapping[str, AlignmentCounts],
    sources: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """What every manifest says. judged: documents of the collection that any topic judges.

    placed: of texts that are matched to blocks, how much of them was matched. sources: facts of the
    files that topics and qrels were read from, where these are known. notes: on what was run,
    beside those on topics and analyzer.
    """
    unlike = unlike_documents(options.analyzer, store.languages)
    return {
        "boilersweep": __version__,
        "input": store.manifest["input"],
        "store": str(store.path.resolve()),
        "store_fingerprint": store.fingerprint,
        "documents": store.documents,
        "languages": store.languages,
        "other_languages": store.other_languages,
        "skipped": dict(store.skipped),
        "analyzer": asdict(options.analyzer),
        "model": str(options.model),
        "hits": options.hits,
        "fields": list(options.fields),
        "topics": asdict(agreement),
        "sources": dict(sources),
        "judged_documents": judged,
        "engine": engine,
        "texts_in_blocks": alignment_json(placed),
        "verified": asdict(verified) if verified else None,
        "notes": [*describe(agreement), *([unlike] if unlike else []), *notes],
        "versions": versions(),
    }
