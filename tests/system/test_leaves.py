"""Applications that can be deleted: what goes with each."""

from pathlib import Path

import leaves
import pytest

KNOWN = leaves.applications()


@pytest.mark.parametrize("name", KNOWN)
def test_every_module_of_an_application_exists(name: str) -> None:
    application = KNOWN[name]
    assert application.modules <= application.importers
    for module in application.modules:
        assert leaves.files_of(module, leaves.ROOT), module
    assert not leaves.is_deleted(application)


def test_an_application_without_its_files_is_deleted(tmp_path: Path) -> None:
    assert leaves.is_deleted(KNOWN["clusters"], tmp_path)


def test_what_needs_an_application_goes_with_it() -> None:
    assert leaves.deleted_with(["clusters"], KNOWN) == ["clusters"]
    assert leaves.deleted_with(["learned"], KNOWN) == ["learned", "judge"]
    assert leaves.deleted_with(["judge", "report"], KNOWN) == [
        "judge",
        "report",
        "blogs06",
    ]


def test_tests_go_with_what_they_mirror_or_import_themselves_or_by_helpers(
    tmp_path: Path,
) -> None:
    texts = {
        "conftest.py": "",
        "helper.py": "from boilersweep.work import cluster\n",
        "test_direct.py": "import boilersweep.work.cluster\n",
        "test_helped.py": "from tests.helper import cluster\n",
        "test_public.py": "from boilersweep import joined\n",
        "test_other.py": "from boilersweep.work import clusters\n",
        "work/test_tls.py": "",
        "work/test_tls_keys.py": "",
        "work/cluster/test_hosts.py": "",
        "work/test_clusters.py": "",
        "below/conftest.py": "import tests.helper\n",
        "below/test_below.py": "",
    }
    package = tmp_path / "src" / "boilersweep" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("from boilersweep.work.cluster import joined\n")
    for name, text in texts.items():
        path = tmp_path / "tests" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    gone = leaves.tests_of(KNOWN["clusters"].modules, tmp_path)
    kept = {str(path.relative_to(tmp_path / "tests")) for path in gone} ^ set(texts)
    assert kept == {"conftest.py", "test_other.py", "work/test_clusters.py"}


def test_the_size_of_a_copy_is_its_statements_without_docstrings(
    tmp_path: Path,
) -> None:
    texts = {
        "src/a.py": '"""Of a."""\n\nx = 1\n',
        "eval/b.py": 'def f():\n    """Of f."""\n    if x:\n        return 2\n',
        "tests/c.py": "z = 3\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert leaves.size_of(tmp_path) == (4, 2)


def test_an_unknown_application_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert leaves.main(["report", "reports"]) == 2
    assert capsys.readouterr().err.endswith("clusters, all, got reports\n")
