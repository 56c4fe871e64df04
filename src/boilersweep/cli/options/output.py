"""What a command writes, and what becomes of results that exist already."""

import argparse

from boilersweep.cli.parser import Parser, declare
from boilersweep.errors import UsageError


def add(parser: Parser, what: str, default: str | None = None) -> None:
    """Declare --output, a folder."""
    declare(parser, f"--output DIR  {what}", defaults={"output": default}, required=default is None)


def add_file(parser: Parser, what: str, *, required: bool = False) -> None:
    """Declare --output, a file."""
    declare(parser, f"--output FILE  {what}", required=required)


def add_title(parser: Parser, default: str) -> None:
    """Declare --title."""
    text = f"--title TEXT  the title of the report and its figures (default: {default})"
    declare(parser, text, types={"title": _title})


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise UsageError("expected a title, got an empty text")
    return title


def add_overwrite(
    parser: Parser, what: str = "rebuild --output if it doesn't match this request"
) -> argparse._MutuallyExclusiveGroup:
    """Declare --overwrite; further options of the returned group exclude it."""
    which = parser.add_mutually_exclusive_group()
    declare(which, f"--overwrite  {what} (default: list the differences and stop)")
    return which


def add_update(which: argparse._MutuallyExclusiveGroup, what: str) -> None:
    """Declare --update."""
    declare(which, f"--update  bring --output up to date with its input: {what}")


def add_verify_input(parser: Parser) -> None:
    """Declare --verify-input."""
    declare(
        parser,
        """
        --verify-input  compare input files by SHA-256 even if size, times of change and inode are
                        unchanged
        """,
    )


def add_strict(parser: argparse._ActionsContainer) -> None:
    """Declare --strict."""
    declare(
        parser,
        """
        --strict  exit with status 1 if records were lost to time, memory or crashes, which another
                  run may not lose
        """,
    )
