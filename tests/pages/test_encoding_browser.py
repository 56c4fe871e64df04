"""Decoding beside what a browser shows: 44 pages in 22 encodings, with right and wrong labels."""

from pathlib import Path
from typing import Any

import pytest

from boilersweep.pages.encoding import to_utf8
from tests.pages.old_web import OLD_WEB, page


def shown(browser: Any, path: Path, body: bytes) -> str:
    path.write_bytes(body)
    browser.get(path.as_uri())
    text: str = browser.execute_script("return document.querySelector('p').textContent")
    return text


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_a_page_with_its_label_is_what_a_browser_shows(
    browser: Any, tmp_path: Path, label: str, codec: str, text: str
) -> None:
    body = page(text, label).encode(codec)
    assert f"<p>{shown(browser, tmp_path / 'page.html', body)}</p>" in to_utf8(body).utf8.decode()


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_a_page_with_a_wrong_label_is_what_a_browser_shows_under_the_right_one(
    browser: Any, tmp_path: Path, label: str, codec: str, text: str
) -> None:
    body = page(text, label).encode()
    right = page(text, "utf-8").encode()
    assert shown(browser, tmp_path / "wrong.html", body) != text
    expected = shown(browser, tmp_path / "right.html", right)
    assert f"<p>{expected}</p>" in to_utf8(body).utf8.decode()
