"""Which of the judged pages a model was trained on: its row flatters by them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from boilersweep.cleaners.rules import parts
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.judge import Judged, Judgements, NamedExtractor


def training_notes(cleaners: Sequence[Judged], dataset: Dataset, found: Judgements) -> list[str]:
    """A sentence or two for each model that has seen some of the pages, or does not say which."""
    return [note for rule in _models(cleaners) if (note := _note(rule, dataset, found.pages))]


def _note(rule: Any, dataset: Dataset, pages: Sequence[bytes]) -> str:
    """rule: with `provenance` and `training_pages`. pages: what the judged ones are known by."""
    provenance: Mapping[str, Any] = rule.provenance
    trained: frozenset[bytes] = rule.training_pages
    if trained:
        seen = sum(page in trained for page in pages)
        if not seen:
            return ""
        note = f"{seen:,} of {len(pages):,} pages of {dataset.label} were in the training of {rule}"
    elif provenance.get("trained_on") == dataset.name:
        note = (
            f"{rule} was trained on pages of {dataset.name}, and its file does not say which: "
            "where they are among these"
        )
    else:
        return ""
    return f"{note}: its row flatters.{_elsewhere(provenance)}"


def _elsewhere(provenance: Mapping[str, Any]) -> str:
    scores = provenance.get("cross_validation", {})
    if not {"bag_f1", "word_f1"} <= scores.keys():
        return ""
    return (
        f" On sites it had not seen it reached a mean F1 of {scores['bag_f1']:.3f} and a mean word "
        f"F1 of {scores['word_f1']:.3f}."
    )


def _models(cleaners: Sequence[Judged]) -> Iterator[Any]:
    """The rules with a model, each once, also those within other rules."""
    named: set[str] = set()
    for cleaner in cleaners:
        if isinstance(cleaner, NamedExtractor):
            continue
        for rule in parts(cleaner):
            if hasattr(rule, "training_pages") and str(rule) not in named:
                named.add(str(rule))
                yield rule
