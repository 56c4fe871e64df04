import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import QrelsError
from boilersweep.topics import Qrels, parse_qrels


def test_four_columns_however_they_are_separated() -> None:
    lines = [
        "\ufeff851 0 BLOG06-1 2\r\n",
        "\r\n",
        "851\tQ0\tBLOG06-2\t0",
        "  007   0 \t http://a/?b=c#d\u00a0e  +1  \n",
        " \t\n",
        "7 0 BLOG06-1 1",
    ]
    assert parse_qrels(lines, "q") == Qrels(
        {
            "851": {"BLOG06-1": 2, "BLOG06-2": 0},
            "007": {"http://a/?b=c#d\u00a0e": 1},
            "7": {"BLOG06-1": 1},
        }
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["query-id\tcorpus-id\tscore\n", "1\ta\t2\n", "2\tb\t0"],
        ["\ufeffqid,x,docno,label\r\n", "1,,a,2\r\n", '2,",",b,0'],
        ['"topic","iteration","docid","grade"', '"1",0,"a","2"', "2, 0, b, 0"],
        ["1,a,2", "", "2,b,0"],
        ["1,0,a,2", "2,Q0,b,0"],
    ],
)
def test_columns_of_beir_and_csv(lines: list[str]) -> None:
    assert parse_qrels(lines, "q") == Qrels({"1": {"a": 2}, "2": {"b": 0}})


def test_docids_with_commas_in_four_columns_are_trecs() -> None:
    assert parse_qrels(["1 0 a,b,c,d 1"], "q") == Qrels({"1": {"a,b,c,d": 1}})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\t0 b", r"^q:2: expected 3 columns as in the first line, got 2"),
        ("1\t0\tb c\t1", r"^q:2: expected 3 columns as in the first line, got 4"),
        (
            "1\tb c\t1",
            r"^q:2: expected a topic and a docid without white space, got 'b c'",
        ),
        ("\tb\t1", r"^q:2: expected a topic and a docid without white space, got ''"),
        ("1\tb\t0.5", r"^q:2: expected an integer as grade, got '0.5'"),
        ("1\t" + "b" * 200_000 + "\t1", r"^q:2: expected columns as in the first line"),
    ],
)
def test_errors_of_named_columns(line: str, message: str) -> None:
    with pytest.raises(QrelsError, match=message):
        parse_qrels(["query-id\tcorpus-id\tscore", line], "q")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("query_id\tdoc_id\trelevance\tscore", "relevance and score"),
        ("qid,docno,label,grade", "label and grade"),
        ("qid,docno,grade,Grade", "grade and grade"),
        ('"topic","docid","rel","iteration","score"', "rel and score"),
    ],
)
def test_a_second_column_of_grades_is_refused(line: str, named: str) -> None:
    cells = line.count("\t" if "\t" in line else ",") + 1
    with pytest.raises(
        QrelsError, match=f"^q:1: expected one column of grades, got {named}"
    ):
        parse_qrels([line, ("\t" if "\t" in line else ",").join("1" * cells)], "q")


def test_negative_grades_are_counted_and_left_out() -> None:
    qrels = parse_qrels(["1 0 a -1", "1 0 b 0", "2 0 a -2"], "q")
    assert qrels == Qrels({"1": {"b": 0}, "2": {}}, unjudged=2)


def test_repeated_lines_are_counted_once_more_each() -> None:
    lines = ["1 0 a 2", "1 1 a 2", "1 0 a 02", "1 0 b -1", "1 0 b -2", "2 0 a 0"]
    assert parse_qrels(lines, "q") == Qrels(
        {"1": {"a": 2}, "2": {"a": 0}}, unjudged=1, repeated=3
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "1 0 b",
            r"^q:3: expected 4 columns, .*, got 3 columns in '1 0 b'; a line looks like",
        ),
        ("1", r"^q:3: expected 4 columns, .*, got 1 column in '1'"),
        ("1 Q0 b 1 12.5 run", r"^q:3: expected 4 columns, .*, got 6 columns"),
        ("# a comment", r"^q:3: expected 4 columns"),
        ("\ufeff", r"^q:3: expected 4 columns"),
        (
            "1 0 b\0 1",
            r"^q:3: expected a topic and a docid without NULs, .* got '1 0 b\\x00 1'",
        ),
        ("1\0 0 b 1", r"^q:3: expected a topic and a docid without NULs"),
        ("1 0 b x", r"^q:3: expected an integer as grade, got 'x' in '1 0 b x'"),
        ("1 0 b 1.0", r"^q:3: expected an integer as grade, got '1.0'"),
        ("1 0 b 1_0", r"^q:3: expected an integer as grade, got '1_0'"),
        ("1 0 b \u0661", r"^q:3: expected an integer as grade"),
        ("1 0 b -", r"^q:3: expected an integer as grade, got '-'"),
        ("1 0 b " + "9" * 5_000, r"^q:3: expected an integer as grade, got '9{80}' in"),
        (
            "1 0 a 1",
            r"^q:3: expected one grade .*, got grade 1 after grade 2 on line 1; remove",
        ),
        (
            "1 0 a -1",
            r"^q:3: .*, got a negative grade \(not judged\) after grade 2 on line 1",
        ),
    ],
)
def test_errors_name_and_quote_the_line(line: str, message: str) -> None:
    with pytest.raises(QrelsError, match=message) as caught:
        parse_qrels(["1 0 a 2", "", line], "q")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("lines", [[], ["\ufeff"], ["", " \t\r\n"]])
def test_no_judgement_is_an_error(lines: list[str]) -> None:
    with pytest.raises(QrelsError, match=r"^q:1: expected qrels, found no line"):
        parse_qrels(lines, "q")


TOKENS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\v\f\r \ufeff\0"),
    min_size=1,
)
GRADES = st.dictionaries(
    TOKENS,
    st.dictionaries(TOKENS, st.integers(0, 999_999_999), min_size=1),
    min_size=1,
)


@given(
    GRADES, st.sampled_from([" ", "\t", " \t "]), st.sampled_from(["", "\n", "\r\n"])
)
def test_rendered_qrels_come_back(
    grades: dict[str, dict[str, int]], separator: str, line_end: str
) -> None:
    lines = [
        separator.join((topic, "0", docid, str(grade))) + line_end
        for topic, judged in grades.items()
        for docid, grade in judged.items()
    ]
    assert parse_qrels(lines, "q") == Qrels(grades)
    assert parse_qrels(lines * 2, "q") == Qrels(grades, repeated=len(lines))


@given(
    st.lists(
        st.text(st.characters())
        | st.lists(st.sampled_from("12ab-+"), min_size=4, max_size=4).map(" ".join)
    )
)
def test_any_lines_give_qrels_or_a_qrels_error(lines: list[str]) -> None:
    try:
        qrels = parse_qrels(lines, "q")
    except QrelsError as error:
        assert str(error).startswith("q:")  # noqa: PT017
    else:
        judged = [
            grade for grades in qrels.grades.values() for grade in grades.values()
        ]
        filled = sum(
            bool(line.removeprefix("\ufeff").strip(" \t\r\n\f\v")) for line in lines
        )
        assert all(grade >= 0 for grade in judged)
        assert len(judged) + qrels.unjudged + qrels.repeated == filled
