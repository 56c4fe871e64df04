"""`boilersweep cleaners`: what can be given to --keep and --cleaners."""

import argparse

from boilersweep.cli import arguments


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "cleaners",
        help="list the cleaners and extractors there are",
        description="List what can be given to --keep and --cleaners: rules over features of "
        "blocks, cleaners with names, and extractors, which take a text from the page itself.",
    )
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace) -> int:
    """Run the command."""
    from tabulate import tabulate

    from boilersweep.cleaners.registry import NAMED
    from boilersweep.cleaners.rules import COLUMNS
    from boilersweep.extractors.registry import extractor_names

    columns = ", ".join(COLUMNS)
    print(f"Rules compare {columns} with numbers, such as words>=11; all cleaners of the first")
    print("table may be joined by &, |, ! and parentheses.\n")
    rows = [(rule.signature(), rule.summary, rule.source) for rule in NAMED.values()]
    print(tabulate(rows, ["cleaner", "keeps", "source"], tablefmt="simple"))
    print("\nExtractors, which run while pages are segmented: " + ", ".join(extractor_names()))
    print("and any function from a page's HTML to text: my.module:function")
    return 0
