"""JSON-LD: what the scripts of a page state of it (W3C, JSON-LD 1.1), read by its types alone."""

from collections.abc import Iterator, Mapping
from typing import Any

from boilersweep.outputs.typed_files import parse_json
from boilersweep.pages.metadata_values import DEEPEST

# Properties whose values are of others.
_OF_OTHERS = frozenset(
    "itemListElement comment comments review reviews acceptedAnswer suggestedAnswer hasPart "
    "mentions citation isRelatedTo relatedLink event events subEvent blogPost".split()
)
_AROUND = " \t\n\r\f\v*/"
_KINDS = (  # of nodes, by the end of their type
    (
        "article",
        ("Article", "Posting", "Report", "Recipe", "HowTo", "Question", "Thesis"),
    ),
    ("page", ("Page",)),
    ("site", ("WebSite",)),
    (
        "work",
        (
            "Product",
            "Course",
            "Event",
            "VideoObject",
            "Book",
            "Movie",
            "Episode",
            "Podcast",
        ),
    ),
)


def statements(script: str) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Yield the kind and the properties of each node of a script; none of one that is damaged."""
    try:
        nodes = list(_nodes(parse_json(_unwrapped(script), strict=False)))
    except ValueError:
        return
    by_id = {
        node["@id"]: node
        for node in nodes
        if isinstance(node.get("@id"), str) and len(node) > 1
    }

    def resolved(value: Any) -> Any:
        """Return the node itself for a reference to one."""
        id_ = value.get("@id") if isinstance(value, dict) and len(value) == 1 else None
        return by_id.get(id_, value) if isinstance(id_, str) else value

    for node in nodes:
        if kind := _kind_of(node):
            yield (
                kind,
                {
                    name: list(
                        map(resolved, value if isinstance(value, list) else [value])
                    )
                    for name, value in node.items()
                },
            )


def _unwrapped(text: str) -> str:
    """Return a script without the marks of comments and CDATA sections around it."""
    text = text.strip(_AROUND)
    for mark in ("<![CDATA[", "<!--"):
        text = text.removeprefix(mark)
    for mark in ("]]>", "-->"):
        text = text.removesuffix(mark)
    return text.strip(_AROUND)


def _kind_of(node: Mapping[str, Any]) -> str | None:
    types = node.get("@type")
    names = [
        name
        for name in (types if isinstance(types, list) else [types])
        if isinstance(name, str)
    ]
    return next(
        (kind for kind, ends in _KINDS for name in names if name.endswith(ends)), None
    )


def _nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON value, outer ones first."""
    if depth > DEEPEST:
        return
    if isinstance(value, dict):
        yield value
        value = [value[name] for name in value if name not in _OF_OTHERS]
    if isinstance(value, list):
        for part in value:
            yield from _nodes(part, depth + 1)
