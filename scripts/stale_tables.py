"""Name the tables and pictures of measurements in the manuals that are older than the code.

Before each is a comment with the numbers of the stages that made it:

    <!-- made by: clean 3, judge 1 -->

A stage is a `CodeVersion` of ours, or `blocks`, the VERSION of `store/shard_columns.py`; 0 is the
code before it had a number, and `no stage` stands before what no stage decides, such as a drawing.
Pictures count in the manual beside them. Prints what other stages made, and what has no comment;
exits with 1 if there is any. Run it before a release: measure it again, and write the new numbers.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("src", "indexer", "eval")
TOPS = (*SOURCES, "topics", "tests", "scripts")
BLOCKS = ROOT / "src" / "boilersweep" / "store" / "shard_columns.py"
FIGURES = 0.4  # of the cells below the head; a table with fewer is no measurement

_STAGE = re.compile(r'CodeVersion\("(\w+)", (\d+)\)')
_VERSION = re.compile(r"^VERSION = (\d+)", re.MULTILINE)
_MADE_BY = re.compile(r"<!-- made by: (no stage|\w+ \d+(?:, \w+ \d+)*) -->")
_TABLE = re.compile(r"^\|.*\n\|[-:| ]+\|\n((?:\|.*\n)+)", re.MULTILINE)
_PICTURE = re.compile(r"^!\[[^]]*\]\([^()/]+\)", re.MULTILINE)
_FENCED = re.compile(r"^ *(```|~~~).*?^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(r"[-+*~ ]*\d*\.?\d|\*\*[-+]?\.?\d")


def current() -> dict[str, int]:
    """Return the number of each stage of the code."""
    numbers = {"blocks": int(_VERSION.findall(BLOCKS.read_text("utf-8"))[0])}
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for name, number in _STAGE.findall(path.read_text("utf-8")):
                numbers[name] = int(number)
    return numbers


def measured(text: str) -> Iterator[tuple[int, str]]:
    """Yield the place of each table of measurements or picture, and the line before it, or ""."""
    text = _FENCED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    tables = [table for table in _TABLE.finditer(text) if _has_figures(table[1])]
    for found in sorted([*tables, *_PICTURE.finditer(text)], key=re.Match.start):
        yield found.start(), text[: found.start()].rstrip().rsplit("\n", 1)[-1]


def _has_figures(table: str) -> bool:
    """Whether enough of the cells below the head and beside the first column are figures."""
    rows = [row.split("|")[2:-1] for row in table.splitlines()]
    cells = [cell.strip() for row in rows for cell in row if cell.strip()]
    figures = sum(bool(_FIGURE.match(cell)) for cell in cells)
    return bool(cells) and figures >= FIGURES * len(cells)


def faults(text: str, numbers: dict[str, int]) -> Iterator[str]:
    """Yield a line for each of them that is older than the code, or has no numbers."""
    for start, before in measured(text):
        line = text.count("\n", 0, start) + 1
        found = _MADE_BY.fullmatch(before)
        if not found:
            yield f"{line}: no numbers of stages: <!-- made by: NAME NUMBER, ... -->"
            continue
        old = [
            f"{name} {number}, now {numbers.get(name, 'gone')}"
            for name, number in re.findall(r"(\w+) (\d+)", found[1])
            if int(number) != numbers.get(name)
        ]
        if old:
            yield f"{line}: {'; '.join(old)}"


def manuals() -> list[Path]:
    """Return the manuals."""
    below = [path for top in TOPS for path in (ROOT / top).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *below])


def main() -> int:
    """Print what to measure again; return the exit status."""
    numbers = current()
    found = [
        f"{page.relative_to(ROOT)}:{fault}"
        for page in manuals()
        for fault in faults(page.read_text("utf-8"), numbers)
    ]
    print("\n".join(found) or "every table and picture was made by this code")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
