"""Judged pages that a model was trained on: its row flatters."""

from collections.abc import Sequence
from typing import Any

from boilersweep.cleaners.learned.model import ModelProvenance
from boilersweep.cleaners.rules import parts
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.judge import Judged, Judgements
from boilersweep.extractors.registry import Extractor


def training_notes(
    cleaners: Sequence[Judged], dataset: Dataset, found: Judgements
) -> list[str]:
    """Return a note for each model that has seen some of the pages."""
    rules = (
        rule
        for cleaner in cleaners
        if not isinstance(cleaner, Extractor)
        for rule in parts(cleaner)
        if hasattr(rule, "training_pages")
    )
    models = {str(rule): rule for rule in rules}  # each once, also within other rules
    notes = (_note(rule, dataset, found.pages) for rule in models.values())
    return list(filter(None, notes))


def _note(rule: Any, dataset: Dataset, pages: Sequence[bytes]) -> str:
    """Return the note on one model, or "".

    Args:
        rule: A rule with `provenance` and `training_pages`.
        dataset: The judged dataset.
        pages: The digests of its pages.
    """
    trained: frozenset[bytes] = rule.training_pages
    seen = sum(page in trained for page in pages)
    if not seen:
        return ""
    note = f"{seen:,} of {len(pages):,} pages of {dataset.label} were in the training of {rule}"
    provenance: ModelProvenance = rule.provenance
    scores = provenance.cross_validation
    elsewhere = ""
    if {"bag_f1", "word_f1"} <= scores.keys():
        elsewhere = (
            f" On sites it had not seen it reached a mean F1 of {scores['bag_f1']:.3f} and a mean "
            f"word F1 of {scores['word_f1']:.3f}."
        )
    return f"{note}: its row flatters.{elsewhere}"
