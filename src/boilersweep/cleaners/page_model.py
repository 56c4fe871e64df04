"""What a model says of pages and their blocks: kinds, classes, and how sure it is."""

from typing import Protocol

from boilersweep.applications import provided, required
from boilersweep.cleaners.rules import Rule
from boilersweep.errors import BoilersweepError
from boilersweep.pages.columns import BlockColumns, FloatArray

# The class of a block.
BLOCK_CLASSES = ("main text", "headline", "comment", "rest")
# Kinds of pages.
KINDS = ("article", "documentation", "forum", "listing", "product", "service")


class PageModel(Rule, Protocol):
    """A rule by a model that knows kinds of pages and classes of blocks."""

    def model_digest(self) -> str:
        """Return the SHA-256 of the model file."""

    def class_probabilities(self, columns: BlockColumns) -> dict[str, FloatArray]:
        """Return class of BLOCK_CLASSES -> (m,) the probability of every block."""

    def kinds(self, columns: BlockColumns) -> FloatArray:
        """Return (n, len(KINDS)) the probability of every kind of page, for each document."""

    def likely_kinds(self, columns: BlockColumns) -> list[str]:
        """Return the likeliest of KINDS for each document."""

    def confidences(self, columns: BlockColumns) -> FloatArray:
        """Return (n,) the F1 that may be expected of each document's main text, in 0 to 1."""

    def class_texts(self, columns: BlockColumns) -> list[tuple[str, str]]:
        """Return for each document its headline and its comments, or ""."""


_MODEL = "boilersweep.cleaners.learned.cleaner:Learned"
_READER = "boilersweep.cleaners.learned.features:compiled_reader"


def has_model() -> bool:
    """Return whether there is a shipped model: `learned` may have been deleted."""
    return provided(_MODEL) is not None


def why_no_model() -> str:
    """Return why the shipped model cannot be used, "" if it can: it needs compiled code."""
    reader = provided(_READER)
    if reader is None:
        return "this copy of boilersweep lacks `learned`"
    try:
        reader()
    except BoilersweepError as error:
        return str(error)
    return ""


def shipped_model() -> PageModel:
    """Return the shipped model; raises UsageError without `learned`."""
    model: PageModel = required(_MODEL, "the kind or class of a text")()
    return model
