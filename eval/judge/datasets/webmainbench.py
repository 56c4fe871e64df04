"""WebMainBench: `*.jsonl`, a page per line with its HTML and its main content in Markdown.

Apache 2.0. Source: Liu et al., Dripper: Token-Efficient Main HTML Extraction with a Lightweight LM,
arXiv 2511.23119, 2025. The gold text is `convert_main_content`, by which its board is computed, or
`groundtruth_content`. What its annotators left in the HTML is removed.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.page import (
    DatasetFormat,
    JudgedPage,
    Pages,
    Skipped,
)
from boilersweep.outputs.typed_files import decode_json
from boilersweep.pages.hosts import host_of
from boilersweep.pages.language import primary_tag

_MARK = re.compile(r"""\scc-select\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)""", re.IGNORECASE)


class _Line(msgspec.Struct):
    track_id: Annotated[str, msgspec.Meta(min_length=1)]
    html: str
    convert_main_content: str = ""
    groundtruth_content: str = ""
    url: str | None = None
    meta: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class LinePage(JudgedPage):
    """A page of the line that begins at `offset` of its file."""

    offset: int = 0
    markdown: ClassVar[bool] = True

    @property
    def html(self) -> bytes:
        """The line's HTML as UTF-8, read at each call; raises InputError."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                line = decode_json(file.readline(), _Line)
        except (OSError, ValueError) as error:
            raise InputError(
                f"cannot read {self.name} of {self.path}: {error}"
            ) from error
        return _MARK.sub("", line.html).encode()


def _read(home: Path) -> Pages:
    pages: dict[str, JudgedPage] = {}
    skipped = []
    for path in sorted(home.glob("*.jsonl")):
        with path.open("rb") as file:
            for line in iter(file.readline, b""):
                offset = file.tell() - len(line)
                try:
                    page = _page(path, offset, decode_json(line, _Line))
                except ValueError:
                    skipped.append(
                        Skipped(
                            f"{path.name} at byte {offset:,}",
                            "no line with track_id and html",
                        )
                    )
                    continue
                if pages.setdefault(page.name, page) is not page:
                    skipped.append(
                        Skipped(page.name, "another line has the same track_id")
                    )
    return [pages[name] for name in sorted(pages)], skipped


def _page(path: Path, offset: int, found: _Line) -> JudgedPage:
    url = found.url or ""
    return LinePage(
        found.track_id,
        path,
        "utf-8",
        found.convert_main_content or found.groundtruth_content,
        host_of(url) or found.track_id,
        url,
        page_type=str(found.meta.get("level") or ""),
        language=primary_tag(str(found.meta.get("language") or "")),
        offset=offset,
    )


FORMAT = DatasetFormat(
    name="webmainbench",
    title="WebMainBench",
    layout="*.jsonl",
    licence="WebMainBench, OpenDataLab, 2025, https://github.com/opendatalab/WebMainBench, "
    "Apache 2.0; the pages were reduced to numbers",
    read=_read,
)
