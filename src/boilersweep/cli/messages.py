"""Messages of commands: notes on stderr, results on stdout, tables as wide as the terminal."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.collection.files import WITH_LINKS
from boilersweep.extras import install_command
from boilersweep.pages.language import DECLARED_ONLY, UNKNOWN
from boilersweep.pages.words import ESTIMATED
from boilersweep.redaction import printable

if TYPE_CHECKING:
    from boilersweep.cleaners.selection import AlignmentCounts
    from boilersweep.eval.experiment.run import ExperimentResult
    from boilersweep.indexer.manifest import IndexManifest
    from boilersweep.store.store import BlockStore


import re
import textwrap
from collections.abc import Iterable
from itertools import zip_longest

_LANGUAGES_NAMED = 10
_WIDTHS = (60, 140)


def wants_dictionary() -> str:
    """Return the note if no dictionary is installed."""
    return (
        "words of scripts without spaces are estimated by length: "
        f"{install_command('words')} installs dictionaries"
    )


def wants_detector() -> str:
    """Return the note if only declared languages are known."""
    return (
        f"what pages declare: {install_command('languages')} installs a detector for "
        "their text"
    )


def note(*lines: str) -> None:
    """Print lines that are not the result."""
    for line in lines:
        print(printable(line), file=sys.stderr)


def width() -> int:
    """Return the width of lines of text, in characters."""
    return min(max(shutil.get_terminal_size().columns, _WIDTHS[0]), _WIDTHS[1])


def tell(text: str) -> None:
    """Print a text; characters that the encoding lacks are replaced.

    A terminal gets tables that fit into its width; files and pipes get them unchanged.
    """
    text = printable(text)
    if sys.stdout.isatty():
        text = fitted(text, shutil.get_terminal_size().columns)
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def describe_store(store: "BlockStore") -> list[str]:
    """Describe a block store and what it lacks of its input, with an example per reason."""
    manifest = store.manifest
    by_dictionary = f"{manifest.unspaced_words:,} ({manifest.dictionary})"
    notes = {
        f"  of these without words: {manifest.without_blocks:,}": manifest.without_blocks,
        f"  of the words in blocks with a script without spaces: {by_dictionary}": (
            manifest.unspaced_words
        ),
        f"  ({wants_dictionary()})": manifest.unspaced_words
        and manifest.dictionary == ESTIMATED,
        f"  plain texts that look like HTML: {manifest.marked_texts:,} (`boilersweep segment "
        "--contents html` cuts them)": manifest.marked_texts,
        f"  encoding by text and language, as no label named it: "
        f"{manifest.guessed_encodings:,}": manifest.guessed_encodings,
        f"  documents by language: {by_language(manifest.languages)} ({manifest.detector})": True,
        f"  ({wants_detector()})": manifest.detector == DECLARED_ONLY,
    }
    return [
        f"{manifest.documents:,} documents, {manifest.blocks:,} blocks, "
        f"{manifest.words:,} words in {store.path}",
        *(line for line, applies in notes.items() if applies),
        *_missing_input(store),
    ]


def _missing_input(store: "BlockStore") -> Iterator[str]:
    """Describe the input that a block store lacks, with an example per reason."""
    manifest = store.manifest
    for reason, count in sorted(store.skipped.items()):
        line = f"  skipped, {reason}: {count:,}"
        for sample in manifest.skipped_samples.get(reason, [])[:1]:
            detail = f" ({sample['detail']})" if sample.get("detail") else ""
            line += f", such as in {sample['place']}{detail}"
        yield line
    for reason, count in sorted(manifest.left_out.items()):
        line = f"  not read, {reason}: {count:,}"
        for sample in manifest.left_out_samples.get(reason, [])[:1]:
            line += f", such as {sample['place']} {sample.get('detail', '')}".rstrip()
        yield line
    if WITH_LINKS & manifest.left_out.keys():
        yield "  (`boilersweep segment --follow-links` reads the targets of links)"
    for name, count in sorted(manifest.failed_extractions.items()):
        yield f"  {name} failed on {count:,} pages, which are stored without it"


def note_store(store: "BlockStore") -> None:
    """Describe a store on stderr."""
    note(*describe_store(store))


def by_language(counts: Mapping[str, int]) -> str:
    """List numbers of documents by language, the most frequent ones by name."""
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    named = [
        f"{'unknown' if name == UNKNOWN else name} {count:,}" for name, count in ranked
    ]
    more = ranked[_LANGUAGES_NAMED:]
    rest = [f"{len(more):,} more {sum(count for _, count in more):,}"] if more else []
    return ", ".join([*named[:_LANGUAGES_NAMED], *rest])


def note_losses(lost: Counter[str], places: str) -> None:
    """Print what was lost of the input to time, memory or crashes, as a command's last line.

    Args:
        lost: The numbers of lost records by reason.
        places: The file that lists them.
    """
    if lost:
        sys.stdout.flush()
        reasons = ", ".join(
            f"{count:,} {reason}" for reason, count in sorted(lost.items())
        )
        records = "record" if lost.total() == 1 else "records"
        note(f"lost: {lost.total():,} {records}: {reasons}; places in {places}")


def report_alignment(placed: "Mapping[str, AlignmentCounts]") -> None:
    """Report how many words of extractors' texts are in no block."""
    for name, counts in placed.items():
        note(
            f"{name}: {counts.share_left:.1%} of the {counts.words:,} words of its text are in no "
            "block that it contains"
        )


def describe_index(path: Path, manifest: "IndexManifest") -> str:
    """Describe the contents of an index in a line."""
    return (
        f"{path}: {manifest.documents:,} documents, {manifest.tokens:,} tokens, "
        f"{manifest.empty:,} left empty"
        + (
            f", {manifest.duplicates:,} duplicates left out"
            if manifest.identity.dedup
            else ""
        )
        + others(manifest.other_languages)
    )


def others(counts: Mapping[str, int]) -> str:
    """Describe the documents that --languages left out; "" if there are none."""
    return (
        f", {sum(counts.values()):,} in other languages: {by_language(counts)}"
        if counts
        else ""
    )


def print_results(result: "ExperimentResult", output: Path) -> None:
    """Print what follows an experiment's table: notes, and the written files."""
    report_alignment(result.placed)
    if result.verified:
        note(str(result.verified))
    print(list_files(result.files, output))


def list_files(files: Sequence[Path], output: Path) -> str:
    """List the written files; those in a folder below the output are one line."""
    lines = []
    for file in files:
        where = file if file.parent == output else file.parent
        if str(where) not in lines:
            lines.append(str(where))
    return "\n".join(lines)


_RULE = re.compile(r"-+(  -+)+")  # tabulate draws it between head and rows of a table
_GAP = "  "
_NARROWEST = 12  # characters; narrower columns break no words


def fitted(text: str, columns: int) -> str:
    """Fold the cells of a text's wide tables until their lines fit into the columns.

    Tables have tabulate's format `simple` and end with the text or at an empty line. A table that
    cannot become so narrow is as narrow as possible.
    """
    lines = text.split("\n")
    folded: list[str] = []
    place = 0
    while place < len(lines):
        if folded and _RULE.fullmatch(lines[place]):
            end = next(
                (n for n in range(place, len(lines)) if not lines[n]), len(lines)
            )
            folded += _folded(
                folded.pop(), lines[place], lines[place + 1 : end], columns
            )
            place = end
        else:
            folded.append(lines[place])
            place += 1
    return "\n".join(folded)


def _folded(head: str, rule: str, lines: Sequence[str], columns: int) -> list[str]:
    spans = [match.span() for match in re.finditer("-+", rule)]
    rows = [[line[start:end] for start, end in spans] for line in (head, *lines)]
    whole = all(
        _GAP.join(row).rstrip() == line.rstrip()
        for row, line in zip(rows, (head, *lines), strict=True)
    )
    if not whole or max(map(len, (head, rule, *lines))) <= columns:
        return [head, rule, *lines]
    widths = _narrowed(
        list(zip(*rows, strict=True)), columns - len(_GAP) * (len(spans) - 1)
    )
    to_right = [
        all(cell[-1:].strip() for cell in column[1:] if cell.strip())
        and any(cell.startswith(" ") for cell in column)
        for column in zip(*rows, strict=True)
    ]
    drawn: list[list[str]] = []
    for row in rows:
        cells = [
            textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
            for cell, width in zip(row, widths, strict=True)
        ]
        drawn += (list(parts) for parts in zip_longest(*cells, fillvalue=""))
        if row is rows[0]:
            drawn.append(["-" * width for width in widths])
    return [
        _GAP.join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(parts, widths, to_right, strict=True)
        ).rstrip()
        for parts in drawn
    ]


def _narrowed(cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return widths of columns that fit into the room; the widest columns become narrower.

    Heads are folded before rows, and words longer than _NARROWEST are broken only if folding is not
    enough.

    Args:
        cells: The cells of each column, the head first.
        room: The sum of the widths, in characters.
    """
    widths = [max(len(cell.strip()) for cell in column) for column in cells]
    words = [
        _longest(word for cell in column for word in cell.split()) for column in cells
    ]
    lines = [_longest(cell.strip() for cell in column[1:]) for column in cells]
    for least in (
        list(map(max, words, lines)),
        words,
        [min(word, _NARROWEST) for word in words],
    ):
        while sum(widths) > room:
            wide = [n for n, width in enumerate(widths) if width > least[n]]
            if not wide:
                break
            widths[max(wide, key=lambda n: widths[n])] -= 1
    return widths


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=1)
