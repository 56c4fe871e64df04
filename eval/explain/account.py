"""What happened to a document between two cleaners' runs, in a sentence."""

from dataclasses import dataclass

from boilersweep.eval.explain.records import Pair
from boilersweep.eval.explain.words import isolated


@dataclass(frozen=True, slots=True)
class Effect:
    """What a second cleaner does to a document in place of the first.

    Attributes:
        cleaners: Their texts.
        matches: Occurrences of the query's terms in either index.
        tokens: All tokens in either index.
        lost: Occurrences in blocks that only the first keeps.
        lost_in: The number of these blocks.
        gained: Occurrences in blocks that only the second keeps.
        gained_in: The number of these blocks.
        gone: Terms that only the first has.
        rank: The ranks; None if the document is not in the run.
    """

    cleaners: Pair[str]
    matches: Pair[int]
    tokens: Pair[int]
    lost: int
    lost_in: int
    gained: int
    gained_in: int
    gone: tuple[str, ...]
    rank: Pair[int | None]

    @property
    def rises(self) -> bool:
        """Whether its rank is better after."""
        return self._is_better(1)

    @property
    def falls(self) -> bool:
        """Whether its rank was better before."""
        return self._is_better(0)

    def _is_better(self, side: int) -> bool:
        here, there = self.rank[side], self.rank[1 - side]
        return here is not None and (there is None or here < there)


def account(effect: Effect) -> str:
    """Tell what happened to the document's matches and length, and so why it moved."""
    before, after = effect.matches
    if not before:
        return _found(effect)
    if not effect.tokens[1]:
        gone = "its only match is" if before == 1 else f"all its {before:,} matches are"
        return f"Nothing of it is left: {gone} gone."
    if not after:
        stood = f" stood in {_blocks(effect.lost_in, 'dropped')}" if effect.lost_in else " are gone"
        return f"{_all_of(before)}{stood}: it is not found any more."
    if not (effect.lost or effect.gained) and before == after and _same_length(effect):
        moved = "; other documents moved" if effect.rises or effect.falls else ""
        return f"{_keeps_all(before)} and its length{moved}."
    gone = f" ({', '.join(map(isolated, effect.gone))} gone)" if effect.gone else ""
    return f"{_of_matches(effect)}{gone}; {_of_length(effect)}{_despite(effect)}."


def _found(effect: Effect) -> str:
    first = effect.cleaners[0]
    if effect.gained_in:
        where = f"{_blocks(effect.gained_in, '')} that {first} drops"
        return f"Found now: {_matches(effect.matches[1])} in {where}."
    return f"Found now: {_matches(effect.matches[1])}, none under {first}."


def _of_matches(effect: Effect) -> str:
    before, after = effect.matches
    lost, gained = effect.lost, effect.gained
    if lost - gained != before - after:
        # An extractor's text holds a block's words only roughly, so blocks do not add up.
        without = f", without {_blocks(effect.lost_in, '')} that held some"
        told = f"Has {_matches(after)} in place of {before:,}"
        return told + (without if effect.lost_in else "")
    told = _keeps_all(before)
    if lost:
        blocks = _blocks(effect.lost_in, "dropped")
        told = f"{lost:,} of its {_matches(before)} stood in {blocks}"
    if gained:
        where = _blocks(effect.gained_in, "")
        told += f", and it has {gained:,} more in {where} that {effect.cleaners[0]} drops"
    return told


def _of_length(effect: Effect) -> str:
    before, after = effect.tokens
    if before == after:
        return f"its length stays at {before:,} tokens"
    return (
        f"its text {'shrinks' if after < before else 'grows'} from {before:,} to {after:,} tokens"
    )


def _despite(effect: Effect) -> str:
    """Why it rose although it gained no match, or fell although it lost none."""
    before, after = effect.matches
    density = after * effect.tokens[0], before * effect.tokens[1]  # after and before, times both
    if effect.rises and after < before:
        return ", where they are denser" if density[0] > density[1] else ", yet others lose more"
    if effect.rises and after == before and density[0] < density[1]:
        return ", yet others lose more"
    if effect.falls and after >= before:
        return ", where they are sparser" if density[0] < density[1] else ", yet others gain more"
    return ""


def _same_length(effect: Effect) -> bool:
    return effect.tokens[0] == effect.tokens[1]


def _keeps_all(matches: int) -> str:
    return "Keeps its only match" if matches == 1 else f"Keeps all its {matches:,} matches"


def _all_of(matches: int) -> str:
    return "Its only match" if matches == 1 else f"All its {matches:,} matches"


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count:,} matches"


def _blocks(count: int, kind: str) -> str:
    return f"{count:,} {kind + ' ' if kind else ''}block{'' if count == 1 else 's'}"
