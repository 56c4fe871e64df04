"""The manual's recipe for Hugging Face datasets, run as it stands there with the real package."""

import gc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from boilersweep import clean

MANUAL = Path(__file__).parents[2] / "src" / "boilersweep" / "cleaning" / "README.md"
PAGES = ["<p>menu<p>a paragraph of more than five words", "", "<p>" + "x " * 9 * 2**20]


@pytest.fixture
def collected() -> Iterator[None]:
    """Collect the package's garbage here: newer Pythons complain of it, in whatever test runs."""
    yield
    gc.collect()


@pytest.mark.application("learned")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("collected")
def test_the_recipe_cleans_every_page(tmp_path: Path) -> None:
    datasets = pytest.importorskip(
        "datasets", reason="Hugging Face datasets is not installed"
    )
    (recipe,) = re.findall(
        r"```python\n([^`]*batched=True[^`]*)```", MANUAL.read_text("utf-8")
    )
    pages = datasets.Dataset.from_dict({"html": PAGES})
    place = {"pages": pages, "__name__": "recipe"}
    exec(recipe, place)  # noqa: S102
    assert place["pages"]["text"][:] == [clean(PAGES[0]), "", ""]
