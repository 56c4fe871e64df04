"""A study in brief, for a mail: the answer, a figure, and what was run, as one small page."""

import base64
from pathlib import Path

from boilersweep.eval.report.answer import answer_of
from boilersweep.eval.report.provenance import method_of
from boilersweep.eval.report.templates import environment
from boilersweep.eval.study.results import Study

_FIGURES = {
    "curve.png": "Scores against thresholds",
    "forest.png": "Differences from the baseline, with their intervals",
}


def render_brief(study: Study, folder: Path) -> str:
    """The page; its figure is the curve of the study's folder, or the differences without one."""
    name = next(name for name in _FIGURES if (folder / name).is_file())
    values = {
        "study": study,
        "answer": answer_of(study),
        "method": method_of(study),
        "figure": base64.b64encode((folder / name).read_bytes()).decode(),
        "alt": _FIGURES[name],
    }
    page: str = environment().get_template("brief.html.jinja").render(values)
    return page
