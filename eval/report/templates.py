"""The templates of pages and what they share: the style sheet with the palette."""

from importlib import resources
from typing import Any

from boilersweep.eval.report import palette


def environment() -> Any:
    """Jinja's, which escapes every text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(packaged),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def packaged(name: str) -> str:
    """The text of a file beside this module."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def style() -> str:
    """The style sheet, with the palette as CSS variables; on paper the light one."""
    names = "INK MUTED LINE ACCENT GOLD PUBLISHED".split()
    light = {name.lower(): getattr(palette, name) for name in names}
    dark = {name: palette.DARK[colour] for name, colour in light.items()}
    lines = [_variables(":root", light)]
    lines.append(
        f"@media screen and (prefers-color-scheme: dark) {{ {_variables(':root', dark)} }}"
    )
    sheets = ("report.css", "pairs.css", "languages.css")
    return "\n".join([*lines, *map(packaged, sheets)])


def _variables(selector: str, colours: dict[str, str]) -> str:
    inner = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
    return f"{selector} {{ {inner} }}"
