"""What the chosen cleaner is and what its model was trained on, as the study noted it."""

from collections.abc import Iterator
from typing import Any

from boilersweep.eval.report.wording import count
from boilersweep.eval.study.results import Study, StudyRow


def about(study: Study, row: StudyRow) -> list[str]:
    """Sentences on a cleaner; none where the study says nothing of it, as of thresholds."""
    return [text for one in _known(study, row) for text in _sentences(one)]


def licences(study: Study) -> list[str]:
    """What the models of all cleaners were trained on, in the words of their licences."""
    models = {
        one["name"]: one["model"]
        for row in study.rows
        for one in _known(study, row)
        if "licence" in one.get("model", {})
    }
    return [f"{name}: {model['licence']}" for name, model in models.items()]


def _known(study: Study, row: StudyRow) -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = study.run.get("about", {}).get(str(row.variant), [])
    return known


def _sentences(one: dict[str, Any]) -> Iterator[str]:
    yield f"{one['name']}: {one['summary']}."
    model = one.get("model", {})
    if "trained_on" not in model:
        return
    pages = f"{count(model['pages'], 'page')} of " if "pages" in model else ""
    sentence = f"The model was trained on {pages}{model['trained_on']}"
    if "word_f1" in model:
        sentence += (
            "; on sites that training excluded, its mean word F1 against people\u2019s text is "
            f"{model['word_f1']:.3f}"
        )
    yield f"{sentence}. Its figures are too high where the collection contains these pages."
