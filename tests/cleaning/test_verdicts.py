"""One page under every cleaner."""

from pathlib import Path

import pytest

from boilersweep import InputError, UsageError
from boilersweep.cleaners.registry import rules_alone
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.cleaning.verdicts import ExplainedPage, explain_page, page_account

LONG = "one two three four five six seven eight nine ten eleven twelve"
PAGE = (
    "<html><head><title>A page</title></head><body><ul><li><a href='/'>Home</a></li></ul>"
    f"<div class='main'><p>{LONG}</p><p>She said <b>very well</b> then</p></div></body></html>"
).encode()


@pytest.fixture(scope="module")
def page() -> ExplainedPage:
    return explain_page(
        PAGE, parse_cleaners("words>=10,bte,link_density<0.5 & words>=2")
    )


def test_blocks_and_their_features(page: ExplainedPage) -> None:
    assert (page.title, page.encoding) == ("A page", "utf-8")
    assert [(b.text, b.words) for b in page.blocks] == [
        ("Home", 1),
        (LONG, 12),
        ("She said very well then", 5),
    ]
    assert [block.link_density for block in page.blocks] == [1, 0, 0]
    assert page.blocks[1].density == 12  # 62 characters, one line
    assert page.blocks[0].path == ("html", "body", "ul", "li")
    assert page.blocks[2].path == ("html", "body", "div", "p")


def test_every_cleaner_without_arguments_and_those_given_each_once(
    page: ExplainedPage,
) -> None:
    names = [verdict.cleaner for verdict in page.verdicts]
    assert names[-2:] == ["words>=10", "link_density<0.5 & words>=2"]
    alone = list(map(str, rules_alone()))
    assert names[:-2] == alone
    assert {"keep-everything", "bte", "numwords-rules", "link-quota"} <= set(alone)
    verdicts = {verdict.cleaner: verdict for verdict in page.verdicts}
    assert verdicts["keep-everything"].kept == (True,) * 3
    assert verdicts["keep-everything"].words == 18
    assert verdicts["words>=10"].kept == (False, True, False)
    assert verdicts["words>=10"].words == 12
    assert verdicts["link_density<0.5 & words>=2"].words == 17


def half(page: str) -> str:
    return "one two three four five six"


def broken(page: str) -> str:
    raise ValueError("\x1b[31mno")


def none(page: str) -> str:
    return None  # type: ignore[return-value]


def test_extractors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    names = [f"{Path(__file__).stem}:{name}" for name in ("half", "broken", "none")]
    page = explain_page(PAGE, parse_cleaners(",".join(names)))
    halved, failed, without = page.verdicts[-3:]
    # Six of the twelve words of the second block.
    assert halved.kept == (False, True, False)
    assert (halved.words, halved.text) == (6, "one two three four five six")
    assert (failed.words, failed.text, failed.kept) == (0, "", (False,) * 3)
    assert failed.failure == "ValueError: \x1b[31mno"
    assert without.failure.startswith("AttributeError")
    shown = page_account(page, 100)
    assert f"{names[1]} failed: ValueError:  [31mno" in shown
    assert "~ An extractor keeps a block" in shown
    assert "\x1b" not in shown


def test_the_tables(page: ExplainedPage) -> None:
    lines = page_account(page, 100).splitlines()
    assert lines[0] == "A page"
    assert lines[1].startswith("3 blocks, 18 words, utf-8, cut in ")
    row = next(line for line in lines if " words>=10 " in line)
    assert row.split()[1:5] == ["words>=10", "1", "12", "67%"]
    letter = row.split()[0]
    blocks = [line for line in lines if ">div>p " in line or ">ul>li" in line]
    assert [letter in line.split()[5] for line in blocks] == [False, True, False]
    assert max(map(len, lines)) <= 100
    assert not any("extractor" in line for line in lines)


def test_hostile_text_is_harmless() -> None:
    evil = (
        "&#27;[2J \u202e \u009b1m <b onload=alert(1)>bold</b> "
        "&lt;script&gt;alert(1)&lt;/script&gt;"
    )
    page = explain_page(f"<title>{evil}</title><p>{evil}</p>".encode())
    shown = page_account(page, 120)
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert "<script>alert(1)</script>" in shown


def test_many_cleaners() -> None:
    cleaners = parse_cleaners(",".join(f"words>={number}" for number in range(60)))
    with pytest.raises(UsageError, match="at most 52"):
        page_account(explain_page(PAGE, cleaners), 100)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "got 0 bytes without a word"),
        (b" \n\t", "got 3 bytes without a word"),
        (b"<script>var a</script><p>...</p>", "32 bytes without a word"),
        (b"x" * (16 * 2**20 + 1), "over the size cap: 16,777,217 bytes"),
    ],
    ids=["empty", "blank", "wordless", "large"],
)
def test_pages_without_anything_to_explain(body: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain_page(body)


def test_an_extractor_that_cannot_be_found() -> None:
    with pytest.raises(UsageError, match="no cleaner is named 'gold'"):
        explain_page(PAGE, parse_cleaners("gold"))
