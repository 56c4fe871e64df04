"""Pages in a folder: links around stories, of eight sites."""

import random
from pathlib import Path

import pytest

WORDS = "pony river rain evening village bank story water morning field people grass".split()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = random.Random(7)  # noqa: S311
    home = tmp_path_factory.mktemp("pages")
    for name in range(24):
        paragraphs = [
            " ".join(drawn.choice(WORDS) for _ in range(drawn.randint(12, 40))) + "."
            for _ in range(drawn.randint(1, 5))
        ]
        menu = "".join(
            f"<li><a href=/>{drawn.choice(WORDS).title()}</a></li>"
            for _ in range(drawn.randint(2, 6))
        )
        story = "".join(f"<p>{text}</p>" for text in paragraphs)
        (home / f"{name}.html").write_text(
            f"<!DOCTYPE html><nav class=menu><ul>{menu}</ul></nav><main>{story}</main>"
            f"<footer><p>© {name} <a href=/p>Privacy</a></p></footer>"
        )
        (home / f"{name}.txt").write_text("\n".join(paragraphs))
    return home
