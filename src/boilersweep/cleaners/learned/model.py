"""Files of trained models: a JSON header with the provenance, and arrays. No pickle, no code.

A file is a NumPy archive (.npz) of plain arrays, read with allow_pickle=False; the header is one
of them, as UTF-8 bytes. The archive's comment is the SHA-256 of all bytes before it.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.page_model import KINDS
from boilersweep.errors import InputError, reason_of
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.parts import Output
from boilersweep.outputs.typed_files import as_builtins, decode_json

# Of SHA-256: among a million pages one is taken for one of 10,000 once in 28,000 times.
DIGEST_BYTES = 6


def page_digest(utf8: bytes) -> bytes:
    """Return the digest that identifies a page, given as UTF-8."""
    return hashlib.sha256(utf8).digest()[:DIGEST_BYTES]


def packed(digests: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return (n, DIGEST_BYTES) the digests of a model's pages, each once, sorted."""
    joined = b"".join(sorted(set(digests)))
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def unpacked(pages: NDArray[np.uint8]) -> frozenset[bytes]:
    """Return the digests of a model's pages as a set."""
    body = pages.tobytes()
    return frozenset(
        body[at : at + DIGEST_BYTES] for at in range(0, len(body), DIGEST_BYTES)
    )


FORMAT: Final = "boilersweep-model"
VERSION = 2
# What networks beside the estimator tell: whether a row is the headline, and whether a row that
# is neither headline nor content is a reader's comment.
CLASSES = ("headline", "comment")
# The largest file, and the largest unpacked arrays, in bytes.
MAX_BYTES = 64 * 1024 * 1024

_EXACT_LIMIT = 100.0
_LENGTH = 2
# Bytes of the length of a zip archive's comment, and of the length and the comment.
_COMMENT = _LENGTH + 64

# The errors of NumPy and zipfile for bytes that are no archive, or one with other parts.
_DAMAGE = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    OverflowError,
    MemoryError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)

Activation = Literal["relu", "tanh"]
Array = NDArray[Any]
FloatArray = NDArray[np.float32]


class ModelError(InputError):
    """A model file is missing, damaged, or not one that this version can use."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A feed-forward network with one output; without hidden layers a linear model.

    The features are standardised to (x - mean) * scale and cut to -limit and limit.

    Attributes:
        mean: (k,) Of the features.
        scale: (k,) Of the features.
        weights: For each layer a matrix of inputs by outputs.
        biases: For each layer (outputs,).
        activation: Of the hidden layers; the output's is logistic.
        limit: The largest standardised value.
    """

    mean: FloatArray
    scale: FloatArray
    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    activation: Activation = "relu"
    limit: float = 5.0

    @property
    def is_small(self) -> bool:
        """One hidden layer of relu, and inputs cut so that few bits hold exact sums."""
        return (
            len(self.weights) == 2
            and self.activation == "relu"
            and self.limit <= _EXACT_LIMIT
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A binary tree of t nodes, the root first and children behind their parents.

    Attributes:
        feature: (t,) The column that is compared, -1 in a leaf.
        threshold: (t,) The largest value that leads to the left.
        left: (t,) Nodes.
        right: (t,) Nodes.
        value: (t,) The probability of content in a leaf.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: FloatArray


Estimator = Network | Tree


# Measure -> value; a measure without a value is missing.
Scores = dict[str, float]


class SourceProvenance(msgspec.Struct, kw_only=True):
    """One dataset of a training.

    Attributes:
        dataset: The name of its kind.
        label: Its name beside other datasets.
        licence: The terms of its makers.
        pages: Its pages.
        rows: The rows with a label.
        share: Its share of all weights.
        held_out: What was left out ("site", "source" or "language") -> scores on its pages.
    """

    dataset: str
    label: str
    licence: str
    pages: int
    rows: int
    share: float
    held_out: dict[str, Scores]


class LanguageProvenance(msgspec.Struct, kw_only=True):
    """The pages of one language in a training, and scores as of `SourceProvenance`."""

    pages: int
    held_out: dict[str, Scores]


class ModelProvenance(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Where a model comes from.

    Attributes:
        trained_on: The labels of the datasets.
        licence: The terms of their makers.
        pages: The number of pages.
        rows: The number of rows.
        model: The kind of model.
        seed: Of the random numbers.
        command: The command that makes it again.
        cross_validation: Scores on sites that it had not seen, with the number of folds and how
            pages were grouped.
        sources: The datasets.
        languages: Language -> its pages and scores.
        versions: Of the libraries.
    """

    trained_on: str = ""
    licence: str = ""
    pages: int = 0
    rows: int = 0
    model: str = ""
    seed: int | None = None
    command: str = ""
    cross_validation: dict[str, int | float | str] = {}
    sources: list[SourceProvenance] = []
    languages: dict[str, LanguageProvenance] = {}
    versions: dict[str, str] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The result of `boilersweep train`.

    Attributes:
        features: The name of a feature set.
        version: The version of that set.
        columns: (k,) The places in it of the features that are read.
        estimator: What gives the probability of content.
        threshold: "page" if a page keeps what `page_choice` of
            `boilersweep.cleaners.learned.inference` chooses, "fixed" if it keeps blocks with a
            probability of .5.
        provenance: Where the model comes from.
        classes: CLASSES -> networks that read the same columns; empty if the file has none.
        kinds: A linear network of pages with an output for each of KINDS, which reads what
            `boilersweep.cleaners.learned.inference.page_features` makes of the same columns; None
            if the file has none.
        digest: SHA-256 of the file it was read from; "" before it is saved.
        pages: (n, DIGEST_BYTES) Digests of the pages it was trained on.
    """

    features: str
    version: int
    columns: NDArray[np.int32]
    estimator: Estimator
    threshold: Literal["page", "fixed"]
    provenance: ModelProvenance = field(default_factory=ModelProvenance)
    classes: Mapping[str, Network] = field(default_factory=dict)
    kinds: Network | None = None
    digest: str = ""
    pages: NDArray[np.uint8] = field(default_factory=lambda: packed(()))


class _TreeHeader(msgspec.Struct, tag_field="kind", tag="tree"):
    pass


class _NetworkHeader(msgspec.Struct, tag_field="kind", tag="network"):
    layers: int
    activation: Activation
    limit: float


class _Header(msgspec.Struct):
    format: Literal["boilersweep-model"]
    format_version: int
    features: str
    features_version: int
    threshold: Literal["page", "fixed"]
    estimator: _NetworkHeader | _TreeHeader
    classes: dict[str, _NetworkHeader]
    kinds: _NetworkHeader | None
    provenance: ModelProvenance


def save_model(model: Model, path: Path) -> None:
    """Write a model; the same model gives the same bytes."""
    estimator = model.estimator
    arrays: dict[str, Array] = {"columns": model.columns}
    if isinstance(estimator, Tree):
        arrays |= {name: getattr(estimator, name) for name in Tree.__slots__}
    header = _Header(
        FORMAT,
        VERSION,
        model.features,
        model.version,
        model.threshold,
        _TreeHeader()
        if isinstance(estimator, Tree)
        else _add_network(arrays, estimator),
        {
            name: _add_network(arrays, network, f"{name}.")
            for name, network in model.classes.items()
        },
        _add_network(arrays, model.kinds, "kinds.") if model.kinds else None,
        model.provenance,
    )
    arrays["pages"] = model.pages
    text = json.dumps(as_builtins(header), indent=1, ensure_ascii=False).encode("utf-8")
    arrays["header"] = np.frombuffer(text, dtype=np.uint8)
    path.write_bytes(_sealed(_packed(arrays)))


def _add_network(
    arrays: dict[str, Array], network: Network, prefix: str = ""
) -> _NetworkHeader:
    """Add a network's arrays to those of a file, and return its part of the header."""
    arrays |= {f"{prefix}mean": network.mean, f"{prefix}scale": network.scale}
    for layer, (weights, biases) in enumerate(
        zip(network.weights, network.biases, strict=True)
    ):
        arrays[f"{prefix}weights{layer}"] = _compact(weights)
        arrays[f"{prefix}biases{layer}"] = _compact(biases)
    return _NetworkHeader(len(network.weights), network.activation, network.limit)


def load_model(path: Path) -> Model:
    """Read a model; raises ModelError if the file is not a whole model of this version."""
    try:
        body = read_regular(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"cannot read the model file {path}: {reason_of(error)}"
        ) from error
    try:
        model = _model(_unpacked(body))
        _require_seal(body)
        return replace(model, digest=hashlib.sha256(body).hexdigest())
    except ModelError as error:
        raise ModelError(
            f"{path}: {error}; a model file is what `boilersweep train` writes"
        ) from error


def _compact(array: FloatArray) -> Array:
    """Return an array with two bytes per number if that loses nothing."""
    half = array.astype(np.float16)
    return half if np.array_equal(half.astype(np.float32), array) else array


def _packed(arrays: Mapping[str, Array]) -> bytes:
    """Return the archive, with one fixed date: np.savez writes the time of day into it."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = BytesIO()
            np.lib.format.write_array(
                member, np.ascontiguousarray(array), allow_pickle=False
            )
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, member.getvalue())
    return buffer.getvalue()


def _sealed(archive: bytes) -> bytes:
    """Return an archive without a comment with the SHA-256 of its bytes as its comment."""
    comment = hashlib.sha256(archive).hexdigest().encode()
    return archive[:-_LENGTH] + struct.pack("<H", len(comment)) + comment


def _require_seal(body: bytes) -> None:
    if _sealed(body[:-_COMMENT] + bytes(_LENGTH)) != body:
        raise ModelError(
            "its bytes do not match the digest in it: it was changed or cut"
        )


def _unpacked(body: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_BYTES:
            raise ModelError(
                f"expected arrays of at most {MAX_BYTES:,} bytes, got {size:,}"
            )
        with np.load(BytesIO(body), allow_pickle=False) as archive_of_arrays:
            return {name: archive_of_arrays[name] for name in archive_of_arrays.files}
    except _DAMAGE as error:
        raise ModelError(
            f"expected a NumPy archive of plain arrays ({error})"
        ) from error


def _model(arrays: Mapping[str, Array]) -> Model:
    text = bytes(_array(arrays, "header", 1, "u"))
    try:
        header = decode_json(text, _Header)
    except (ValueError, MemoryError) as error:
        raise ModelError(
            f"expected a header in JSON of the format {FORMAT} ({error})"
        ) from error
    if header.format_version != VERSION:
        raise ModelError(
            f"expected format version {VERSION}, got {header.format_version}: train it again with "
            "this version of boilersweep"
        )
    columns = _array(arrays, "columns", 1, "i").astype(np.int32)
    width = len(columns)
    estimator, kinds = header.estimator, header.kinds
    return Model(
        features=header.features,
        version=header.features_version,
        columns=columns,
        estimator=_tree(arrays, width)
        if isinstance(estimator, _TreeHeader)
        else _network(arrays, estimator, width),
        threshold=header.threshold,
        provenance=header.provenance,
        classes={
            name: _network(arrays, network, width, f"{name}.")
            for name, network in header.classes.items()
        },
        kinds=_network(arrays, kinds, width + 2, "kinds.", len(KINDS))
        if kinds
        else None,
        pages=_pages(arrays),
    )


def _network(
    arrays: Mapping[str, Array],
    header: _NetworkHeader,
    width: int,
    prefix: str = "",
    outputs: int = 1,
) -> Network:
    """Return a network of a file.

    Args:
        arrays: The arrays of the file.
        header: The network's part of the header.
        width: The number of inputs.
        prefix: Of the arrays' names.
        outputs: The number of outputs.
    """

    def floats(name: str, dimensions: int) -> FloatArray:
        return _array(arrays, f"{prefix}{name}", dimensions, "f").astype(np.float32)

    layers = range(header.layers)
    network = Network(
        mean=floats("mean", 1),
        scale=floats("scale", 1),
        weights=tuple(floats(f"weights{n}", 2) for n in layers),
        biases=tuple(floats(f"biases{n}", 1) for n in layers),
        activation=header.activation,
        limit=header.limit,
    )
    inputs = [width, *(len(biases) for biases in network.biases)]
    shapes = [weights.shape for weights in network.weights]
    if (
        not shapes
        or shapes != list(pairwise(inputs))
        or inputs[-1] != outputs
        or len(network.mean) != width
        or len(network.scale) != width
        or not network.limit > 0
    ):
        raise ModelError(
            f"the layers {shapes} do not fit {width} features and {outputs} outputs"
        )
    return network


def _tree(arrays: Mapping[str, Array], width: int) -> Tree:
    tree = Tree(
        feature=_array(arrays, "feature", 1, "i").astype(np.int32),
        threshold=_array(arrays, "threshold", 1, "f").astype(np.float64),
        left=_array(arrays, "left", 1, "i").astype(np.int32),
        right=_array(arrays, "right", 1, "i").astype(np.int32),
        value=_array(arrays, "value", 1, "f").astype(np.float32),
    )
    count = len(tree.feature)
    inner = tree.feature >= 0
    nodes = np.arange(count)
    if not count or any(len(getattr(tree, name)) != count for name in Tree.__slots__):
        raise ModelError("the arrays of the tree have different lengths")
    children = np.minimum(tree.left, tree.right)[inner]
    furthest = np.maximum(tree.left, tree.right)[inner]
    if (
        (children <= nodes[inner]).any()
        or (furthest >= count).any()
        or tree.feature.max() >= width
    ):
        raise ModelError("the tree's nodes are not in order")
    return tree


def _pages(arrays: Mapping[str, Array]) -> NDArray[np.uint8]:
    pages = _array(arrays, "pages", 2, "u")
    if pages.shape[1] != DIGEST_BYTES or pages.dtype != np.uint8:
        raise ModelError(
            f"expected digests of {DIGEST_BYTES} bytes, got the shape {pages.shape}"
        )
    return pages


def _array(arrays: Mapping[str, Array], name: str, dimensions: int, kind: str) -> Array:
    """Return an array of the file; `kind` is NumPy's letter of its type."""
    if name not in arrays:
        raise ModelError(f"the array {name} is missing")
    array = arrays[name]
    if array.ndim != dimensions or array.dtype.kind != kind:
        raise ModelError(
            f"the array {name} has shape {array.shape} and type {array.dtype}"
        )
    if kind == "f" and not np.isfinite(array).all():
        raise ModelError(f"the array {name} has values that are not finite")
    return array


def _verify(path: Path, _: object, __: object) -> Iterator[str]:
    load_model(path)
    yield from ()


MODEL = Output(
    name="model",
    command="train",
    facts=dict[str, Any],
    verify=_verify,
    is_log=True,
    marks=lambda path: path.suffix == ".npz" and not path.is_dir(),
)
