"""Standard output as a terminal: its width, and the characters that it has."""

import shutil
import sys

_WIDTHS = (60, 140)


def width() -> int:
    """Of lines of text, in characters."""
    return min(max(shutil.get_terminal_size().columns, _WIDTHS[0]), _WIDTHS[1])


def tell(text: str) -> None:
    """Print what may hold characters that the terminal has not."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))
