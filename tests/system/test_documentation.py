"""`scripts/documentation.py`: pages, topics and qrels of manuals in each form, made up here."""

from pathlib import Path

import pytest
from documentation import main

from boilersweep.topics import read_qrels, read_topics

SPHINX = """<table class="indextable genindextable"><tr><td><ul>
  <li>river crossing
    <ul>
      <li><a href="lib/boats.html#boat">by boat</a></li>
      <li><a href="lib/boats.html#x">(pony.River method)</a>, <a href="a.html">[1]</a></li>
    </ul></li>
  <li><a href="lib/boats.html#y">take_home() (in module pony)</a>, <a href="a.html">[1]</a></li>
  <li><a href="a.html#open">open() (built-in function)</a></li>
  <li><a href="https://example.org/">somewhere else entirely</a></li>
</ul></td></tr></table>"""
OLD_SPHINX = """<table class="indextable genindextable"><tr><td><dl>
  <dt><a href="a.html">river crossing</a></dt>
  <dd><dl><dt><a href="lib/boats.html">by boat</a></dt></dl></dd>
</dl></td></tr></table>"""
DOCBOOK = """<div class="indexdiv"><h3>R</h3><dl>
  <dt>river crossing, <a class="indexterm" href="a.html#R">Rivers</a>,
    <a class="indexterm" href="lib/boats.html">Boats</a></dt>
  <dd><dl><dt>by boat, <a href="lib/boats.html">Boats</a>
    <dd><dl><dt><code>in</code> the rain, <a href="a.html">Rain</a></dt></dl></dd>
    <dt>(see also <a href="#x">ponies</a>)</dt></dl></dd>
  <dt>zebra crossing, <a href="gone.html">Gone</a></dt>
</dl></div>"""
DSSSL = """<DIV CLASS="INDEXDIV"><DL><DT> river crossing ,
    <A HREF="a.html#AEN957">Rivers</A></DT><DD><DL></DL></DD></DL></DIV>"""
TEXINFO = """<table class="index-cp" border="0">
  <tr><td></td><th align="left">Index Entry</th><th align="left"> Section</th></tr>
  <tr><th id="R">R</th><td></td><td></td></tr>
  <tr><td></td><td valign="top"><a href="a.html#index-x">river crossing</a>:</td>
    <td><a href="lib/boats.html">Boats</a></td></tr></table>"""
TEXINFO_7 = TEXINFO.replace("index-cp", "cp-entries-printindex")


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    pages = {
        "a.html": "<title>Rivers</title><p>About rivers, by index.",
        "lib/boats.html": '<div class="index"><p>Boats, no index</div>',
        "moved.html": '<meta http-equiv="Refresh" content="0; url=a.html">',
        "lib/my page.html": "<p>No qrels can name it",
        "style.css": "p {}",
    }
    for name, page in pages.items():
        (tmp_path / "manual" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "manual" / name).write_text(page)
    return tmp_path / "manual"


def collection(manual: Path) -> dict[str, set[str]]:
    """Return query -> relevant documents of the collection that is made of a manual."""
    output = manual.parent / "out"
    assert main(["--manual", str(manual), "--output", str(output)]) == 0
    pages = {p.relative_to(output / "pages").as_posix() for p in output.rglob("*.html")}
    assert pages == {"a.html", "lib/boats.html"}
    qrels = read_qrels(output / "qrels.txt").grades
    return {
        topic.title: set(qrels[topic.id])
        for topic in read_topics(output / "topics.tsv")
    }


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param(
            SPHINX,
            {
                "river crossing by boat": {"lib/boats"},
                "river crossing": {"lib/boats", "a"},
                "take_home": {"lib/boats", "a"},
            },
            id="Sphinx",
        ),
        pytest.param(
            OLD_SPHINX,
            {"river crossing": {"a"}, "river crossing by boat": {"lib/boats"}},
            id="Sphinx before 1.5",
        ),
        pytest.param(
            DOCBOOK,
            {
                "river crossing": {"a", "lib/boats"},
                "river crossing by boat": {"lib/boats"},
                "river crossing by boat in the rain": {"a"},
            },
            id="DocBook",
        ),
        pytest.param(DSSSL, {"river crossing": {"a"}}, id="DocBook by DSSSL"),
        pytest.param(TEXINFO, {"river crossing": {"a"}}, id="Texinfo"),
        pytest.param(TEXINFO_7, {"river crossing": {"a"}}, id="Texinfo 7"),
    ],
)
def test_the_terms_are_queries_for_the_pages(
    manual: Path, index: str, expected: dict[str, set[str]]
) -> None:
    (manual / "the-index.html").write_text(index)
    assert collection(manual) == expected


def test_links_are_relative_to_the_index_and_percent_encoded(manual: Path) -> None:
    index = (
        '<div class="index"><dl><dt>river crossing, <a href="{}">x</a></dt></dl></div>'
    )
    (manual / "lib" / "genindex.html").write_text(index.format("../a%2Ehtml#x"))
    assert collection(manual) == {"river crossing": {"a"}}


def test_a_link_to_a_folder_leads_to_its_index_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, page in (
        ("os", "<p>os"),
        ("genindex", SPHINX.replace("a.html", "../os/")),
    ):
        (tmp_path / "m" / folder).mkdir(parents=True)
        (tmp_path / "m" / folder / "index.html").write_text(page)
    assert main(["--manual", f"{tmp_path}/m", "--output", f"{tmp_path}/o"]) == 0
    assert (
        tmp_path / "o" / "qrels.txt"
    ).read_text() == "1 0 os/index 1\n2 0 os/index 1\n"
    assert "1 pages, 2 topics" in capsys.readouterr().out


def test_what_is_left_out_is_counted(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    often = "".join(
        f'<dt>many pages, <a href="p{number}.html">x</a></dt>' for number in range(11)
    )
    (manual / "ix01.html").write_text(
        DOCBOOK.replace("</dl></div>", f"{often}</dl></div>")
    )
    for number in range(11):
        (manual / f"p{number}.html").write_text("<p>x")
    assert main(["--manual", str(manual), "--output", str(manual.parent / "out")]) == 0
    shown = capsys.readouterr().out
    for line in (
        "13 pages, 3 topics",
        "index: ix01.html",
        "left out: 1 pages that only lead to others",
        "left out: 1 pages whose names have white space, as no qrels can",
        "left out: 1 terms of more than 10 pages",
        "left out: 1 terms that lead to none of the pages",
    ):
        assert line in shown


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (
            "<p>no index",
            "expected an index of Sphinx (genindex.html), DocBook or Texinfo",
        ),
        (
            SPHINX.replace("a.html", "#a").replace("lib/", "#"),
            "none among 1 in the-index",
        ),
        (
            TEXINFO.replace("river crossing", "river"),
            "a manual on a single page, or an index",
        ),
        ('<table class="genindextable indextable">', "none among 0 in the-index.html"),
    ],
)
def test_a_manual_without_topics(
    manual: Path, index: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (manual / "the-index.html").write_text(index)
    output = manual.parent / "out"
    assert main(["--manual", str(manual), "--output", str(output)]) == 1
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_folders_that_cannot_be_used(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (manual / "genindex.html").write_text(SPHINX)
    for folder, output, status, message in (
        (manual / "no", "out", 1, "found nothing there"),
        (manual / "a.html", "out", 1, "found a file there"),
        (manual, "manual/out", 2, "expected --output outside of the manual"),
        (manual, "manual/../manual", 2, "expected --output outside of the manual"),
    ):
        arguments = ["--manual", str(folder), "--output", str(manual.parent / output)]
        assert main(arguments) == status
        assert message in capsys.readouterr().err
    (manual.parent / "out").mkdir()
    (manual.parent / "out" / "mine.txt").write_text("mine")
    assert main(["--manual", str(manual), "--output", str(manual.parent / "out")]) == 1
    assert "expected an empty or new folder" in capsys.readouterr().err
