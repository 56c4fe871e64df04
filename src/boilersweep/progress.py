"""Progress on stderr; nothing where stderr is no terminal."""

import sys
from typing import Never

from tqdm import tqdm


def steps(description: str, total: int, unit: str) -> "tqdm[Never]":
    """A bar that counts to `total` and shows the rate and the time left."""
    return tqdm(total=total, desc=description, unit=f" {unit}", disable=None, dynamic_ncols=True)


def say(line: str) -> None:
    """Write a line to stderr; bars stay whole."""
    tqdm.write(line, file=sys.stderr)


class DocumentsBar:
    """A bar whose length is bytes read and whose text is documents done and their rate."""

    def __init__(self, description: str, total_bytes: int) -> None:
        self._bar: tqdm[Never] = tqdm(
            total=total_bytes,
            desc=description,
            disable=None,
            dynamic_ncols=True,
            bar_format="{desc}: {percentage:3.0f}%|{bar}|{postfix} [{elapsed}<{remaining}]",
        )

    def show(self, documents: int, read_bytes: int) -> None:
        """Show how far the work is."""
        elapsed = self._bar.format_dict["elapsed"]
        rate = documents / elapsed if elapsed else 0.0
        self._bar.set_postfix_str(f"{documents:,} documents, {rate:,.0f}/s", refresh=False)
        self._bar.update(read_bytes - self._bar.n)

    def close(self) -> None:
        self._bar.close()
