"""The table of cleaners by language, and pages with words of another script."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.pages.words import ESTIMATED, dictionary
from tests.pages.test_words import ARTICLES, MENUS

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(script: str, *arguments: str | Path) -> str:
    command = [sys.executable, SCRIPTS / script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write_page(folder: Path, name: str, language: str, gold: str | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    menu = "".join(f"<li><a href='x'>{entry}</a></li>" for entry in MENUS[language])
    body = f"<ul>{menu}</ul><p>{ARTICLES[language]}</p>" * 3
    (folder / f"{name}.html").write_text(body, encoding="utf-8")
    if gold is not None:
        (folder / f"{name}.txt").write_text(gold, encoding="utf-8")


@pytest.mark.slow
def test_what_a_cleaner_keeps_stands_beside_what_it_keeps_of_english(tmp_path: Path) -> None:
    pytest.importorskip("readability", reason="the library is not installed")
    pages, output = tmp_path / "pages", tmp_path / "output"
    write_page(pages / "en" / "news", "one", "English", f"{ARTICLES['English']}\n" * 3)
    write_page(pages / "en" / "news", "two", "English", "nothing like it")
    write_page(pages / "ko" / "news", "one", "Korean", f"{ARTICLES['Korean']}\n" * 3)
    write_page(pages / "th" / "blogs", "one", "Thai")
    cleaners = "words>=1,words>=11,words>=999"
    shown = run("languages.py", pages, "--output", output, "--cleaners", cleaners)
    with (output / "languages.csv").open(encoding="utf-8") as file:
        rows = {(r["language"], r["source"], r["cleaner"]): r for r in csv.DictReader(file)}
    english, korean = rows["en", "news", "words>=11"], rows["ko", "news", "words>=11"]
    assert (english["pages"], english["kept"], english["empty"]) == ("2", "0.5", "0")
    assert (korean["kept"], korean["like_english"]) == ("1.0", "2.0")
    assert (rows["en", "news", "words>=999"]["empty"], korean["standing_in"]) == ("2", "0")
    thai = rows["th", "blogs", "words>=11"]
    assert (thai["standing_in"], thai["like_english"]) == ("1", "")
    assert "| th | blogs    | 1\\*" in (output / "languages.md").read_text(encoding="utf-8")
    assert "words>=999: ko, news, 1 pages: 1 left empty" in shown


def test_pages_with_words_of_another_script_are_decided_alike(tmp_path: Path) -> None:
    if dictionary() == ESTIMATED:
        pytest.skip("icu4py is not installed")
    for name in ("one", "two"):
        write_page(tmp_path / "pages", name, "English", f"{ARTICLES['English']}\n" * 3)
    words = tmp_path / "words.txt"
    words.write_text("世界和问题", encoding="utf-8")
    shown = run(
        *("other_script.py", "--dataset", "folder", "--input", tmp_path / "pages"),
        *("--words", words, "--cleaners", "words>=11,bte"),
    )
    assert shown.startswith("2 pages, 3 words of the other script")
    decided = [line.split("|")[-2].strip() for line in shown.splitlines()[3:5]]
    assert decided == ["1.000", "1.000"]
