"""The page of the made-up study, and readers of pages."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from boilersweep.eval.report.report_page import render
from boilersweep.eval.study.results import Study
from tests.eval.made_up import (
    ReadStudy,
    document,
    evidence,
    made_up_evidence,
    made_up_study,
    read,
    study,
)

__all__ = ["document", "evidence", "read", "study"]


def write_report(
    study: Study, evidence: list[dict[str, Any]], path: Path, **more: Any
) -> Path:
    path.write_text(render(study, evidence, **more), "utf-8")
    return path


@pytest.fixture(scope="session")
def page(
    read: ReadStudy, sketched_figures: Callable[[], AbstractContextManager[None]]
) -> str:
    with sketched_figures():
        return render(read(made_up_study()), made_up_evidence())


@pytest.fixture(scope="session")
def report(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, "utf-8")
    return path


class Elements(HTMLParser):
    """All elements with their attributes, and the texts of scripts by id or number."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self._script = dict(attrs).get("id") or f"script-{len(self.scripts)}"
            self.scripts[self._script] = ""

    def handle_endtag(self, _tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


ReadHtml = Callable[[str], Elements]


@pytest.fixture
def read_html() -> ReadHtml:
    return Elements
