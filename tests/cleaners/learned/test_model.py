import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
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


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_truncated_file(path: Path, share: float) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(ModelError, match="boilersweep train"):
        load_model(path)


def test_every_flipped_byte_is_seen(path: Path) -> None:
    body = bytearray(path.read_bytes())
    for at in range(0, len(body), 7):
        damaged = body.copy()
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        with pytest.raises(ModelError):
            load_model(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        load_model(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkdir, "folder"),
        (lambda path: path.symlink_to("/dev/null"), "device"),
        (lambda path: path.symlink_to(path.with_name("absent")), "No such file"),
    ],
    ids=["folder", "device", "dangling"],
)
def test_what_cannot_be_read_twice_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], object], kind: str
) -> None:
    path = tmp_path / "model.npz"
    make(path)
    with pytest.raises(ModelError, match=f"cannot read the model file .*{kind}"):
        load_model(path)


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ModelError, match="at most 67,108,864 bytes, got 67,108,865"):
        load_model(path)


def changed(path: Path, **changes: np.ndarray | None) -> Path:
    arrays = arrays_of(path) | changes
    np.savez(
        path, **{name: array for name, array in arrays.items() if array is not None}
    )
    return path


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


def test_a_header_that_is_nested_too_deeply(path: Path) -> None:
    header = np.frombuffer(b"[" * 200_000, np.uint8)
    with pytest.raises(ModelError, match="expected a header in JSON"):
        load_model(changed(path, header=header))


@pytest.mark.parametrize("key", ["features_version", "limit"])
@pytest.mark.parametrize("number", ["1e999", "1" + "0" * 400])
def test_numbers_that_are_too_large(path: Path, key: str, number: str) -> None:
    header = json.loads(bytes(arrays_of(path)["header"]))
    (header if key in header else header["estimator"])[key] = 0.25
    text = json.dumps(header).replace(f'"{key}": 0.25', f'"{key}": {number}')
    body = np.frombuffer(text.encode(), np.uint8)
    with suppress(ModelError):
        assert isinstance(load_model(changed(path, header=body)), Model)


def test_an_array_that_says_it_is_larger_than_any_memory(path: Path) -> None:
    member = BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    np.lib.format.write_array_header_1_0(member, facts)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("huge.npy", member.getvalue())
    with pytest.raises(ModelError, match="plain arrays"):
        load_model(path)


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ModelError, match="plain arrays"):
        load_model(path)


@pytest.mark.parametrize(
    "tree",
    [
        replace(TREE, left=np.array([0, 0, 0], dtype=np.int32)),  # a circle
        replace(TREE, right=np.array([3, 0, 0], dtype=np.int32)),
        replace(TREE, feature=np.array([1, -1, -1], dtype=np.int32)),
        replace(TREE, value=np.array([0.5], dtype=np.float32)),
    ],
)
def test_trees_that_lead_nowhere(
    tmp_path: Path, at_least_five_words: Model, tree: Tree
) -> None:
    path = tmp_path / "tree.npz"
    save_model(replace(at_least_five_words, estimator=tree), path)
    with pytest.raises(ModelError, match="tree"):
        load_model(path)


def test_digests_are_kept_once_and_sorted() -> None:
    one, two = page_digest(b"one"), page_digest(b"two")
    assert one.hex() == "7692c3ad3540"  # sha256sum of "one", the first 12 digits
    pages = packed([two, one, two])
    assert pages.shape == (2, 6)
    assert [row.tobytes() for row in pages] == sorted([one, two])
    assert unpacked(pages) == {one, two}
    assert unpacked(packed([])) == frozenset()


def test_a_rule_has_the_digests_of_the_pages_of_its_model(
    at_least_five_words: Model, tmp_path: Path
) -> None:
    pages = packed(map(page_digest, (b"one", b"two")))
    save_model(replace(at_least_five_words, pages=pages), tmp_path / "model.npz")
    assert Learned.made_of(str(tmp_path / "model.npz")).training_pages == unpacked(
        pages
    )


def test_other_digests_are_refused(at_least_five_words: Model, tmp_path: Path) -> None:
    model = replace(at_least_five_words, pages=np.zeros((3, 5), dtype=np.uint8))
    save_model(model, tmp_path / "model.npz")
    with pytest.raises(ModelError, match="digests of 6 bytes"):
        load_model(tmp_path / "model.npz")
