"""Folders of made-up vectors."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from boilersweep.store.store import BlockStore

# Ids and their vectors.
Encoded = tuple[Iterable[str], NDArray[Any]]


def distinct_texts(store: BlockStore) -> dict[str, str]:
    """Return the texts of blocks with a letter or digit by their ids, each once."""
    texts = [text for columns in store.columns() for text in columns.texts]
    named = {hashlib.blake2b(text.encode(), digest_size=16).hexdigest(): text for text in texts}
    return {name: text for name, text in named.items() if any(map(str.isalnum, text))}


def write_vectors(
    folder: Path, model: str, blocks: Encoded, topics: Encoded, *, parquet: bool = False
) -> None:
    """Write a folder that `open_vectors` reads."""
    for name, (ids, vectors) in {"blocks": blocks, "topics": topics}.items():
        (folder / name).mkdir(parents=True)
        if parquet:
            table = pa.table({"id": list(ids), "vector": list(vectors)})
            pq.write_table(table, folder / name / "0.parquet", row_group_size=50)
        else:
            np.save(folder / name / "0.npy", vectors, allow_pickle=False)
            (folder / name / "0.txt").write_text("".join(f"{one}\n" for one in ids))
    about = {"model": model, "dimension": int(blocks[1].shape[1])}
    (folder / "vectors.json").write_text(json.dumps(about))
