"""What is made of the arguments that several commands share."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.variants import Sweep, Variant
from boilersweep.cli.topic_arguments import FEEDBACK
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.collection.format import Reading
    from boilersweep.eval.engines import SearchOptions
    from boilersweep.eval.ranking_models import BM25, QueryLikelihood, RankingModel
    from boilersweep.eval.study.formulas import StudyFormula
    from boilersweep.indexer.analyzer import AnalyzerOptions
    from boilersweep.indexer.layout import IndexLayout
    from boilersweep.segmenting.segment import Segmentation
    from boilersweep.store.near_duplicates import Dedup
    from boilersweep.store.store import BlockStore
    from boilersweep.topics import Qrels, Topic
    from boilersweep.work.crew import Crew

_MUCH = 2 * 10**9


def check_engine(options: argparse.Namespace) -> None:
    """Raises UsageError for options that go with the exact engine alone, or without it."""
    names = _formula_names(options)
    if options.engine == "exact":
        if all(name in FEEDBACK for name in names):
            option = names[0] if getattr(options, names[0]) else f"formula {names[0]}"
            raise UsageError(
                f"--{option} goes with --engine indexes: feedback reads document vectors, "
                "which the exact engine has not"
            )
        return
    if options.verify:
        raise UsageError("--verify goes with --engine exact: real indexes need no proof")
    if "lucene-2.9" in names:
        raise UsageError("--formula lucene-2.9 goes with --engine exact: today's Lucene lacks it")


def resolve_dataset(options: argparse.Namespace) -> None:
    """Have --dataset stand for the inputs that are not named otherwise.

    Raises UsageError where one is named by neither.
    """
    given = vars(options)
    wanted = [name for name in ("input", "topics", "qrels") if name in given]
    if given.get("store"):
        wanted = [name for name in wanted if name != "input"]
    missing = [name for name in wanted if given[name] is None]
    if missing and not options.dataset:
        names = [f"--{name}" + " or --store" * (name == "input") for name in missing]
        raise UsageError(
            f"expected {' and '.join(names)}; or --dataset irds:ID for what ir_datasets has"
        )
    for name in missing:
        setattr(options, name, Path(options.dataset))


def topics(options: argparse.Namespace) -> "list[Topic]":
    """The topics that the arguments name."""
    from boilersweep.topics import read_topics

    _start_java_for(options, options.topics, "topics")
    return read_topics(options.topics)


def qrels(options: argparse.Namespace) -> "Qrels":
    """The judgements that the arguments name."""
    from boilersweep.topics import read_qrels

    _start_java_for(options, options.qrels, "qrels")
    return read_qrels(options.qrels)


def _start_java_for(options: argparse.Namespace, name: Path, what: str) -> None:
    """Start the JVM with the heap asked for, where a name needs one."""
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.topics import needs_java

    if needs_java(name, what):
        start_jvm(getattr(options, "heap", None))


def start_java(options: argparse.Namespace) -> None:
    """Start the JVM, and see that it has the analyzer asked for, before the long work."""
    from boilersweep.eval.exact.engine import exact_analyzer
    from boilersweep.indexer.analyzer import make_analyzer
    from boilersweep.indexer.jvm import start_jvm

    start_jvm(options.heap)
    (exact_analyzer if options.engine == "exact" else make_analyzer)(analyzer(options))


def note_size(store: "BlockStore", variants: Sequence[Variant]) -> None:
    """Say what real indexes will take where that is much, and that there is another engine."""
    from boilersweep.cli.messages import note
    from boilersweep.indexer.parallel import estimate_bytes

    size = estimate_bytes(store, variants)
    if size >= _MUCH:
        note(
            f"{len(variants)} indexes will take about {size / 1e9:,.0f} GB; "
            "--engine exact gives the same runs and scores without them"
        )


def of_languages(
    options: argparse.Namespace, store: "BlockStore", qrels: "Qrels", evaluated: Sequence[str]
) -> "BlockStore":
    """The documents in the languages asked for, or all. evaluated: topics that are judged."""
    from boilersweep.cli.messages import by_language, note
    from boilersweep.eval.languages import judgements_left_out
    from boilersweep.store.language_selection import of_languages

    chosen, others = of_languages(store, options.languages)
    if others:
        note(
            f"{chosen.documents:,} documents in {', '.join(options.languages)}; left out in other "
            f"languages: {by_language(others)}"
        )
    for line in judgements_left_out(chosen, {topic: qrels.grades[topic] for topic in evaluated}):
        note(line)
    return chosen


def note_languages(options: argparse.Namespace, store: "BlockStore") -> None:
    """Say where the analyzer is not for the language of most documents that are asked for."""
    from boilersweep.cli.messages import note
    from boilersweep.indexer.analyzer import unlike_documents

    asked = getattr(options, "languages", ()) or store.languages
    documents = {name: count for name, count in store.languages.items() if name in asked}
    if unlike := unlike_documents(analyzer(options), documents):
        note(unlike)


def threads(options: argparse.Namespace) -> int:
    """How many workers to use."""
    from boilersweep.work.processes import default_workers

    return options.threads or default_workers()


def segmentation(options: argparse.Namespace, collection: str | None) -> "Segmentation":
    """How the arguments want the collection to be cut; notes if that will be slow."""
    from boilersweep.cli.messages import note
    from boilersweep.pages import compiled
    from boilersweep.segmenting.limits import Limits
    from boilersweep.segmenting.segment import Segmentation

    if why := compiled.why_missing():
        note(f"the segmenter in pure Python cuts the pages, half as fast: {why}")
    return Segmentation(
        collection=collection,
        follow_links=options.follow_links,
        reading=_reading(options),
        inline_tags_transparent=options.inline_tags == "transparent",
        limits=Limits(
            page_bytes=options.max_page_bytes,
            page_blocks=options.max_page_blocks,
            seconds=options.max_page_seconds,
            worker_bytes=options.max_worker_memory * 2**30,
        ),
        extractors=_extractors(options),
        given=dict(options.texts),
        on_duplicate=options.on_duplicate,
    )


def _reading(options: argparse.Namespace) -> "Reading":
    """What the arguments say of the records; nothing where the format is fixed."""
    from boilersweep.collection.format import Reading

    if not hasattr(options, "collection"):
        return Reading()
    return Reading(
        plain=options.contents and options.contents == "text",
        id_field=options.id_field,
        text_field=options.text_field,
        url_field=options.url_field,
        docid=options.docid,
    )


def segmented(
    options: argparse.Namespace,
    output: Path,
    collection: str | None,
    crew: "Crew | None" = None,
    **within: Any,
) -> "BlockStore":
    """Segment the collection the arguments name, and say what came of it.

    crew: workers of a cluster; None for processes of this machine. within: more for
    `segment_collection`.
    """
    from boilersweep.cli.messages import describe_store, note
    from boilersweep.segmenting.on_cluster import run_on
    from boilersweep.segmenting.segment import segment_collection

    run = partial(run_on, crew) if crew else None
    store = segment_collection(
        options.input,
        output,
        segmentation(options, collection),
        workers=options.threads,
        run=run,
        overwrite=options.overwrite,
        verify_input=options.verify_input,
        **within,
    )
    for line in describe_store(store):
        note(line)
    return store


def note_losses(options: argparse.Namespace, store: "BlockStore") -> int:
    """Say what the store has lost of its input; the exit status, 1 where --strict forbids that."""
    from boilersweep.cli.messages import note_losses
    from boilersweep.store.store import MANIFEST

    note_losses(store.lost, str(store.path / MANIFEST))
    return int(options.strict and store.lost.total() > 0)


def own_store(
    options: argparse.Namespace,
    collection: str | None,
    crew: "Crew | None" = None,
    *,
    nested: Sequence[str] = (),
) -> "BlockStore":
    """Segment the collection into the folder of its experiment.

    Results that stand there already are gone before the store changes; that of a finished
    experiment takes in no new files. nested: folders of further experiments in that one.
    """
    from boilersweep.eval.experiment import STORE, make_way, read_experiment

    output, overwrite = options.output, options.overwrite
    finished = read_experiment(output, overwrite=overwrite) is not None
    return segmented(
        options,
        output / STORE,
        collection,
        crew,
        may_grow=not finished,
        make_way=partial(make_way, output, overwrite=overwrite, nested=nested),
    )


def sources(options: argparse.Namespace) -> dict[str, Path]:
    """The files of topics and qrels."""
    return {"topics": options.topics, "qrels": options.qrels}


def _extractors(options: argparse.Namespace) -> list[str]:
    """The extractors asked for, those whose texts are among the cleaners with them."""
    from boilersweep.cleaners.registry import find_text_cleaner
    from boilersweep.cleaners.selection import page_texts_of

    given = dict(options.texts)
    cleaners = page_texts_of(getattr(options, "cleaners", []))
    for name in cleaners:
        if name not in given:
            find_text_cleaner(name)
    wanted = [*options.extractors, *cleaners]
    return [name for name in dict.fromkeys(wanted) if name not in given]


def dedup(options: argparse.Namespace) -> "Dedup | None":
    """How near-duplicates are found, None where they stay. Raises UsageError."""
    if options.dedup_threshold is not None and options.dedup != "minhash":
        raise UsageError("--dedup-threshold goes with --dedup minhash")
    if options.dedup is None:
        return None
    from boilersweep.store.near_duplicates import THRESHOLD, Dedup

    threshold = options.dedup_threshold
    return Dedup(options.dedup, THRESHOLD if threshold is None else threshold)


def layout(options: argparse.Namespace) -> "IndexLayout":
    """What the index to deploy is to hold."""
    from boilersweep.indexer.layout import IndexLayout

    return IndexLayout(
        contents=options.storeContents,
        raw=options.storeRaw,
        docvectors=options.storeDocvectors,
        fields=tuple(dict.fromkeys(options.fields)),
        optimize=options.optimize,
    )


def analyzer(options: argparse.Namespace) -> "AnalyzerOptions":
    """The analyzer the arguments ask for."""
    from boilersweep.indexer.analyzer import AnalyzerOptions

    return AnalyzerOptions(
        language=options.language,
        stemmer=options.stemmer,
        keep_stopwords=options.keepStopwords,
        pretokenized=options.pretokenized,
    )


def ranking(options: argparse.Namespace) -> "RankingModel":
    """The ranking formula the arguments ask for, and feedback over it; of several the first."""
    return _model(options, _formula_names(options)[0])


def formulas(options: argparse.Namespace) -> "list[StudyFormula]":
    """The ranking formulas of a study, of several or tuned ones; none where one is asked for.

    Raises UsageError where lists of parameters belong to none of them.
    """
    from boilersweep.eval.ranking_models import BM25, QueryLikelihood
    from boilersweep.eval.study.formulas import StudyFormula

    names = _formula_names(options)
    among: dict[str, tuple[RankingModel, ...]] = {
        "bm25": tuple(BM25(k1, b) for k1 in options.k1 for b in options.b),
        "qld": tuple(QueryLikelihood(mu) for mu in options.mu),
    }
    tuned = [name for name, models in among.items() if len(models) > 1]
    for name in tuned:
        if name not in names:
            given = "--mu" if name == "qld" else "--k1 and --b"
            raise UsageError(
                f"{given}: several are tuned for {name}, which is not among the formulas "
                f"({', '.join(names)}); give one, or --formula {name},{','.join(names)}"
            )
    if len(names) == 1 and not tuned:
        return []
    found = []
    for name in names:
        fixed = _model(options, name)
        if name in tuned:
            found.append(StudyFormula(f"{name}-tuned", fixed, among[name]))
        found.append(StudyFormula(name, fixed, tested=name not in tuned))
    return found


def runs(options: argparse.Namespace) -> dict[str, Path]:
    """The runs made elsewhere; raises UsageError for a name that is given twice."""
    names = [name for name, _ in options.runs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"--runs: expected a name for each, got {twice[0]} twice")
    return dict(options.runs)


def _formula_names(options: argparse.Namespace) -> tuple[str, ...]:
    """The names of the formulas asked for; feedback stands for itself over the one below it.

    Raises UsageError for feedback over what it cannot be over.
    """
    given = options.formula or ("qld" if options.qld else "bm25")
    names = (given,) if isinstance(given, str) else given
    methods = [name for name in FEEDBACK if getattr(options, name, False)]
    if not methods:
        return names
    if len(names) > 1 or names[0] not in ("bm25", "qld"):
        more = f"; --formula {','.join(names)},{methods[0]} has it beside the others"
        raise UsageError(
            f"--{methods[0]}: expected BM25 or query likelihood under it, got {', '.join(names)}"
            f"{more * (len(names) > 1)}"
        )
    return (methods[0],)


def _model(options: argparse.Namespace, name: str) -> "RankingModel":
    """The model of a name; of parameters that are to be tuned the default."""
    from boilersweep.eval.ranking_models import RM3, Classic, Lucene29, Rocchio

    if name == "classic":
        return Classic()
    if name == "lucene-2.9":
        return Lucene29()
    first = _first_ranking(options, "qld" if name == "qld" else "bm25")
    given = vars(options)
    if name == "rm3":
        return RM3(
            first,
            fb_terms=given["rm3.fbTerms"],
            fb_docs=given["rm3.fbDocs"],
            original_query_weight=given["rm3.originalQueryWeight"],
            filter_terms=not given["rm3.noTermFilter"],
        )
    if name == "rocchio":
        return Rocchio(
            first,
            top_fb_terms=given["rocchio.topFbTerms"],
            top_fb_docs=given["rocchio.topFbDocs"],
            bottom_fb_terms=given["rocchio.bottomFbTerms"],
            bottom_fb_docs=given["rocchio.bottomFbDocs"],
            alpha=given["rocchio.alpha"],
            beta=given["rocchio.beta"],
            gamma=given["rocchio.gamma"],
            use_negative=given["rocchio.useNegative"],
        )
    return first


def _first_ranking(options: argparse.Namespace, name: str) -> "BM25 | QueryLikelihood":
    """BM25 or query likelihood, alone or below feedback."""
    from boilersweep.eval.ranking_models import BM25, QueryLikelihood

    under = options.qld or options.formula in ("qld", ("qld",))
    if name == "qld" or under:
        return QueryLikelihood(*_fixed(options.mu))
    given = {"k1": _fixed(options.k1), "b": _fixed(options.b)}
    return BM25(**{parameter: value for parameter, values in given.items() for value in values})


def _fixed(value: "float | tuple[float, ...]") -> tuple[float, ...]:
    """The one value of a parameter; nothing where several are to be tuned."""
    values = value if isinstance(value, tuple) else (value,)
    return values if len(values) == 1 else ()


def search_options(options: argparse.Namespace) -> "SearchOptions":
    """How the arguments want topics to be run."""
    from boilersweep.eval.engines import SearchOptions

    return SearchOptions(
        model=ranking(options),
        hits=options.hits,
        fields=tuple(options.fields),
        threads=threads(options),
        analyzer=analyzer(options),
    )


def sweeps(options: argparse.Namespace, default: tuple[Sweep, ...]) -> tuple[Sweep, ...]:
    """The sweeps the arguments ask for; the default where they ask for nothing."""
    return tuple(options.sweeps or (() if options.cleaners else default))
