from boilersweep.cleaners.learned.paragraph_columns import paragraphs_of
from tests.cleaners.conftest import MakeColumns


def test_a_sentence_with_bold_words_is_one_paragraph(columns: MakeColumns) -> None:
    page = columns(
        "<div><p>one <b>two</b> three</p><p>four</p></div>", "five <i>six</i>", borders="paper"
    )
    assert page.texts == ["one", "two", "three", "four", "five", "six"]
    found = paragraphs_of(page, "test")
    assert found.of_blocks.tolist() == [0, 0, 0, 1, 2, 2]
    assert found.blocks.tolist() == [0, 3, 4, 6]
    assert found.starts.tolist() == [0, 2, 3]
    assert found.owners.tolist() == [0, 0, 1]


def test_a_line_break_parts_paragraphs(columns: MakeColumns) -> None:
    assert paragraphs_of(columns("one<br>two"), "test").of_blocks.tolist() == [0, 1]


def test_the_element_of_a_paragraph_is_no_inline_one(columns: MakeColumns) -> None:
    page = columns("<div><span><b>one</b></span></div>")
    structure = page.structure
    assert structure is not None
    found = paragraphs_of(page, "test")
    assert structure.name_list[structure.names[found.elements[0]]] == "div"


def test_elements_span_paragraphs(columns: MakeColumns) -> None:
    page = columns("<div><p>one <b>two</b></p><p>three</p></div>four", borders="paper")
    structure = page.structure
    assert structure is not None
    found = paragraphs_of(page, "test")
    spans = {
        structure.name_list[name]: (first, end)
        for name, first, end in zip(structure.names, found.first, found.end, strict=True)
    }
    assert spans["div"] == (0, 2)
    assert spans["b"] == (0, 1)


def test_no_block_at_all(columns: MakeColumns) -> None:
    found = paragraphs_of(columns("", "<p></p>"), "test")
    assert len(found.owners) == 0
    assert found.starts.tolist() == [0, 0, 0]
