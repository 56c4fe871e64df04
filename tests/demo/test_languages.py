"""The demo's pages in twelve languages."""

import re
from html import unescape
from pathlib import Path

from boilersweep.demo.collection import SITES, write_languages
from boilersweep.topics import read_qrels, read_topics


def test_two_runs_are_byte_identical(tmp_path: Path) -> None:
    written = [write_languages(tmp_path / name) for name in ("one", "two")]
    assert written[0].pages == 24 == 2 * len({site.language for site in SITES})
    for path in (tmp_path / "one").rglob("*.*"):
        there = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == there.read_bytes()


def test_pages_are_in_the_encoding_that_they_declare(tmp_path: Path) -> None:
    made = write_languages(tmp_path)
    seen = set()
    for path in made.html.iterdir():
        body = path.read_bytes()
        (label,) = re.findall(rb'<meta charset="([^"]*)">', body)
        gold = (tmp_path / "text" / f"{path.stem}.txt").read_text("utf-8").splitlines()
        page = unescape(body.decode(label.decode()))
        assert len(gold) == 3
        assert all(line in page for line in gold)
        seen.add(label)
    assert len(seen) == 7


def test_a_topic_is_in_the_text_of_its_post_and_in_the_menu_of_the_other(
    tmp_path: Path,
) -> None:
    made = write_languages(tmp_path)
    grades = read_qrels(made.qrels).grades
    for site in SITES:
        for number, article in enumerate(site.articles):
            name, other = (
                f"{site.language}-{number + 1}",
                f"{site.language}-{2 - number}",
            )
            assert grades[name] == {name: 1, other: 0}
            text = " ".join(article.paragraphs).lower()
            assert all(word.lower() in text for word in article.query.split())
    assert {topic.id for topic in read_topics(made.topics)} == grades.keys()
