"""The cleaner: a trained model as a keep rule."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.features import (
    FEATURE_SETS,
    PARAGRAPHS,
    compiled_reader,
    rated_paragraphs,
)
from boilersweep.cleaners.learned.inference import (
    Rows,
    expected_f1,
    kind_probabilities,
    likeliest,
    page_choice,
    page_features,
    probabilities,
    related,
)
from boilersweep.cleaners.learned.model import (
    CLASSES,
    Estimator,
    Model,
    ModelError,
    ModelProvenance,
    Network,
    load_model,
    unpacked,
)
from boilersweep.cleaners.page_model import BLOCK_CLASSES, KINDS
from boilersweep.cleaners.rules import NamedRule, Parameter
from boilersweep.errors import UsageError, reason_of
from boilersweep.pages.columns import (
    STRUCTURE,
    TEXTS,
    BlockColumns,
    BoolArray,
    FloatArray,
    documents_of,
    nearest,
    structure_of,
)
from boilersweep.pages.hints import hinting

# The shipped model; its provenance states what it was trained on.
SHIPPED = Path(__file__).with_name("learned.npz")


# The least probability at which text that is not content is a comment.
COMMENT = 0.5

# The least probability at which a page's likeliest headline is kept.
HEADLINE = 0.1

# Classes and ids of elements of readers' comments.
_COMMENT = re.compile(
    r"comments?|comments?[-_]?(?:list|box|area|section|thread|container|wrapper|item|body|"
    r"content|text)|(?:reader|user)[-_]?comments?|disqus_thread",
    re.IGNORECASE,
)

_TOLD = ("trained_on", "pages", "licence")  # of a provenance

_BLOCKS = 16384  # whose features are in memory at a time
_ROWS = 1024  # rows at a time: a layer's results stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Learned(NamedRule):
    """Keeps what a trained model takes for main text and headline, and comments if asked.

    `learned>=0.5` compares the probability of each block with a threshold: that it is main text
    or headline, or, with comments, one of the three.

    With the shipped model a page that has a word keeps at least one paragraph: the most probable
    paragraph is always chosen.

    Attributes:
        path: A file from `boilersweep train`; "" for SHIPPED.
        digest: SHA-256 of the model file, which must not be replaced while it is in use; "" accepts
            any file.
        comments: Whether to keep readers' comments, too.
    """

    name = "learned"
    parameters = (Parameter("FILE", "a text in quotes", optional=True),)
    switches = ("comments",)
    summary = "blocks that a trained model classifies as content"
    source = "boilersweep train"
    needs = TEXTS | STRUCTURE
    rating_range = (0.0, 1.0)

    path: str = ""
    digest: str = ""
    comments: bool = False

    @classmethod
    def made_of(cls, *arguments: Any, **switches: bool) -> Self:
        """Return the cleaner of a model file, which is read; raises UsageError before any work."""
        if arguments == ("",):
            raise UsageError(
                "expected a model file, got no name; learned alone is the shipped one"
            )
        rule = cls(*arguments)
        try:
            model = rule.model
        except ModelError as error:
            raise UsageError(str(error)) from error
        if switches and not model.classes:
            raise UsageError(
                f"{rule.path or SHIPPED.name}: the model has no class of comments"
            )
        return replace(
            rule, digest=model.digest, comments=switches.get("comments", False)
        )

    @property
    def provenance(self) -> ModelProvenance:
        """The model's data, licence, scores, and the command that made it."""
        return self.model.provenance

    @property
    def training_pages(self) -> frozenset[bytes]:
        """The digests of the pages it was trained on."""
        return unpacked(self.model.pages)

    @property
    def model(self) -> Model:
        """The model; raises ModelError if it cannot be used, or was replaced."""
        path = Path(self.path) if self.path else SHIPPED
        model = usable_model(path)
        if self.digest and model.digest != self.digest:
            raise ModelError(
                f"{path} was replaced while it was in use (SHA-256 {self.digest[:12]}... before, "
                f"{model.digest[:12]}... now); run the command again"
            )
        return model

    def model_digest(self) -> str:
        """Return the SHA-256 of the model file."""
        return self.model.digest

    @property
    def models(self) -> dict[str, str]:
        """Path of the model file, "shipped" for ours -> its SHA-256."""
        return {self.path or "shipped": self.model_digest()}

    @property
    def facts(self) -> dict[str, Any]:
        """Where the model comes from, and its word F1 on sites that it had not seen."""
        provenance = self.provenance
        known = {name: getattr(provenance, name) for name in _TOLD}
        known["word_f1"] = provenance.cross_validation.get("word_f1")
        model = {name: value for name, value in known.items() if value}
        return {"model": model} if model else {}

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that stays."""
        model = self.model
        kept = self._of_blocks(
            columns, model, CLASSES[: 1 + self.comments], partial(self._kept, model)
        ).astype(bool)
        return kept if self.comments else kept & ~marked_comments(columns, self, kept)

    def ratings(self, columns: BlockColumns) -> FloatArray:
        """Return (m,) the probability that every block, or rather its paragraph, is kept.

        It is computed once for all thresholds on the same columns.
        """
        model = self.model
        classes = CLASSES[: 1 + self.comments] if model.classes else ()

        def kept(rows: Rows) -> FloatArray:
            dropped = 1 - content_of(model, rows)
            for name in classes:
                dropped *= 1 - class_of(model, name, rows)
            return 1 - dropped

        key = (Learned, model.digest, self.comments)
        if key not in columns.memo:
            columns.memo[key] = self._of_blocks(columns, model, classes, kept)
        memo: FloatArray = columns.memo[key]
        return memo

    def class_probabilities(self, columns: BlockColumns) -> dict[str, FloatArray]:
        """Return class -> (m,) the probability of every block; empty without classes."""
        model = self.model
        if not model.classes:
            return {}

        def probabilities_of(rows: Rows) -> FloatArray:
            content = content_of(model, rows)
            headline, comment = (class_of(model, name, rows) for name in CLASSES)
            rest = (1 - headline) * (1 - content)
            return np.column_stack(
                [
                    (1 - headline) * content,
                    headline,
                    rest * comment,
                    rest * (1 - comment),
                ]
            )

        found = self._of_blocks(columns, model, CLASSES, probabilities_of).reshape(
            -1, len(BLOCK_CLASSES)
        )
        return dict(zip(BLOCK_CLASSES, found.T, strict=True))

    def kinds(self, columns: BlockColumns) -> FloatArray:
        """Return (n, len(KINDS)) the probability of every kind of page, for each document.

        Raises:
            UsageError: The model has no kinds.
        """
        model = self.model
        if not model.kinds:
            raise UsageError(
                f"{self.path or SHIPPED.name}: the model has no kinds of pages"
            )
        likely = [np.zeros((0, len(KINDS)))]
        for part in _batches(columns):
            rows = FEATURE_SETS[model.features].rows(part, self)
            rows = replace(rows, values=rows.values[:, model.columns])
            likely.append(kind_probabilities(model.kinds, page_features(rows)))
        return np.concatenate(likely)

    def likely_kinds(self, columns: BlockColumns) -> list[str]:
        """Return the likeliest of KINDS for each document; raises as `kinds`."""
        return likeliest(self.kinds(columns))

    def confidences(self, columns: BlockColumns) -> FloatArray:
        """Return (n,) the F1 that may be expected of each document's main text, in 0 to 1."""
        model = self.model
        confidences = [np.zeros(0)]
        for rows in self.rows(columns, model, ()):
            content = content_of(model, rows)
            confidences.append(
                expected_f1(content, rows, chosen_rows(model, content, rows))
            )
        return np.concatenate(confidences)

    def class_texts(self, columns: BlockColumns) -> list[tuple[str, str]]:
        """Return for each document its headline, and the comments that `learned` drops, or "".

        Raises:
            UsageError: The model has no classes.
        """
        model = self.model
        if not model.classes:
            raise UsageError(
                f"{self.path or SHIPPED.name}: the model has no classes of blocks"
            )
        headline = self._of_blocks(
            columns, model, CLASSES, partial(headline_rows, model)
        )
        comment = self._of_blocks(
            columns,
            model,
            CLASSES,
            lambda rows: comment_rows(model, rows) & ~kept_rows(model, rows),
        )
        return [
            (
                " ".join(compress(columns.texts[a:b], headline[a:b])),
                "\n".join(compress(columns.texts[a:b], comment[a:b])),
            )
            for a, b in pairwise(columns.starts.tolist())
        ]

    def _kept(self, model: Model, rows: Rows) -> BoolArray:
        """Return (r,) True for every row that stays."""
        kept = kept_rows(model, rows)
        return kept | comment_rows(model, rows) if self.comments else kept

    def _of_blocks(
        self,
        columns: BlockColumns,
        model: Model,
        classes: tuple[str, ...],
        compute: Callable[[Rows], FloatArray | BoolArray],
    ) -> NDArray[Any]:
        """Return (m, ...) for each block what is computed for its row."""
        rows = self.rows(columns, model, classes)
        parts = [compute(part)[part.of_blocks] for part in rows]
        return np.concatenate(parts) if parts else np.zeros(0)

    def rows(
        self, columns: BlockColumns, model: Model, classes: tuple[str, ...]
    ) -> Iterator[Rows]:
        """Yield the rows that the model reads, of some documents after the other."""
        of_classes = (model.classes[name] for name in classes if name in model.classes)
        estimators: list[Estimator] = [model.estimator, *of_classes]
        small = [
            estimator
            for estimator in estimators
            if isinstance(estimator, Network) and estimator.is_small
        ]
        if model.features == PARAGRAPHS and len(small) == len(estimators):
            yield rated_paragraphs(columns, self, model, small)
            return
        for part in _batches(columns):
            yield FEATURE_SETS[model.features].rows(part, self)

    def __str__(self) -> str:
        given = [f"'{self.path}'"] * bool(self.path) + ["comments=yes"] * self.comments
        return f"{self.name}({', '.join(given)})" if given else self.name


def marked_comments(
    columns: BlockColumns, reader: object, kept: BoolArray
) -> BoolArray:
    """Return (m,) True for the blocks in elements that class or id name readers' comments.

    Not on a page that these elements hold the h1 of, or more kept words than all others: forums
    name posts so, too.

    Args:
        columns: The blocks.
        reader: Reads the structure.
        kept: (m,) The blocks that are kept of all.
    """
    structure = structure_of(columns, reader)
    is_mark = np.zeros(len(structure.mark_list), dtype=bool)
    for place in hinting(structure.mark_list, ("omment", "_thread")):
        is_mark[place] = _names_comments(structure.mark_list[place])
    if not is_mark.any():
        return np.zeros(len(columns.words), dtype=bool)
    is_h1 = np.array([name == "h1" for name in structure.name_list], dtype=bool)
    named = is_mark[structure.marks]
    roots = structure.starts[:-1][np.diff(structure.starts) > 0]
    named[roots] = False
    around = nearest(named, structure.parents)
    within: BoolArray = named[around][structure.elements]
    words = np.where(kept, columns.words, 0)
    documents = len(columns.starts) - 1
    weights = np.where(within, words, -words)
    is_more = np.bincount(columns.owners, weights, documents) > 0
    has_h1 = within & is_h1[structure.names][structure.elements]
    is_more |= np.bincount(columns.owners, has_h1, documents) > 0
    return within & ~is_more[columns.owners]


def _names_comments(mark: str) -> bool:
    """Return whether an element's classes and id call it readers' comments."""
    return any(map(_COMMENT.fullmatch, mark.split()))


def usable_model(path: Path) -> Model:
    """Read a model whose features this version computes; raises BoilersweepError."""
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        raise ModelError(
            f"cannot read the model file {path}: {reason_of(error)}"
        ) from error
    return _loaded(path, stat.st_ino, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=16)
def _loaded(path: Path, _inode: int, _size: int, _changed: int) -> Model:
    model = load_model(path)
    if model.features == PARAGRAPHS:
        compiled_reader()  # fails before any work
    known = FEATURE_SETS.get(model.features)
    if known is None:
        raise ModelError(
            f"{path}: expected the features {', '.join(FEATURE_SETS)}, got {model.features!r}"
        )
    if known.version != model.version:
        raise ModelError(
            f"{path}: it reads version {model.version} of the features {model.features!r}, and "
            f"this boilersweep has version {known.version}: train it again"
        )
    read = model.columns
    if len(read) and (read.min() < 0 or read.max() >= len(known.names)):
        raise ModelError(
            f"{path}: it reads features that {model.features!r} does not have"
        )
    return model


def rated(model: Model, estimator: Estimator, rows: Rows) -> NDArray[np.float64]:
    """Return (r,) the result of one of a model's estimators for every row."""
    if estimator in rows.rated:
        return rows.rated[estimator]
    ratings = np.zeros(len(rows.words))
    for at in range(0, len(ratings), _ROWS):
        part = slice(at, at + _ROWS)
        ratings[part] = probabilities(estimator, rows.values[part][:, model.columns])
    return ratings


def content_of(model: Model, rows: Rows) -> NDArray[np.float64]:
    """Return (r,) the probability that each row is content."""
    content = related(rated(model, model.estimator, rows), rows)
    return np.where(rows.excluded, 0.0, content)


def class_of(model: Model, name: str, rows: Rows) -> NDArray[np.float64]:
    """Return (r,) the probability that each row is of one of a model's classes."""
    return np.where(rows.excluded, 0.0, rated(model, model.classes[name], rows))


def _batches(columns: BlockColumns) -> Iterator[BlockColumns]:
    """Yield some documents after the other: at most _BLOCKS blocks, or one document.

    Features take 2 KB per block.
    """
    starts = columns.starts
    first = 0
    while first < len(starts) - 1:
        end = int(np.searchsorted(starts, starts[first] + _BLOCKS, side="right")) - 1
        end = max(end, first + 1)
        documents = np.zeros(len(columns), dtype=bool)
        documents[first:end] = True
        yield columns if documents.all() else documents_of(columns, documents)
        first = end


def kept_rows(model: Model, rows: Rows) -> BoolArray:
    """Return (r,) True for every row that stays."""
    keep = chosen_rows(model, content_of(model, rows), rows)
    if "headline" in model.classes:
        keep |= headline_rows(model, rows)
    return keep


def chosen_rows(model: Model, content: NDArray[np.float64], rows: Rows) -> BoolArray:
    """Return (r,) True for every row that is chosen as main text by its probability of content."""
    return content >= 0.5 if model.threshold == "fixed" else page_choice(content, rows)


def comment_rows(model: Model, rows: Rows) -> BoolArray:
    """Return (r,) True for every likely comment."""
    likely: BoolArray = class_of(model, "comment", rows) >= COMMENT
    return likely


def headline_rows(model: Model, rows: Rows) -> BoolArray:
    """Return (r,) True for the likeliest headline of each page, if any."""
    likely = class_of(model, "headline", rows)
    highest = np.full(len(rows.starts) - 1, HEADLINE)
    np.maximum.at(highest, rows.owners, likely)
    headlines: BoolArray = likely >= highest[rows.owners]
    return headlines
