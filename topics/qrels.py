"""Relevance judgements as TREC's qrels, BEIR and CSV have them: topic, docid and grade."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass

from boilersweep.errors import QrelsError
from boilersweep.topics.topic import column_names, named_columns

_EXAMPLE = "'851 0 BLOG06-20051206-000-0000000001 2'"
# ASCII white space only: a docid may hold any other character.
_TOKEN = re.compile(r"[^ \t\r\n\f\v]+")
# Not int() alone, which takes 1_0 and digits of other scripts, and refuses thousands of digits.
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
# Names of the columns in a first line.
TOPICS = ("topic", "topic_id", "qid", "query_id", "query-id", "query")
DOCIDS = ("docid", "doc_id", "docno", "corpus_id", "corpus-id", "document")
GRADES = ("grade", "relevance", "rel", "label", "score")


@dataclass(frozen=True, slots=True)
class _Table:
    """Columns with a separator between them.

    Attributes:
        separator: The separator.
        width: The number of columns.
        places: The places of topic, docid and grade, from 0.
    """

    separator: str
    width: int
    places: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Qrels:
    """The judgements of one file.

    Attributes:
        grades: The grade, 0 or more, by topic id and docid, in file order. A topic whose pairs are
            all unjudged has an empty dict.
        unjudged: The number of pairs with a negative grade, TREC's "not judged", which `grades`
            leaves out.
        repeated: The number of lines that repeat an earlier line.
    """

    grades: dict[str, dict[str, int]]
    unjudged: int = 0
    repeated: int = 0


def parse_qrels(lines: Iterable[str], source: str) -> Qrels:
    """Parse qrels of four columns separated by tabs or spaces; the second column is not read.

    A first line that names columns of topic, docid and grade, with tabs or commas between them,
    says which they are, as BEIR's does; with commas and no names there are four columns, or three
    without the iteration.

    Args:
        lines: The file's lines, with or without their ends.
        source: The file's name, for messages.

    Raises:
        QrelsError: A line has another number of columns or a grade that is not an integer, a pair
            of topic and docid has two different grades, or there is no judgement; the message names
            source and line.
    """
    grades: dict[str, dict[str, int]] = {}
    first: dict[tuple[str, str], tuple[int, int]] = {}
    unjudged = repeated = 0
    table: _Table | None = None
    begun = False
    for number, raw in enumerate(lines, start=1):
        line = raw.removeprefix("\ufeff") if number == 1 else raw
        if not _TOKEN.search(line):
            continue
        where = f"{source}:{number}"
        if not begun:
            begun = True
            named, table = _named_columns(line, where), _without_names(line)
            if named:
                table = named
                continue
        columns = _cells(table, line, where) if table else _TOKEN.findall(line)
        topic, docid, grade = _judgement(columns, line, where)
        earlier, earlier_number = first.setdefault((topic, docid), (grade, number))
        if earlier != grade:
            raise QrelsError(
                f"{where}: expected one grade for topic {topic[:80]!r} and document "
                f"{docid[:80]!r}, got {_grade_text(grade)} after {_grade_text(earlier)} on line "
                f"{earlier_number}; remove one of the two lines"
            )
        judged = grades.setdefault(topic, {})
        if earlier_number != number:
            repeated += 1
        elif grade < 0:
            unjudged += 1
        else:
            judged[docid] = grade
    if not grades:
        raise QrelsError(
            f"{source}:1: expected qrels, found no line; a line looks like {_EXAMPLE}"
        )
    return Qrels(grades=grades, unjudged=unjudged, repeated=repeated)


def _named_columns(line: str, where: str) -> _Table | None:
    """Return the columns that a first line names; None if it names none."""
    for separator in ("\t", ","):
        if places := named_columns(line, separator, TOPICS, DOCIDS, GRADES):
            topic, docid, grade = places
            names = column_names(line, separator)
            if len(grades := [name for name in names if name in GRADES]) > 1:
                raise QrelsError(
                    f"{where}: expected one column of grades, got {' and '.join(grades)}; rename "
                    "or remove all but one"
                )
            return _Table(separator, line.count(separator) + 1, (topic, docid, grade))
    return None


def _without_names(line: str) -> _Table | None:
    """Return the columns of a first line with commas and no other space between them."""
    if len(_TOKEN.findall(line)) == 4:
        return None
    width = line.count(",") + 1
    return {3: _Table(",", 3, (0, 1, 2)), 4: _Table(",", 4, (0, 2, 3))}.get(width)


def _cells(table: _Table, line: str, where: str) -> list[str]:
    """Return a line's columns as TREC has them."""
    try:
        [cells] = csv.reader([line.rstrip("\r\n")], delimiter=table.separator)
    except (csv.Error, ValueError) as error:
        raise QrelsError(
            f"{where}: expected columns as in the first line ({error})"
        ) from error
    if len(cells) != table.width:
        raise QrelsError(
            f"{where}: expected {table.width} columns as in the first line, got {len(cells)} in "
            f"{line.strip()[:80]!r}"
        )
    topic, docid, grade = (cells[place].strip() for place in table.places)
    for value in (topic, docid):
        if _TOKEN.findall(value) != [value]:
            raise QrelsError(
                f"{where}: expected a topic and a docid without white space, got {value[:80]!r}; "
                "boilersweep writes a space in a docid as %20"
            )
    return [topic, "0", docid, grade]


def _judgement(columns: list[str], line: str, where: str) -> tuple[str, str, int]:
    if len(columns) != 4:
        came = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise QrelsError(
            f"{where}: expected 4 columns, topic iteration docid grade, got {came} in "
            f"{line.strip()[:80]!r}; a line looks like {_EXAMPLE}"
        )
    topic, _, docid, grade = columns
    if "\0" in topic or "\0" in docid:
        raise QrelsError(
            f"{where}: expected a topic and a docid without NULs, where trec_eval ends them, got "
            f"{line.strip()[:80]!r}; boilersweep writes one in a docid as %00"
        )
    if not _GRADE.fullmatch(grade):
        raise QrelsError(
            f"{where}: expected an integer as grade, got {grade[:80]!r} in "
            f"{line.strip()[:80]!r}; a line looks like {_EXAMPLE}"
        )
    # Every negative grade says the same: not judged.
    return topic, docid, max(int(grade), -1)


def _grade_text(grade: int) -> str:
    return "a negative grade (not judged)" if grade < 0 else f"grade {grade}"
