"""`boilersweep train`: a model for the cleaner `learned` from pages with gold texts."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cleaners.learned.feature_sets import FEATURE_SETS
from boilersweep.cli import arguments
from boilersweep.cli.dataset_arguments import add_datasets, named_datasets
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.eval.training.train import Training

LEFT_OUT = ("site", "source", "language")
MODELS = ("learned", "tree", "1r", "svm", "logistic", "perceptron")


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "train",
        help="train a cleaner from annotated pages",
        description="Train a model on pages whose main text people have marked, of one dataset or "
        "several, try it on sites, sources or languages that it had not seen, and write it with "
        "its provenance. The cleaner learned('MODEL') then keeps what the model takes for content. "
        "What is finished is kept beside the output until that is there: the same command goes on "
        "from there. Needs scikit-learn: pip install 'boilersweep[train]'.",
    )
    add_datasets(parser)
    parser.add_argument(
        "--weights",
        type=arguments.checked(_weights),
        default={},
        metavar="NAME=W,...",
        help="what datasets weigh, by the names that tables have for them; 0 for one that the "
        "model is only tried on (default: 1, so that all count the same)",
    )
    parser.add_argument(
        "--leave-out",
        type=arguments.checked(_left_out),
        default=("site",),
        metavar="WHAT,...",
        help="what is left out in turn to see what the model reaches where it has not been: site "
        "(in five parts), source, language, or several of these (default: site)",
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        default="learned",
        help="the shipped network, or a kind of the papers (default: learned)",
    )
    parser.add_argument(
        "--features",
        choices=tuple(FEATURE_SETS),
        default="paragraphs",
        help="those of the shipped model, the 64 of Kohlschütter et al. that need no block "
        "frequencies, or Schäfer's 37; `--model learned` takes the first (default: paragraphs)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of all that is random (default: 1)"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the model, a .npz file"
    )
    parser.add_argument(
        "--learning-curve",
        type=Path,
        metavar="DIR",
        help="draw there what models reach that learned from an eighth, a quarter and half of the "
        "pages; it takes about as long as leaving sites out",
    )
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cleaners.learned.model import save_model
    from boilersweep.cli.messages import note
    from boilersweep.cli.terminal import tell
    from boilersweep.eval.judge.datasets import read_datasets
    from boilersweep.eval.training.kept import parts_of
    from boilersweep.eval.training.sources import weighted_sources
    from boilersweep.eval.training.tables import training_table
    from boilersweep.eval.training.train import Asked, check_choice, finish, prepare
    from boilersweep.extras import require
    from boilersweep.outputs.files import make_folder, make_folder_of, whole_file

    check_choice(options.model, options.features)
    if options.learning_curve:
        require("matplotlib")
    named = named_datasets(options)
    make_folder_of(options.output, streams=False)
    if options.learning_curve:
        make_folder(options.learning_curve)
    datasets = read_datasets(named)
    for dataset in datasets:
        for line in dataset.describe():
            note(f"{dataset.label}: {line}" if len(datasets) > 1 else line)
    sources = tuple(weighted_sources(datasets, options.weights))
    asked = Asked(sources, options.model, options.features, options.seed, options.leave_out)
    with parts_of(options.output) as kept:
        training = prepare(asked, kept)
        curve = _curve(training, options.learning_curve) if options.learning_curve else []
        model = finish(training)
        with whole_file(options.output) as temporary:
            save_model(model, temporary)
    said = model.provenance
    what = f"{options.model} on {said['pages']:,} pages of {said['trained_on']}"
    if scores := said.get("cross_validation"):
        what += f", cross-validated by site: {_scores(scores)}"
    print(what)
    if len(sources) > 1 or options.leave_out != ("site",):
        print()
        tell(training_table(said))
        print()
    for path in curve:
        print(path)
    print(f"{options.output} ({options.output.stat().st_size:,} bytes)")
    return 0


def _curve(training: "Training", folder: Path) -> list[Path]:
    from boilersweep.eval.training.curve import learning_curve, write_curve

    return write_curve(learning_curve(training), folder)


def _scores(scores: dict[str, float]) -> str:
    names = {
        "word_f1": "word_f1",
        "bag_f1": "bag of words",
        "block_f1": "words of blocks F1",
        "block_auc": "AUC",
        "balanced": "strings, balanced",
    }
    return ", ".join(f"{names[key]} {scores[key]:.3f}" for key in names if key in scores)


def _weights(text: str) -> dict[str, float]:
    """`wcxb=2,greek=0.5` as what they weigh."""
    found: dict[str, float] = {}
    for part in text.split(","):
        label, equals, weight = part.rpartition("=")
        try:
            value = float(weight)
        except ValueError:
            equals = ""
        if not equals or not label or label in found:
            raise UsageError(f"expected NAME=WEIGHT with commas between, each once, got {text!r}")
        found[label] = value
    return found


def _left_out(text: str) -> tuple[str, ...]:
    """`site,source` as some of LEFT_OUT, in its order."""
    parts = text.split(",")
    if not set(parts) <= set(LEFT_OUT):
        raise UsageError(f"expected some of {', '.join(LEFT_OUT)}, got {text!r}")
    return tuple(kind for kind in LEFT_OUT if kind in parts)
