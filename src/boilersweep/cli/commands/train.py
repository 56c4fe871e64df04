"""`boilersweep train`: a model for the cleaner `learned` from pages with gold texts."""

import argparse
from pathlib import Path

from boilersweep.cleaners.learned.feature_sets import FEATURE_SETS
from boilersweep.cli import arguments
from boilersweep.cli.dataset_arguments import add_dataset

MODELS = ("learned", "tree", "1r", "svm", "logistic", "perceptron")


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "train",
        help="train a cleaner from annotated pages",
        description="Train a model on pages whose main text people have marked, with "
        "cross-validation by site, and write it with its provenance. The cleaner "
        "learned('MODEL') then keeps what the model takes for content. The shipped model is "
        "`--dataset wcxb --model learned`. Needs scikit-learn: pip install 'boilersweep[train]'.",
    )
    add_dataset(parser)
    parser.add_argument(
        "--model",
        choices=MODELS,
        default="learned",
        help="the shipped networks, or a kind of the papers (default: learned)",
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
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cleaners.learned.model import save_model
    from boilersweep.cli.messages import note
    from boilersweep.eval.judge.datasets import read_dataset
    from boilersweep.eval.training.train import check_choice, train
    from boilersweep.files import make_folder_of, whole_file

    check_choice(options.model, options.features)
    make_folder_of(options.output)
    dataset = read_dataset(options.dataset, options.input)
    for line in dataset.describe():
        note(line)
    model = train(dataset, options.model, options.features, options.seed)
    with whole_file(options.output) as temporary:
        save_model(model, temporary)
    scores = model.provenance["cross_validation"]
    print(
        f"{options.model} on {len(dataset.pages):,} pages of {dataset.name}, cross-validated by "
        f"site: word_f1 {scores['word_f1']:.3f}, bag of words {scores['bag_f1']:.3f}, "
        f"words of blocks F1 {scores['block_f1']:.3f}, AUC {scores['block_auc']:.3f}"
    )
    print(f"{options.output} ({options.output.stat().st_size:,} bytes)")
    return 0
