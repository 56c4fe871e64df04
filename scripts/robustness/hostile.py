"""Pages that would keep a parser busy: the same few bytes again and again."""

from collections.abc import Callable, Iterator
from itertools import count

Maker = Callable[[int], bytes]
"""A page of about so many bytes."""

_NAMES = (
    "a abbr b big blockquote body br button caption center col colgroup dd details dir div dl dt "
    "em embed fieldset font form frame frameset h1 head hr html i iframe img input label legend li "
    "link main map math meta noembed noframes noscript object ol optgroup option p plaintext pre q "
    "ruby script select small span strong style sub svg table tbody td template textarea tfoot th "
    "thead title tr tt u ul video wbr xmp x:y unknown"
).split()
_AROUND_A_NAME = (
    "<{0}>|<{0}>x|<{0} |</{0}>|</{0} |<{0}><div>|<{0}><p>|<table><{0}>|<a><{0}>x|<{0}>x</{0}>"
).split("|")
_BEHIND = "< </ <!-- & x".split()
_ALONE = (
    "< </ <! <? <!-- <!--> <!---> --> --!> <![CDATA[ ]]> <![CDATA[x]]> & &amp &amp; &# &#x &#1 "
    "<a/x='> <a/x=\"> <a/x='>'> <a/x=y> \" ' - <!doctype <!DOCTYPE/html> <!ENTITY/a/'&a;'> "
    "<?xml/?> <script><!-- <script></script <title/> <titlex </title <meta/charset= </br> <p></p> "
    "\t \n \x01 \u3000 é x"
).split(" ")


def hostile_pages() -> Iterator[tuple[str, Maker]]:
    """Every kind of page and its name."""
    for name in _NAMES:
        for form in _AROUND_A_NAME:
            yield _again(form.format(name))
        for text in _BEHIND:
            yield _joined((f"<{name}>", 0), (text, 1))
        yield _joined(("<div>", 1), (f"</{name}>", 1))
        yield _joined(("<font>", 1), (f"<{name}>", 1))
        yield _joined(("<font>", 1), (f"<{name}></i>", 1))
    for text in _ALONE:
        yield _again(text)
    yield _joined(("<i>", 1), ("<div>", 1), ("</i>", 1))
    yield _joined(("<table><tr><td>", 1), ("</font>", 1))
    yield _joined(("<table><font>", 1), ("</table>", 1))
    yield _joined(("<font>x", 1), ("</font>y", 1))
    yield _again("<div></i>")
    yield _again("x<a></a>")
    yield _joined(("<meta ", 0.0003), ("charset", 0.0002), ("charset=", 0), (" ", 1))
    for opening, text, closing in (
        ("<", "a", ">"),
        ("&", "a", ";"),
        ("&#", "1", ";"),
        ("<p class='", "a ", "'>x"),
        ("<p class='", "&amp;", "'>x"),
        ("<p style='", "display : ", "'>x"),
        ("<p", " class=a", ">x"),
        ("<!DOCTYPE html PUBLIC '", "x", "' '"),
    ):
        yield _joined((opening, 0), (text, 1), (closing, 0))
    for form in ("<n{0}>", "<html a{0}=1>", "<body a{0}=1>"):
        yield f"{form} numbered", lambda size, form=form: _numbered(form, size)  # type: ignore[misc]
    yield (
        "long tags",
        lambda size: b"".join(
            b"<p%s>x" % _numbered(" a{0}", 60_000) for _ in range(1 + size // 60_000)
        ),
    )


def _again(text: str) -> tuple[str, Maker]:
    return _joined((text, 1))


def _joined(*parts: tuple[str, float]) -> tuple[str, Maker]:
    """A page of texts, each as often as its share of the bytes allows, but once at least."""
    shares = sum(share for _, share in parts)

    def make(size: int) -> bytes:
        return b"".join(
            text.encode() * max(1, int(size * share / shares / len(text.encode())))
            for text, share in parts
        )

    return "".join(f"{text}*" if share else text for text, share in parts), make


def _numbered(form: str, size: int) -> bytes:
    made: list[bytes] = []
    for number in count():
        if size <= 0:
            break
        made.append(form.format(number).encode())
        size -= len(made[-1])
    return b"".join(made)
