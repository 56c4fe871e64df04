"""Train a model from annotated pages of several sources, and score it on unseen pages."""

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np

from boilersweep.cleaners.learned.features import FEATURE_SETS, PARAGRAPHS
from boilersweep.cleaners.learned.model import (
    LanguageProvenance,
    Model,
    ModelProvenance,
    SourceProvenance,
    Tree,
    packed,
    page_digest,
)
from boilersweep.command_lines import command_line
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.judge.comparison import frequent, page_languages
from boilersweep.eval.judge.datasets import FORMATS
from boilersweep.eval.training import recipe
from boilersweep.eval.training.labelled import Labelled, Pages, mixed, read_labelled
from boilersweep.eval.training.learners import LEARNERS, Fit, require_scikit_learn
from boilersweep.eval.training.markup import old_fashioned
from boilersweep.eval.training.network import page_weights
from boilersweep.eval.training.readable import pruned
from boilersweep.eval.training.sources import Source, scaled, shares
from boilersweep.eval.training.validation import FOLDS, Held, Split, scores_of, splits
from boilersweep.pages.alignment import HELD_SHARE
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray
from boilersweep.pages.language import detector
from boilersweep.pages.words import dictionary
from boilersweep.work.progress import steps

LEARNED = "learned"
TREE = "tree"
# The feature set whose features can be chosen one by one.
OF_BLOCKS = "kohlschuetter"
# Of so many parts of the pages one tells how a tree is pruned.
_PRUNING_PARTS = 3


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """A request to train a model.

    Attributes:
        sources: The datasets to learn from.
        model: LEARNED, or one of LEARNERS.
        features: The name of a feature set, or names of features of Kohlschütter et al.
        prune: Whether to prune a tree.
        seed: The seed of all random numbers.
        leave_out: The GROUPS to leave out in turn for scores on unseen pages, in their order.
    """

    sources: tuple[Source, ...]
    model: str
    features: str
    seed: int
    leave_out: tuple[str, ...] = ("site",)
    prune: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """Pages that are ready to learn from.

    Attributes:
        request: The request.
        pages: The pages.
        languages: (n,) the languages of the pages.
        learned: (r,) whether a row has a label and a weight, and so can be learned from.
        fit: Fits a model on some of these rows.
    """

    request: TrainingRequest
    pages: Pages
    languages: list[str]
    learned: BoolArray
    fit: Fit


def chosen_features(features: str) -> tuple[str, IntArray]:
    """Return the name of a feature set and (k,) columns of it.

    Args:
        features: The name of a set, for all columns; or names of features of Kohlschütter et al.,
            separated by commas: `curr_words`, or `words` for those of the previous, the current and
            the next block.

    Raises:
        UsageError: A name is unknown.
    """
    if features in FEATURE_SETS:
        return features, np.arange(len(FEATURE_SETS[features].names))
    names = FEATURE_SETS[OF_BLOCKS].names
    columns: list[int] = []
    for part in features.split(","):
        meant = {part, *(f"{place}_{part}" for place in ("prev", "curr", "next"))}
        indexes = [index for index, name in enumerate(names) if name in meant]
        if not indexes:
            short = [name.removeprefix("curr_") for name in names if "curr_" in name]
            raise UsageError(
                f"expected the features {', '.join(FEATURE_SETS)}, or some of {', '.join(short)}, "
                f"separated by commas, got {part!r}{did_you_mean(part, [*names, *short])}"
            )
        columns += indexes
    return OF_BLOCKS, np.array(sorted(set(columns)))


def check_choice(model: str, features: str, *, prune: bool = False) -> None:
    """Check the names of a model and of features.

    Raises:
        UsageError: A name is unknown, or the model cannot read the features or be pruned.
    """
    chosen_features(features)
    if prune and model != TREE:
        raise UsageError(f"`prune` requires the model {TREE}, got {model!r}")
    if model != LEARNED and model not in LEARNERS:
        raise UsageError(
            f"expected the model {LEARNED}, {', '.join(LEARNERS)}, got {model!r}"
        )
    if model == LEARNED and features != PARAGRAPHS:
        raise UsageError(
            f"the model {LEARNED} reads the features {PARAGRAPHS}, got {features!r}"
        )
    require_scikit_learn()


def prepare(request: TrainingRequest) -> Training:
    """Read the pages and choose how to fit them.

    Args:
        request: The request.

    Raises:
        UsageError: As `check_choice`, or all paragraphs are of one class.
    """
    check_choice(request.model, request.features, prune=request.prune)
    datasets = [source.dataset for source in request.sources]
    change = old_fashioned if request.model == LEARNED else None
    features = FEATURE_SETS[chosen_features(request.features)[0]]
    pages = mixed(
        datasets,
        [
            read_labelled(dataset, features, change, request.seed)
            for dataset in datasets
        ],
    )
    labelled = pages.labelled
    of_rows = pages.sources[labelled.rows.owners]
    taught = np.array([source.weight > 0 for source in request.sources])
    learned = labelled.known & taught[of_rows]
    content = labelled.labels[learned] >= HELD_SHARE
    if content.all() or not content.any():
        folders = ", ".join(str(dataset.folder) for dataset in datasets)
        raise UsageError(
            f"expected pages with main text and with boilerplate in {folders}, got "
            f"{len(content):,} paragraphs of one kind"
        )
    if request.model == LEARNED:
        weights = _page_weights(labelled, of_rows)
        weights *= recipe.kind_weights(pages.pages)[labelled.rows.owners]
        weights = scaled(weights, of_rows, request.sources)
        fit = recipe.network(labelled, weights, pages.pages)
    else:
        words = np.where(labelled.known, labelled.rows.words, 0.0)
        weights = scaled(words, of_rows, request.sources)
        fit = _single(request, labelled, weights)
    languages = [one for dataset in datasets for one in page_languages(dataset)]
    return Training(request, pages, languages, learned, fit)


def finish(training: Training) -> Model:
    """Fit the model on all pages, and further models that score pages they have not seen.

    The same data, names, seed and versions give the same model.

    Raises:
        UsageError: There are too few groups to leave out.
    """
    request, pages = training.request, training.pages
    plans = {
        kind: splits(kind, pages, request.sources, training.languages)
        for kind in request.leave_out
    }
    total = 1 + sum(map(len, plans.values()))
    with one_thread(), steps("Training", total, "models") as bar:
        networks = {
            kind: scores_without(training, plan, bar.update)
            for kind, plan in plans.items()
        }
        whole = training.fit(training.learned, request.seed)
        bar.update()
    taught = (source.dataset.pages for source in request.sources if source.weight)
    return replace(
        whole,
        provenance=_provenance(training, networks),
        pages=packed(page_digest(page.utf8) for page in chain.from_iterable(taught)),
    )


def scores_without(
    training: Training, plan: Sequence[Split], after_each: Callable[[], object]
) -> dict[str, Any]:
    """Fit a model for each split, and score the pages that the splits leave out.

    Args:
        training: The prepared training.
        plan: The splits; each has its own seed.
        after_each: Called after each model.

    Returns:
        Scores of all pages that were left out, by source, and by language.
    """
    held = Held(training.pages)
    owners = training.pages.labelled.rows.owners
    for index, split in enumerate(plan):
        learned = training.learned & split.learned[owners]
        held.add(split.out, training.fit(learned, training.request.seed + 1 + index))
        after_each()
    sources, names = training.pages.sources, np.array(training.languages)
    return {
        "all": scores_of(held, sources >= 0),
        "source": {
            source.label: scores_of(held, sources == index)
            for index, source in enumerate(training.request.sources)
        },
        "language": {
            name: scores_of(held, names == name)
            for name in frequent(training.languages)
        },
    }


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread, so that every machine adds in the same order and rounds alike."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


def _page_weights(labelled: Labelled, of_rows: IntArray) -> FloatArray:
    """Return (r,) weights of rows with labels, by which all pages of a source weigh the same."""
    by_row = np.zeros(len(of_rows))
    for source in np.unique(of_rows):
        rows = labelled.known & (of_rows == source)
        if rows.any():
            by_row[rows] = page_weights(
                labelled.rows.words[rows], labelled.rows.owners[rows]
            )
    return by_row


def _single(request: TrainingRequest, labelled: Labelled, weights: FloatArray) -> Fit:
    """Return the fit of one of LEARNERS: rows weigh as their words."""
    name, columns = chosen_features(request.features)

    def fit(rows: BoolArray, seed: int) -> Model:
        part = labelled.rows.owners[rows] % _PRUNING_PARTS
        values = labelled.rows.values[rows][:, columns].astype(np.float64)
        content, words = labelled.labels[rows] >= HELD_SHARE, weights[rows]
        grown = part > 0 if request.prune else np.ones(len(part), dtype=bool)
        estimator = LEARNERS[request.model](
            values[grown], content[grown], words[grown], seed
        )
        if request.prune and isinstance(estimator, Tree):
            estimator = pruned(
                estimator, values[~grown], content[~grown], words[~grown]
            )
        return Model(
            name,
            FEATURE_SETS[name].version,
            columns.astype(np.int32),
            estimator,
            "fixed",
        )

    return fit


def _provenance(
    training: Training, found: dict[str, dict[str, Any]]
) -> ModelProvenance:
    request, pages = training.request, training.pages
    taught = [source for source in request.sources if source.weight]
    licences = [f"{source.label}: {_licence(source)}" for source in taught]
    of_rows = pages.sources[pages.labelled.rows.owners]
    by_site = (
        {
            "folds": FOLDS,
            "groups": "registered domains, with near-duplicates",
            **found["site"]["all"],
        }
        if "site" in found
        else {}
    )
    return ModelProvenance(
        trained_on=", ".join(source.label for source in taught),
        licence=_licence(taught[0]) if len(taught) == 1 else "; ".join(licences),
        pages=sum(len(source.dataset.pages) for source in taught),
        rows=int(training.learned.sum()),
        model=request.model,
        seed=request.seed,
        command=command(request),
        cross_validation=by_site,
        sources=[
            SourceProvenance(
                dataset=source.dataset.name,
                label=source.label,
                licence=_licence(source),
                pages=len(source.dataset.pages),
                rows=int((training.learned & (of_rows == index)).sum()),
                share=round(share, 4),
                held_out={
                    kind: scores["source"][source.label]
                    for kind, scores in found.items()
                },
            )
            for index, (source, share) in enumerate(
                zip(request.sources, shares(request.sources), strict=True)
            )
        ],
        languages={
            language: LanguageProvenance(
                pages=training.languages.count(language),
                held_out={
                    kind: scores["language"][language] for kind, scores in found.items()
                },
            )
            for language in frequent(training.languages)
        },
        versions={
            "boilersweep": version("boilersweep"),
            **_versions(),
            "words": dictionary(),
            "languages": detector(),
        },
    )


def command(request: TrainingRequest) -> str:
    """Return the command that trains the model from folders of these names."""
    is_alone = len(request.sources) == 1
    datasets = [
        f"{source.dataset.name}="
        + ("DIR" if source.label == source.dataset.name else source.label)
        for source in request.sources
    ]
    weights = [
        f"{source.label}={source.weight:g}"
        for source in request.sources
        if source.weight != 1
    ]
    return command_line(
        "train",
        dataset=request.sources[0].dataset.name if is_alone else datasets,
        input="DIR" if is_alone else None,
        model=request.model,
        features=request.features,
        prune=request.prune,
        seed=str(request.seed),
        weights=",".join(weights),
        leave_out=",".join(request.leave_out) if request.leave_out != ("site",) else "",
        output="FILE",
    )


def _licence(source: Source) -> str:
    return FORMATS[source.dataset.name].licence


def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scikit-learn": version("scikit-learn"),
        "lxml": version("lxml"),
    }
