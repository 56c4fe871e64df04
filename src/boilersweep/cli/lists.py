"""What can be given to options: the lists of `boilersweep --list`."""

from boilersweep.applications import required
from boilersweep.cleaners.page_model import has_model
from boilersweep.cleaners.registry import all_rules
from boilersweep.cleaners.rules import FEATURES, Named, Weighted
from boilersweep.cli.messages import tell
from boilersweep.errors import UsageError
from boilersweep.extractors.registry import extractor_names


def print_cleaners() -> None:
    """Print what can be given to --keep and --cleaners: features of rules, cleaners, extractors."""
    from boilersweep.outputs.tables import text_table

    model = "; learned>=0.5\ncompares the model's probability" if has_model() else ""
    print(
        f"Rules compare {', '.join(FEATURES)} with numbers, such as words>=11{model}.\n"
        "All cleaners of the first table but the last may be joined by &, |, ! and parentheses.\n"
    )
    all_found = list(all_rules())
    rules: list[type[Named]] = [
        rule for rule in all_found if not isinstance(rule, UsageError)
    ]
    rules.append(Weighted)
    rows = [
        (rule.signature(), rule.summary, rule.source or rule.__module__)
        for rule in rules
    ]
    tell(text_table(rows, ["cleaner", "keeps", "source"], left=range(3)))
    for error in all_found:
        if isinstance(error, UsageError):
            print(f"\nLeft out: {error}")
    print(
        f"\nExtractors, which run while pages are segmented: {', '.join(extractor_names())}\n"
        "and any function from a page's HTML to text: my.module:function. In a rule its\n"
        "name means the blocks that its text holds, as in cetr | ccb."
    )


def print_features() -> None:
    """Print the families of `export --features`, each with its features and their sources."""
    families = required("boilersweep.export.feature_table:FAMILIES", "--list features")
    for family, features in families.items():
        print(f"--features {family}:")
        for feature in features:
            print(f"  {feature.name}: {feature.description} ({feature.source})")


LISTS = {"cleaners": print_cleaners, "features": print_features}
