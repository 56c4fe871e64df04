"""The blogs' page templates, in the manners of 2005: tables, divs, font tags, lists."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Link:
    """An address and the text that leads there."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Teaser:
    """A link to another post, and the first words of that post."""

    link: Link
    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a template puts on a page; plain text, not escaped."""

    blog: str
    home: str
    author: str
    charset: str | None
    title: str
    headline: str
    date: str
    time: str
    paragraphs: list[str]
    comments: list[Comment]
    teasers: list[Teaser]
    about: str
    tags: list[str]
    ads: list[str]
    blogroll: list[Link]
    archives: list[Link]


def navigation_only(content: Content) -> str:
    """Return a page without a post."""
    return f"""{_head(content, "")}
<body>
<h1>{_text(content.blog)}</h1>
<ul>
{_each("<li>{}</li>", _navigation(content))}
</ul>
<ul>
{_each("<li>{}</li>", _links(content.archives))}
</ul>
<ul>
{_each("<li>{}</li>", _links(content.blogroll))}
</ul>
</body>
</html>
"""


def _tables(content: Content) -> str:
    """Nested tables and upper-case tags; the tags are in one line, as links alone."""
    return f"""{_head(content, '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">')}
<BODY BGCOLOR="#FFFFFF" TEXT="#222222">
<TABLE WIDTH="760" CELLPADDING="4" ALIGN="center">
<TR><TD COLSPAN="2"><H1><A HREF="{content.home}">{_text(content.blog)}</A></H1></TD></TR>
<TR><TD COLSPAN="2" CLASS="nav">{"&nbsp;|&nbsp;".join(_navigation(content))}</TD></TR>
<TR VALIGN="top"><TD WIDTH="520">
<H2>{_text(content.headline)}</H2>
<SMALL>{content.date}, {content.time}</SMALL>
{_each("<P>{}</P>", _paragraphs(content))}
<P>Posted by {content.author} | <A HREF="#c">Comments ({len(content.comments)})</A></P>
<A NAME="c"></A><H3>Comments</H3>
<TABLE>
{_each("<TR><TD><B>{}</B> wrote:<BR>{}</TD></TR>", *_comments(content))}
</TABLE>
</TD><TD WIDTH="220" BGCOLOR="#EEEEEE">
<B>About</B><BR>{_text(content.about)}
<P><B>Recent posts</B></P>
<TABLE>
{_each("<TR><TD>{}<BR><SMALL>{}</SMALL></TD></TR>", *_teasers(content))}
</TABLE>
<P><B>Sponsored links</B></P>
{_each("<TABLE><TR><TD>{}</TD></TR></TABLE>", map(_text, content.ads))}
<P><B>Subjects</B></P>
<P>{" ".join(f'<A HREF="{content.home}tags">{_text(tag)}</A>' for tag in content.tags)}</P>
<P><B>Blogroll</B></P>
{_each("{}<BR>", _links(content.blogroll))}
<P><B>Archives</B></P>
{_each("{}<BR>", _links(content.archives))}
</TD></TR>
<TR><TD COLSPAN="2"><SMALL>{_footer(content)}</SMALL></TD></TR>
</TABLE>
</BODY>
</HTML>
"""


def _divs(content: Content) -> str:
    """XHTML with divs and classes; the tags are a cloud of spans."""
    return f"""{_head(content, '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">')}
<body>
<div id="container">
<div id="banner"><h1><a href="{content.home}">{_text(content.blog)}</a></h1></div>
<div id="nav"><ul>
{_each("<li>{}</li>", _navigation(content))}
</ul></div>
<div id="content" class="post">
<h2 class="date">{content.date}</h2>
<h3 class="entry-title">{_text(content.headline)}</h3>
{_each("<p>{}</p>", _paragraphs(content))}
<div class="posted">Posted by {content.author} at {content.time}</div>
<h3>{len(content.comments)} Comments</h3>
{_each('<div class="comment"><cite>{}</cite> says:<p>{}</p></div>', *_comments(content))}
</div>
<div id="sidebar">
<div class="module"><h4>Recent entries</h4>
{_each('<div class="item">{}<p>{}</p></div>', *_teasers(content))}
</div>
<div class="module ads">
{_each("<div>{}</div>", map(_text, content.ads))}
</div>
<div class="module"><h4>About</h4><p>{_text(content.about)}</p></div>
<div class="module cloud">
{_each(f'<span class="t"><a href="{content.home}tags">{{}}</a></span>', map(_text, content.tags))}
</div>
<div class="module"><h4>Friends</h4><ul>
{_each("<li>{}</li>", _links(content.blogroll))}
</ul></div>
<div class="module"><h4>Archives</h4><ul>
{_each("<li>{}</li>", _links(content.archives))}
</ul></div>
</div>
<div id="footer"><p>{_footer(content)}</p></div>
</div>
</body>
</html>
"""


def _fonts(content: Content) -> str:
    """Font tags, no doctype, and P, LI, DT and DD that nobody closes."""
    return f"""{_head(content, "")}
<body bgcolor="ivory">
<center><font size="6" face="Comic Sans MS">{_text(content.blog)}</font>
<br>{" - ".join(_navigation(content))}</center>
<hr>
<font size="2"><i>{content.date}</i></font>
<p><font size="5" color="navy">{_text(content.headline)}</font>
{_each("<p>{}", _paragraphs(content))}
<p><font size="1">{content.author}, {content.time}</font>
<hr>
<b>Your comments</b>
<dl>
{_each("<dt>{}<dd>{}", *_comments(content))}
</dl>
<hr>
<b>Also on this site</b>
<ul>
{_each('<li>{} <font size="1">{}</font>', *_teasers(content))}
</ul>
{_each('<center><font color="red">{}</font></center>', map(_text, content.ads))}
<p>{_text(content.about)}
<p>{" ".join(f'<font size="4">{_text(tag)}</font>' for tag in content.tags)}
<ul>
{_each("<li>{}", _links(content.blogroll))}
</ul>
<ul>
{_each("<li>{}", _links(content.archives))}
</ul>
<p><font size="1">{_footer(content)}</font>
"""


def _lists(content: Content) -> str:
    """Return a page whose sidebar precedes the post, in definition lists."""
    return f"""{_head(content, '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">')}
<body class="two-column">
<form action="{content.home}search"><input name="q"><input type="submit" value="Search"></form>
<ol class="menu">
{_each("<li>{}</li>", _navigation(content))}
</ol>
<div class="left">
<dl><dt>Latest
{_each("<dd>{}<br>{}</dd>", *_teasers(content))}
</dl>
<dl><dt>Archives
{_each("<dd>{}</dd>", _links(content.archives))}
</dl>
<dl><dt>I read
{_each("<dd>{}</dd>", _links(content.blogroll))}
</dl>
{_each('<p class="ad">{}</p>', map(_text, content.ads))}
</div>
<div class="right">
<h1>{_text(content.blog)}</h1>
<h2>{_text(content.headline)}</h2>
<p class="meta">{content.date} by {content.author}</p>
{_each("<p>{}</p>", _paragraphs(content))}
<p class="tags">Tags: {", ".join(f"<em>{_text(tag)}</em>" for tag in content.tags)}</p>
<ol class="comments">
{_each("<li><b>{}</b><br>{}</li>", *_comments(content))}
</ol>
</div>
<address>{_text(content.about)}</address>
<p>{_footer(content)}</p>
</body>
</html>
"""


TEMPLATES: tuple[Callable[[Content], str], ...] = (_tables, _divs, _fonts, _lists)


def _head(content: Content, doctype: str) -> str:
    meta = f"text/html; charset={content.charset}" if content.charset else "text/html"
    return f"""{doctype}
<html>
<head>
<title>{_text(content.blog)}: {_text(content.headline)}</title>
<meta http-equiv="Content-Type" content="{meta}">
<meta name="keywords" content="{_text(", ".join(content.tags))}">
<style type="text/css">
body {{ font-family: Georgia, serif; }} .ads, .ad {{ color: #933; }}
</style>
<script type="text/javascript">
var counter = "{content.home}count"; if (counter.length < 1) {{ document.write("no counter"); }}
</script>
</head>"""


def _navigation(content: Content) -> list[str]:
    names = ("Home", "About me", "Archive", "Contact", "RSS feed")
    return _links([Link(content.home + name.split()[0].lower(), name) for name in names])


def _paragraphs(content: Content) -> list[str]:
    """Return the post's paragraphs; in some its subject's title is a link or bold."""
    title = _text(content.title)
    link = f'<a href="{content.home}tags">{title}</a>'
    marks = (title, link, title, title, link, f"<b>{title}</b>")
    return [
        _text(text).replace(title, marks[position % len(marks)])
        for position, text in enumerate(content.paragraphs)
    ]


def _comments(content: Content) -> tuple[list[str], list[str]]:
    texts = [_text(comment.text) for comment in content.comments]
    return [_text(comment.author) for comment in content.comments], texts


def _teasers(content: Content) -> tuple[list[str], list[str]]:
    texts = [_text(teaser.text) for teaser in content.teasers]
    return _links([teaser.link for teaser in content.teasers]), texts


def _links(links: list[Link]) -> list[str]:
    return [f'<a href="{link.url}">{_text(link.text)}</a>' for link in links]


def _footer(content: Content) -> str:
    return (
        f"Copyright &copy; 2003-2005 {_text(content.author)}. All rights reserved. "
        "Reproduction only with written permission and a friendly word."
    )


def _each(pattern: str, *columns: Iterable[str]) -> str:
    """Return the pattern filled once for each row of the columns, a line each."""
    return "\n".join(pattern.format(*row) for row in zip(*columns, strict=True))


def _text(text: str) -> str:
    return escape(text, quote=False)
