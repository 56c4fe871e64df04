"""Columns that a field declares: files, data frames and tables are views of them."""

from typing import Annotated

from msgspec import Struct

from boilersweep.outputs.columns import Column, Sheet, columns_of, table_columns
from boilersweep.outputs.tables import Cell


class Planet(Struct, frozen=True):
    name: str
    mass: Annotated[float | None, Column("mass", ".2f", "in Earths")] = None
    moons: Annotated[int | None, Column("moons", ",", detail=True)] = None
    ringed: Annotated[bool, Column()] = False
    orbit: Annotated[float, Column(file=lambda days: f"{days:g} d")] = 0.0
    rings: Annotated[
        int | None,
        Column("rings", cell=lambda row: Cell(f"{row.rings}!"), only_with="rings"),
    ] = None


PLANETS = [
    Planet("Earth", 1.0, 1, orbit=365.25),
    Planet("Saturn", 95.165, 1234, ringed=True, rings=7),
    Planet("=none"),
]


def sheet() -> Sheet:
    found = Sheet()
    found.add_fields(Planet, PLANETS, Planet.__struct_fields__)
    return found


def test_a_file_rounds_as_the_column_says_and_leaves_empty_what_does_not_apply() -> (
    None
):
    assert sheet().csv == (
        "name,mass,moons,ringed,orbit,rings\n"
        "Earth,1.0000,1,0,365.25 d,\n"
        "Saturn,95.1650,1234,1,0 d,7\n"
        "'=none,,,0,0 d,\n"
    )


def test_a_data_frame_has_all_digits() -> None:
    frame = sheet().to_pandas()
    assert list(frame.columns) == list(Planet.__struct_fields__)
    assert frame["mass"].tolist()[:2] == [1.0, 95.165]
    assert frame["orbit"].tolist() == [365.25, 0.0, 0.0]


def test_rows_are_repeated_for_what_each_has_several_of() -> None:
    named = Sheet()
    named.add("a", [1, 2])
    twice = named.repeated(2)
    twice.add("b", "wxyz")
    assert twice.csv == "a,b\n1,w\n1,x\n2,y\n2,z\n"


def test_tables_have_the_columns_with_a_head() -> None:
    columns = table_columns(Planet, PLANETS)
    assert list(columns) == ["mass", "moons", "rings"]
    head, cells = columns["mass"]
    assert (head.text, head.meaning, head.detail) == ("mass", "in Earths", False)
    assert [(cell.text, cell.value) for cell in cells] == [
        ("1.00", 1.0),
        ("95.16", 95.165),
        ("", None),
    ]
    assert columns["moons"][0].detail
    assert [cell.text for cell in columns["rings"][1]][1] == "7!"
    assert "rings" not in table_columns(Planet, PLANETS[:1])
    assert list(columns_of(Planet)) == ["mass", "moons", "ringed", "orbit", "rings"]
