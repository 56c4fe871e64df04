"""What a study compares, and in which role."""

from collections.abc import Sequence
from dataclasses import dataclass

from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.cleaners.variants import Sweep, Variant, collect_variants
from boilersweep.errors import UsageError
from boilersweep.eval.study.results import Role

GOLD = "gold"
"""The name under which a store usually holds people's own text."""


@dataclass(frozen=True, slots=True)
class StudyVariants:
    """The baseline first, then named cleaners, thresholds of sweeps, and the gold text last."""

    variants: tuple[Variant, ...]
    roles: tuple[Role, ...]

    @property
    def gold(self) -> int | None:
        """The place of the gold text, where there is one."""
        return self.roles.index("gold") if "gold" in self.roles else None

    @property
    def candidates(self) -> list[int]:
        """Places of all that can be deployed, the baseline among them."""
        return [place for place, role in enumerate(self.roles) if role != "gold"]


def study_variants(
    baseline: Cleaner,
    cleaners: Sequence[Cleaner],
    sweeps: Sequence[Sweep],
    texts: Sequence[str],
    gold: str | None,
    *,
    others: int = 0,
) -> StudyVariants:
    """Order what is compared, each once.

    texts: names of those that the store holds. gold: the one that is the upper bound; None for
    `gold`, where the store has it. others: how much else is compared. Raises UsageError where
    nothing is left to compare with the baseline, the store lacks the gold text, or two cleaners
    would have one name.
    """
    if gold is not None and gold not in texts:
        have = f"it has {', '.join(texts)}" if texts else "it has none"
        raise UsageError(
            f"gold: expected a text of the store, got {gold!r}; {have}; give it to `boilersweep "
            f"segment` as --texts {gold}=FILE"
        )
    name = gold or (GOLD if GOLD in texts else None)
    first = Variant(baseline)
    last = Variant(PageText(name)) if name else None
    if last == first:
        raise UsageError(f"baseline: expected a cleaner, got the gold text {name!r}")
    named = {Variant(cleaner) for cleaner in cleaners}
    roles: dict[Variant, Role] = {first: "baseline"}
    for variant in collect_variants((), cleaners):
        roles.setdefault(variant, "cleaner")
    for variant in collect_variants(sweeps, [baseline, *cleaners]):
        roles.setdefault(variant, "cleaner" if variant in named else "swept")
    if last is not None:
        roles.pop(last, None)
    if len(roles) == 1 and not others:
        raise UsageError(f"expected a cleaner or a sweep to compare with {baseline}, got none")
    if last is not None:
        roles[last] = "gold"
    collect_variants((), [variant.cleaner for variant in roles])  # each has a name of its own
    return StudyVariants(tuple(roles), tuple(roles.values()))
