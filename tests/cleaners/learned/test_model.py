import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import (
    MAX_BYTES,
    Model,
    ModelError,
    Network,
    Tree,
    load_model,
    packed,
    page_digest,
    save_model,
    unpacked,
)

TREE = Tree(
    feature=np.array([0, -1, -1], dtype=np.int32),
    threshold=np.array([2.5, 0, 0]),
    left=np.array([1, 0, 0], dtype=np.int32),
    right=np.array([2, 0, 0], dtype=np.int32),
    value=np.array([0, 0.25, 1], dtype=np.float32),
)


@pytest.fixture
def path(tmp_path: Path, at_least_five_words: Model) -> Path:
    save_model(at_least_five_words, tmp_path / "model.npz")
    return tmp_path / "model.npz"


def arrays_of(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def test_a_network_comes_back(path: Path, at_least_five_words: Model) -> None:
    found = load_model(path)
    network, expected = found.estimator, at_least_five_words.estimator
    assert isinstance(network, Network)
    assert isinstance(expected, Network)
    assert np.array_equal(network.mean, expected.mean)
    assert np.array_equal(network.weights[0], expected.weights[0])
    assert (network.activation, network.limit) == ("relu", 5.0)
    assert found.columns.tolist() == at_least_five_words.columns.tolist()
    assert found.provenance == at_least_five_words.provenance
    assert found.threshold == "fixed"


@pytest.mark.parametrize("change", ["none", "classes", "tree", "pages"])
def test_all_comes_back(
    tmp_path: Path, at_least_five_words: Model, with_classes: Model, change: str
) -> None:
    """A file that is read and written again has the same bytes."""
    model = {
        "none": at_least_five_words,
        "classes": with_classes,
        "tree": replace(at_least_five_words, estimator=TREE),
        "pages": replace(at_least_five_words, pages=packed([page_digest(b"one")])),
    }[change]
    save_model(model, tmp_path / "model.npz")
    found = load_model(tmp_path / "model.npz")
    assert list(found.classes) == list(model.classes)
    assert type(found.estimator) is type(model.estimator)
    assert found.pages.tolist() == model.pages.tolist()
    save_model(found, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (
        tmp_path / "model.npz"
    ).read_bytes()


def test_weights_of_half_precision_take_half_the_room(
    tmp_path: Path, at_least_five_words: Model
) -> None:
    path = tmp_path / "model.npz"
    save_model(at_least_five_words, path)
    assert arrays_of(path)["weights0"].dtype == np.float16


def test_every_flipped_byte_is_seen(path: Path) -> None:
    body = bytearray(path.read_bytes())
    for at in range(0, len(body), 7):
        damaged = body.copy()
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        with pytest.raises(ModelError):
            load_model(path)


def changed(path: Path, **changes: np.ndarray | None) -> Path:
    arrays = arrays_of(path) | changes
    np.savez(
        path, **{name: array for name, array in arrays.items() if array is not None}
    )
    return path


def cut(path: Path, share: float) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: int(len(body) * share)])


def put(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def add_huge(path: Path) -> None:
    """Add an array that says that it is larger than any memory."""
    member = BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    np.lib.format.write_array_header_1_0(member, facts)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("huge.npy", member.getvalue())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        *((partial(cut, share=share), "boilersweep train") for share in (0, 0.3, 0.9)),
        (Path.unlink, "No such file"),
        (partial(put, make=Path.mkdir), "cannot read the model file .*folder"),
        (
            partial(put, make=lambda path: path.symlink_to("/dev/null")),
            "cannot read the model file .*device",
        ),
        (
            partial(put, make=lambda path: path.symlink_to("absent")),
            "cannot read the model file .*No such file",
        ),
        (
            lambda path: os.truncate(path, MAX_BYTES + 1),
            "at most 67,108,864 bytes, got 67,108,865",
        ),
        (
            lambda path: np.savez(path, header=np.array([{"a": 1}], dtype=object)),
            "plain arrays",
        ),
        (add_huge, "plain arrays"),
        (
            partial(changed, header=np.frombuffer(b"[" * 200_000, np.uint8)),
            "expected a header in JSON",
        ),
    ],
)
def test_what_is_no_model(
    path: Path, damage: Callable[[Path], object], message: str
) -> None:
    damage(path)
    with pytest.raises(ModelError, match=message):
        load_model(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mean": None}, "mean is missing"),
        ({"mean": np.zeros((2, 2), np.float32)}, "shape"),
        ({"mean": np.zeros(1, np.int32)}, "type int32"),
        ({"mean": np.zeros(3, np.float32)}, "do not fit"),
        ({"mean": np.array([np.nan], np.float32)}, "not finite"),
        ({"weights0": np.zeros((1, 2), np.float32)}, "do not fit"),
        ({"header": np.zeros(3, np.uint8)}, "JSON"),
        ({"header": np.frombuffer(b"[]", np.uint8)}, "boilersweep-model"),
    ],
)
def test_arrays_that_do_not_fit(
    path: Path, changes: dict[str, np.ndarray | None], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        load_model(changed(path, **changes))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "other", "boilersweep-model"),
        ("format_version", 99, "train it again"),
        ("threshold", "none", r"`\$\.threshold`"),
        ("estimator", {"kind": "forest"}, r"`\$\.estimator\.kind`"),
        ("estimator", 3, r"`\$\.estimator`"),
        ("provenance", None, r"`\$\.provenance`"),
    ],
)
def test_headers_that_are_wrong(
    path: Path, key: str, value: object, message: str
) -> None:
    header = json.loads(bytes(arrays_of(path)["header"]))
    header[key] = value
    body = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with pytest.raises(ModelError, match=message):
        load_model(changed(path, header=body))


@pytest.mark.parametrize("key", ["features_version", "limit"])
@pytest.mark.parametrize("number", ["1e999", "1" + "0" * 400])
def test_numbers_that_are_too_large(path: Path, key: str, number: str) -> None:
    header = json.loads(bytes(arrays_of(path)["header"]))
    (header if key in header else header["estimator"])[key] = 0.25
    text = json.dumps(header).replace(f'"{key}": 0.25', f'"{key}": {number}')
    body = np.frombuffer(text.encode(), np.uint8)
    with suppress(ModelError):
        assert isinstance(load_model(changed(path, header=body)), Model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(
            ({"estimator": replace(TREE, **wrong)}, "tree")
            for wrong in (
                {"left": np.array([0, 0, 0], dtype=np.int32)},  # a circle
                {"right": np.array([3, 0, 0], dtype=np.int32)},
                {"feature": np.array([1, -1, -1], dtype=np.int32)},
                {"value": np.array([0.5], dtype=np.float32)},
            )
        ),
        ({"pages": np.zeros((3, 5), dtype=np.uint8)}, "digests of 6 bytes"),
    ],
)
def test_models_that_cannot_work(
    path: Path, at_least_five_words: Model, change: dict[str, Any], message: str
) -> None:
    save_model(replace(at_least_five_words, **change), path)
    with pytest.raises(ModelError, match=message):
        load_model(path)


def test_digests_are_kept_once_and_sorted() -> None:
    one, two = page_digest(b"one"), page_digest(b"two")
    assert one.hex() == "7692c3ad3540"  # sha256sum of "one", the first 12 digits
    pages = packed([two, one, two])
    assert pages.shape == (2, 6)
    assert [row.tobytes() for row in pages] == sorted([one, two])
    assert unpacked(pages) == {one, two}
    assert unpacked(packed([])) == frozenset()


@pytest.mark.application("learned")
def test_a_rule_has_the_digests_of_the_pages_of_its_model(
    at_least_five_words: Model, tmp_path: Path
) -> None:
    pages = packed(map(page_digest, (b"one", b"two")))
    save_model(replace(at_least_five_words, pages=pages), tmp_path / "model.npz")
    assert Learned.made_of(str(tmp_path / "model.npz")).training_pages == unpacked(
        pages
    )
