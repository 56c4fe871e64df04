"""Files of trained models: a JSON header with the provenance, and arrays. No pickle, no code.

A file is a NumPy archive (.npz) of plain arrays, read with allow_pickle=False; the header is one
of them, as UTF-8 bytes. The archive's comment is the SHA-256 of all bytes before it.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import InputError, reason_of
from boilersweep.outputs.files import read_regular

DIGEST_BYTES = 6
"""Of SHA-256: among a million pages one is taken for one of 10,000 once in 28,000 times."""


def page_digest(utf8: bytes) -> bytes:
    """What a page is known by. utf8: the page, decoded and as UTF-8."""
    return hashlib.sha256(utf8).digest()[:DIGEST_BYTES]


def packed(digests: Iterable[bytes]) -> NDArray[np.uint8]:
    """(n, DIGEST_BYTES) the digests of a model's pages, each once, sorted."""
    joined = b"".join(sorted(set(digests)))
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def unpacked(pages: NDArray[np.uint8]) -> frozenset[bytes]:
    """The digests of a model's pages."""
    body = pages.tobytes()
    return frozenset(body[at : at + DIGEST_BYTES] for at in range(0, len(body), DIGEST_BYTES))


FORMAT = "boilersweep-model"
VERSION = 2
CLASSES = ("headline", "comment")
"""What networks beside the estimator tell: whether a row is the headline, and whether what is
neither headline nor content is a reader's comment."""
BLOCK_CLASSES = ("main text", "headline", "comment", "rest")
"""What a block is, by all networks together."""
KINDS = ("article", "documentation", "forum", "listing", "product", "service")
"""Kinds of pages."""
MAX_BYTES = 64 * 1024 * 1024
"""Bytes of a file, and of its arrays unpacked, that are read at most."""

_EXACT_LIMIT = 100.0
_LENGTH = 2
_COMMENT = _LENGTH + 64
"""Bytes of the length of a zip archive's comment, and of the length and the comment."""

_DAMAGE = (
    *(ValueError, OSError, EOFError, KeyError, OverflowError, MemoryError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error, struct.error),
)
"""What NumPy and zipfile raise of bytes that are no archive, or one with other parts."""

Array = NDArray[Any]
FloatArray = NDArray[np.float32]


class ModelError(InputError):
    """A model file is missing, damaged, or not one that this version can use."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A feed-forward network with one output; without hidden layers a linear model.

    mean, scale: (k,) of the features, which are standardised to (x - mean) * scale and cut to
    -limit and limit. weights: for each layer a matrix of inputs by outputs. biases: for each
    layer (outputs,). activation: of the hidden layers, "relu", "tanh" or "logistic"; the output's
    is logistic.
    """

    mean: FloatArray
    scale: FloatArray
    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    activation: str = "relu"
    limit: float = 5.0

    @property
    def has_exact_sums(self) -> bool:
        """Whether the inputs are cut so that sums of them fit double precision."""
        return self.limit <= _EXACT_LIMIT

    @property
    def is_small(self) -> bool:
        """One hidden layer of relu and exact sums, as the compiled path has it."""
        return len(self.weights) == 2 and self.activation == "relu" and self.has_exact_sums


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A binary tree of t nodes, the root first and children behind their parents.

    feature: (t,) which column is looked at, -1 in a leaf. threshold: (t,) up to which one goes
    left. left, right: (t,) nodes. value: (t,) the probability of content in a leaf.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: FloatArray


Estimator = Network | Tree


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What `boilersweep train` leaves.

    features: the name of a feature set. version: of that set. columns: (k,) the places in it of
    the features that are read. threshold: what a page keeps: "page", what `page_choice` of
    `boilersweep.cleaners.learned.inference` takes of the page, or "fixed", blocks with a
    probability of .5.
    provenance: where it comes from: data, licence, seed, versions, scores, command.
    classes: CLASSES -> networks that read the same columns; none where the file has none.
    kinds: a linear network of pages with an output for each of KINDS, which reads what
    `boilersweep.cleaners.learned.page_kinds.page_features` makes of the same columns; None where
    the file has none.
    digest: SHA-256 of the file it was read from; "" before it is saved.
    pages: (n, DIGEST_BYTES) digests of the pages it was trained on (see
    `boilersweep.cleaners.learned.model`), none where the file does not say.
    """

    features: str
    version: int
    columns: NDArray[np.int32]
    estimator: Estimator
    threshold: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    classes: Mapping[str, Network] = field(default_factory=dict)
    kinds: Network | None = None
    digest: str = ""
    pages: NDArray[np.uint8] = field(default_factory=lambda: packed(()))


def save_model(model: Model, path: Path) -> None:
    """Write a model; the same model gives the same bytes."""
    header: dict[str, Any] = {
        "format": FORMAT,
        "format_version": VERSION,
        "features": model.features,
        "features_version": model.version,
        "threshold": model.threshold,
        "estimator": _described(model.estimator),
        "classes": {name: _described(network) for name, network in model.classes.items()},
        "kinds": _described(model.kinds) if model.kinds else None,
        "provenance": dict(model.provenance),
    }
    arrays: dict[str, Array] = {"columns": model.columns}
    estimator = model.estimator
    if isinstance(estimator, Tree):
        arrays |= {name: getattr(estimator, name) for name in Tree.__slots__}
    else:
        arrays |= _network_arrays(estimator)
    for name, network in model.classes.items():
        arrays |= _network_arrays(network, f"{name}.")
    if model.kinds:
        arrays |= _network_arrays(model.kinds, "kinds.")
    if len(model.pages):
        arrays["pages"] = model.pages
    text = json.dumps(header, indent=1, ensure_ascii=False)
    arrays["header"] = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    path.write_bytes(_sealed(_packed(arrays)))


def _network_arrays(network: Network, prefix: str = "") -> dict[str, Array]:
    arrays: dict[str, Array] = {f"{prefix}mean": network.mean, f"{prefix}scale": network.scale}
    for layer, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True)):
        arrays[f"{prefix}weights{layer}"] = _compact(weights)
        arrays[f"{prefix}biases{layer}"] = _compact(biases)
    return arrays


def _described(estimator: Estimator) -> dict[str, Any]:
    if isinstance(estimator, Tree):
        return {"kind": "tree"}
    return {
        "kind": "network",
        "layers": len(estimator.weights),
        "activation": estimator.activation,
        "limit": estimator.limit,
    }


def load_model(path: Path) -> Model:
    """Read a model; raises ModelError where the file is not a whole model of this version."""
    try:
        body = read_regular(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read the model file {path}: {reason_of(error)}") from error
    try:
        model = _model(_unpacked(body))
        _require_seal(body)
        return replace(model, digest=hashlib.sha256(body).hexdigest())
    except ModelError as error:
        raise ModelError(
            f"{path}: {error}; a model file is what `boilersweep train` writes"
        ) from error


def _compact(array: FloatArray) -> Array:
    """Of two bytes per number where that loses nothing."""
    half = array.astype(np.float16)
    return half if np.array_equal(half.astype(np.float32), array) else array


def _packed(arrays: Mapping[str, Array]) -> bytes:
    """The archive, with one fixed date: np.savez writes the time of day into it."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, member.getvalue())
    return buffer.getvalue()


def _sealed(archive: bytes) -> bytes:
    """An archive without a comment, with the SHA-256 of its bytes as its comment."""
    comment = hashlib.sha256(archive).hexdigest().encode()
    return archive[:-_LENGTH] + struct.pack("<H", len(comment)) + comment


def _require_seal(body: bytes) -> None:
    if _sealed(body[:-_COMMENT] + bytes(_LENGTH)) != body:
        raise ModelError("its bytes do not match the digest in it: it was changed or cut")


def _unpacked(body: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_BYTES:
            raise ModelError(f"expected arrays of at most {MAX_BYTES:,} bytes, got {size:,}")
        with np.load(BytesIO(body), allow_pickle=False) as archive_of_arrays:
            return {name: archive_of_arrays[name] for name in archive_of_arrays.files}
    except _DAMAGE as error:
        raise ModelError(f"expected a NumPy archive of plain arrays ({error})") from error


def _model(arrays: Mapping[str, Array]) -> Model:
    try:
        header = json.loads(bytes(_array(arrays, "header", 1, "u")))
    except (ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"expected a header in JSON ({error})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"expected a header with the format {FORMAT!r}")
    if header.get("format_version") != VERSION:
        raise ModelError(
            f"expected format version {VERSION}, got {header.get('format_version')!r}: "
            "train it anew with this version of boilersweep"
        )
    try:
        if header["threshold"] not in ("page", "fixed"):
            raise ModelError(f"expected the threshold page or fixed, got {header['threshold']!r}")
        columns = _array(arrays, "columns", 1, "i").astype(np.int32)
        return Model(
            features=str(header["features"]),
            version=int(header["features_version"]),
            columns=columns,
            estimator=_estimator(arrays, header["estimator"], len(columns)),
            threshold=header["threshold"],
            provenance=dict(header["provenance"]),
            classes={
                str(name): _network(arrays, kind, len(columns), f"{name}.")
                for name, kind in header.get("classes", {}).items()
            },
            kinds=_kinds(arrays, header.get("kinds"), len(columns)),
            pages=_pages(arrays),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as error:
        raise ModelError(f"the header is not whole ({error!r})") from error


def _estimator(arrays: Mapping[str, Array], kind: Mapping[str, Any], width: int) -> Estimator:
    if kind["kind"] == "tree":
        return _tree(arrays, width)
    return _network(arrays, kind, width)


def _kinds(arrays: Mapping[str, Array], kind: Any, width: int) -> Network | None:
    return _network(arrays, kind, width + 2, "kinds.", len(KINDS)) if kind else None


def _network(
    arrays: Mapping[str, Array],
    kind: Mapping[str, Any],
    width: int,
    prefix: str = "",
    outputs: int = 1,
) -> Network:
    """prefix: of the arrays' names."""
    if kind["kind"] != "network":
        raise ModelError(f"expected the kind network or tree, got {kind['kind']!r}")
    if kind["activation"] not in ("relu", "tanh", "logistic"):
        raise ModelError(f"expected relu, tanh or logistic, got {kind['activation']!r}")
    layers = range(int(kind["layers"]))
    network = Network(
        mean=_array(arrays, f"{prefix}mean", 1, "f").astype(np.float32),
        scale=_array(arrays, f"{prefix}scale", 1, "f").astype(np.float32),
        weights=tuple(
            _array(arrays, f"{prefix}weights{n}", 2, "f").astype(np.float32) for n in layers
        ),
        biases=tuple(
            _array(arrays, f"{prefix}biases{n}", 1, "f").astype(np.float32) for n in layers
        ),
        activation=kind["activation"],
        limit=float(kind["limit"]),
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
        raise ModelError(f"the layers {shapes} do not fit {width} features and {outputs} outputs")
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
    if (children <= nodes[inner]).any() or (furthest >= count).any() or tree.feature.max() >= width:
        raise ModelError("the tree's nodes are not in order")
    return tree


def _pages(arrays: Mapping[str, Array]) -> NDArray[np.uint8]:
    if "pages" not in arrays:
        return packed(())
    pages = _array(arrays, "pages", 2, "u")
    if pages.shape[1] != DIGEST_BYTES or pages.dtype != np.uint8:
        raise ModelError(f"expected digests of {DIGEST_BYTES} bytes, got the shape {pages.shape}")
    return pages


def _array(arrays: Mapping[str, Array], name: str, dimensions: int, kind: str) -> Array:
    """An array of the file; kind: NumPy's letter of its type."""
    if name not in arrays:
        raise ModelError(f"the array {name} is missing")
    array = arrays[name]
    if array.ndim != dimensions or array.dtype.kind != kind:
        raise ModelError(f"the array {name} has shape {array.shape} and type {array.dtype}")
    if kind == "f" and not np.isfinite(array).all():
        raise ModelError(f"the array {name} has values that are not finite")
    return array
