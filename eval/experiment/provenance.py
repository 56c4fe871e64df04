"""Records of the formula of an experiment and of the files that it read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.outputs.identity import file_digest


def ranking_identity(model: RankingModel) -> dict[str, Any]:
    """Return a ranking formula and its parameters."""
    return {"formula": str(model), **model.parameters}


def file_facts(files: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """Record where files that were read are and what they contain, so that `check` can compare.

    A pipe, as of `--topics <(zcat topics.gz)`, cannot be read again and is left out.

    Args:
        files: What a file is -> its path.
    """
    return {
        name: {
            "path": str(path.resolve()),
            "bytes": path.stat().st_size,
            "sha256": file_digest(path),
        }
        for name, path in files.items()
        if path.is_file()
    }
