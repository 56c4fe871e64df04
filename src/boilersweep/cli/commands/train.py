"""`boilersweep train`."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cleaners.learned.features import FEATURE_SETS, PARAGRAPHS
from boilersweep.cleaners.learned.model import Tree, save_model
from boilersweep.cleaners.syntax.grammar import parse_cleaner
from boilersweep.cli.messages import note, tell
from boilersweep.cli.options.datasets import MarkedPages
from boilersweep.cli.options.values import OutputFile, OutputFolder, listed
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.training.curve import learning_curve, write_curve
from boilersweep.eval.training.learners import LEARNERS
from boilersweep.eval.training.readable import leaves, printed, rule_of
from boilersweep.eval.training.sources import weighted_sources
from boilersweep.eval.training.train import (
    LEARNED,
    TrainingRequest,
    check_choice,
    finish,
    prepare,
)
from boilersweep.eval.training.validation import GROUPS, training_table
from boilersweep.extras import require
from boilersweep.outputs.atomic import make_folder, whole_file
from boilersweep.outputs.locations import refuse_inputs
from boilersweep.outputs.streams import make_folder_of, require_kind

_MODEL = re.compile(b"PK")  # a .npz file is a ZIP archive


def _weights(text: str) -> dict[str, float]:
    """Parse `wcxb=2,greek=0.5` as weights by dataset."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        label, equals, weight = part.rpartition("=")
        try:
            value = float(weight)
        except ValueError:
            equals = ""
        if not equals or not label or label in weights:
            raise UsageError(
                f"expected NAME=WEIGHT, separated by commas, each once, got {text!r}"
            )
        weights[label] = value
    return weights


def _left_out(text: str) -> tuple[str, ...]:
    """Parse `site,source` as some of GROUPS, in its order."""
    parts = text.split(",")
    if not set(parts) <= set(GROUPS):
        near = did_you_mean(min(set(parts) - set(GROUPS)), GROUPS)
        raise UsageError(f"expected some of {', '.join(GROUPS)}, got {text!r}{near}")
    return tuple(kind for kind in GROUPS if kind in parts)


def run(
    *,
    marked: MarkedPages,
    weights: Annotated[
        Mapping[str, float] | None, listed(_weights, "NAME=W,...")
    ] = None,
    leave_out: Annotated[tuple[str, ...], listed(_left_out, "WHAT,...")] = ("site",),
    model: Annotated[str, Parameter(choices=(LEARNED, *LEARNERS))] = LEARNED,
    features: str = PARAGRAPHS,
    prune: bool = False,
    seed: int = 1,
    output: OutputFile,
    learning_curve_: Annotated[
        OutputFolder | None, Parameter("--learning-curve")
    ] = None,
) -> None:
    """Train a cleaner on annotated pages.

    Train a model on pages whose main text people have marked, of one dataset or several, test it on
    sites, sources or languages that it has not seen, and write it with its provenance. The cleaner
    learned('MODEL') then keeps what the model takes for content. Requires scikit-learn, of the
    extra `train`.

    Args:
        weights: Weights of datasets, by their names in tables; 0 for a dataset that the model is
            only tested on (default: 1, so that all count the same).
        leave_out: What to leave out in turn to measure the model on unseen data: site (in five
            parts), source, language, or several of these.
        model: The shipped network, or a kind of model from the papers.
        features: The features of the shipped model, the 64 of Kohlschütter et al. without block
            frequencies, or Schäfer's 37: paragraphs, kohlschuetter or schaefer; `--model learned`
            takes the first. Or some of Kohlschütter et al., such as words,link_density, each of the
            previous, the current and the next block, or curr_words of the current one alone.
        prune: With --model tree: make a leaf of each node that errs no more as one on a third of
            the pages, which the tree does not learn from.
        seed: Seed of all random numbers.
        output: The model, a .npz file.
        learning_curve_: Draw the scores of models trained on an eighth, a quarter and half of the
            pages into this folder; this takes about as long as leaving sites out.
    """
    check_choice(model, features, prune=prune)
    if learning_curve_:
        require("vl_convert")
    folders = [folder for _, folder in marked.folders()]
    make_folder_of(output, inputs=folders, streams=False)
    require_kind(output, _MODEL, "a model")
    if learning_curve_:
        refuse_inputs(learning_curve_, closed=folders)
        make_folder(learning_curve_)
    datasets = marked.read()
    sources = tuple(weighted_sources(datasets, dict(weights or {})))
    request = TrainingRequest(sources, model, features, seed, leave_out, prune)
    training = prepare(request)
    curve = (
        write_curve(learning_curve(training), learning_curve_)
        if learning_curve_
        else []
    )
    trained = finish(training)
    with whole_file(output) as temporary:
        save_model(trained, temporary)
    provenance = trained.provenance
    what = f"{model} on {provenance.pages:,} pages of {provenance.trained_on}"
    if scores := provenance.cross_validation:
        what += f", cross-validated by site: {_scores(scores)}"
    print(what)
    if len(sources) > 1 or leave_out != ("site",):
        print()
        tell(f"{training_table(provenance)}\n")
    if isinstance(trained.estimator, Tree):
        names = FEATURE_SETS[trained.features].names
        _print_tree(trained.estimator, [names[n] for n in trained.columns.tolist()])
    for path in curve:
        print(path)
    print(f"{output} ({output.stat().st_size:,} bytes)")


def _print_tree(tree: Tree, names: Sequence[str]) -> None:
    """Print a tree as the paper prints its own, and as a rule where there is one."""
    tell(f"\n{leaves(tree):,} leaves\n{printed(tree, names)}\n")
    try:
        print(f"rule: {parse_cleaner(str(rule_of(tree, names)))}\n")
    except UsageError as error:
        note(f"no rule: {error}")


def _scores(scores: Mapping[str, int | float | str]) -> str:
    names = {
        "word_f1": "word_f1",
        "bag_f1": "bag of words",
        "block_f1": "words of blocks F1",
        "block_auc": "AUC",
        "balanced": "strings, balanced",
        "kind": "kinds of pages",
    }
    return ", ".join(
        f"{names[key]} {scores[key]:.3f}" for key in names if key in scores
    )
