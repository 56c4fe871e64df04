"""Writes the demo's pages in twelve languages, with their gold texts, topics and judgements.

html/de-1.html    a post of a site in German, with a menu, a teaser of the other post and a footer
text/de-1.txt     its title and its paragraphs
topics.tsv        a topic for each post, in its language
qrels.txt         the post is relevant, the other one of its site, which names the topic, is not
"""

import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

from boilersweep.demo.prose import packaged
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.streams import write_output


@dataclass(frozen=True, slots=True)
class Article:
    """A post.

    Attributes:
        query: words of its paragraphs, by which a topic looks for it.
    """

    title: str
    query: str
    paragraphs: list[str]


@dataclass(frozen=True, slots=True)
class Site:
    """A site in one language.

    Attributes:
        encoding: of its pages, and their label.
        menu: its short blocks.
    """

    language: str
    encoding: str
    menu: str
    articles: list[Article]


SITES = [
    Site(**{**site, "articles": [Article(**article) for article in site["articles"]]})
    for site in tomllib.loads(packaged("languages.toml"))["sites"]
]


@dataclass(frozen=True, slots=True)
class LanguagePages:
    """What was written where.

    Attributes:
        html: the folder of the pages, beside which `text` is.
    """

    html: Path
    topics: Path
    qrels: Path
    pages: int


def write_languages(folder: Path) -> LanguagePages:
    """Write the pages; they are always the same.

    Raises:
        OutputError: a file cannot be written.
    """
    html, text = folder / "html", folder / "text"
    make_folder(html)
    make_folder(text)
    topics: list[str] = []
    qrels: list[str] = []
    for site in SITES:
        for number, article in enumerate(site.articles, start=1):
            name, other = f"{site.language}-{number}", f"{site.language}-{3 - number}"
            page = _page(site, article, site.articles[2 - number])
            write_output(html / f"{name}.html", page.encode(site.encoding))
            write_output(
                text / f"{name}.txt",
                "\n".join([article.title, *article.paragraphs, ""]),
            )
            topics.append(f"{name}\t{article.query}\n")
            qrels += [f"{name} 0 {name} 1\n", f"{name} 0 {other} 0\n"]
    paths = (folder / "topics.tsv", folder / "qrels.txt")
    for path, lines in zip(paths, (topics, qrels), strict=True):
        write_output(path, "".join(lines))
    return LanguagePages(html, *paths, len(topics))


def _page(site: Site, article: Article, other: Article) -> str:
    menu = site.menu.split(", ")
    items = "".join(
        f'<li><a href="/{n}">{escape(one)}</a></li>' for n, one in enumerate(menu)
    )
    # Words of the other post's topic, which mislead a search of all that is on the page.
    tags = "".join(
        f'<li><a href="/tag">{escape(word)}</a></li>' for word in other.query.split()
    )
    paragraphs = "\n".join(f"<p>{escape(text)}</p>" for text in article.paragraphs)
    return f"""<!DOCTYPE html>
<html lang="{site.language}">
<head>
<meta charset="{site.encoding}">
<title>{escape(article.title)}</title>
</head>
<body>
<ul class="menu">{items}</ul>
<h1>{escape(article.title)}</h1>
{paragraphs}
<div class="aside"><a href="/other">{escape(other.title)}</a><ul>{tags}</ul></div>
<p class="footer">2026 | {escape(menu[-2])} | {escape(menu[-1])}</p>
</body>
</html>
"""
