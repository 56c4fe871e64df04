"""List the available cleaners and extractors.

List what can be given to --keep and --cleaners: rules over features of blocks, cleaners with names,
and extractors, which take a text from the page itself.
"""

import argparse

from boilersweep.cleaners.registry import all_rules
from boilersweep.cleaners.rules import FEATURES, Named, Weighted
from boilersweep.cli.messages import tell
from boilersweep.errors import UsageError
from boilersweep.extractors.registry import extractor_names

OPTIONS = ()


def run(_args: argparse.Namespace) -> None:
    from tabulate import tabulate

    features = ", ".join(FEATURES)
    print(
        f"Rules compare {features} with numbers, such as words>=11; learned>=0.5 compares the"
    )
    print(
        "model's probability. All cleaners of the first table but the last may be joined by &, |, !"
    )
    print("and parentheses.\n")
    found = list(all_rules())
    rules: list[type[Named]] = [
        rule for rule in found if not isinstance(rule, UsageError)
    ]
    rules.append(Weighted)
    rows = [
        (rule.signature(), rule.summary, rule.source or rule.__module__)
        for rule in rules
    ]
    tell(tabulate(rows, ["cleaner", "keeps", "source"], tablefmt="simple"))
    for error in found:
        if isinstance(error, UsageError):
            print(f"\nLeft out: {error}")
    print(
        "\nExtractors, which run while pages are segmented: "
        + ", ".join(extractor_names())
    )
    print(
        "and any function from a page's HTML to text: my.module:function. In a rule the name of one"
    )
    print("stands for the blocks that its text holds, as in trafilatura | resiliparse.")
