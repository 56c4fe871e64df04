"""A small made-up study with its evidence, and hostile text in it; fixtures of both."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import read_study

HOSTILE = (
    '</script><script>window.pwned = 1; alert(1)</script><img src=x onerror="window.pwned=2">'
    "<!--]]>\u202e\u2028&lt;{{ 7 * 7 }}<svg onload=window.pwned=3>"
    '<iframe src="http://pwned.invalid/"></iframe>'
)

TOPICS = {"t1": "first query", "t2": f"second {HOSTILE}", "t3": "third query"}

SCORES = {
    "words>=1": (0.2, 0.4, 0.6),
    "bte": (0.6, 0.4, 0.5),
    "words>=2": (0.3, 0.4, 0.6),
    "words>=3": (0.1, 0.2, 0.3),
    "density>=2": (0.2, 0.5, 0.6),
    "gold": (0.9, 0.9, 0.9),
}

RUN = {
    "input": f"/data/{HOSTILE}",
    "documents": 10,
    "skipped": {"too long": 2},
    "analyzer": {"language": "en", "stemmer": "porter", "keep_stopwords": False},
    "model": "bm25(k1=0.9,b=0.4)",
    "hits": 1000,
    "engine": "exact",
    "verified": {
        "variants": ["words-1"],
        "hits": 30,
        "model": "bm25(k1=0.9,b=0.4)",
        "documents": 10,
        "sampled": 5,
        "seed": 0,
        "complete": True,
    },
    "versions": {"boilersweep": "0.0.0"},
    "store": "/data/store",
    "sources": {},
    "languages": {},
    "other_languages": {},
    "about": {},
    "notes": [],
}


def _variant(place: int, cleaner: str) -> dict[str, Any]:
    scores = SCORES[cleaner]
    kept = SCORES["words>=1"]
    feature, _, value = cleaner.partition(">=")
    role = {"words>=1": "baseline", "bte": "cleaner", "gold": "gold"}.get(
        cleaner, "swept"
    )
    changes = [score - one for score, one in zip(scores, kept, strict=True)]
    mean, change = sum(scores) / 3, sum(changes) / 3
    p = 0.01 if cleaner == "bte" else 1.0
    tests = {"randomisation": p, "t": p, "randomisation_holm": p, "t_holm": p}
    difference = {
        "difference": round(change, 6),
        "difference_low": round(change - 0.05, 6),
        "difference_high": round(change + 0.05, 6),
        "wins": sum(one > 1e-9 for one in changes),
        "ties": sum(abs(one) <= 1e-9 for one in changes),
        "losses": sum(one < -1e-9 for one in changes),
        "tests": {} if role == "gold" else tests,
    }
    result = {
        "mean": round(mean, 6),
        "low": round(mean - 0.1, 6),
        "high": round(mean + 0.1, 6),
        "gap_closed": round(change / 0.5, 6),
        **({} if role == "baseline" else difference),
    }
    beside = {"mean": 0.9}
    return {
        "name": cleaner.replace(">=", "-"),
        "cleaner": cleaner,
        "feature": feature if value else None,
        "threshold": float(value) if value else None,
        "role": role,
        "documents": 10 - place,
        "empty": place,
        "tokens": 1000 - 100 * place,
        "tokens_kept": 1 - place / 10,
        "index_bytes": 2_000_000 - place,
        "index_measured": place < 2,
        "relevant_empty": place,
        "terms_lost": place / 100,
        "relevant_empty_by_topic": [place, 0, 0],
        "terms_lost_by_topic": [place, 0, 0],
        "results": {"P@10": result, "nDCG@10": result, "Judged@10": beside},
        "scores": {
            "P@10": list(scores),
            "nDCG@10": list(scores),
            "Judged@10": [0.9] * 3,
        },
        "run": f"runs/{cleaner}.trec",
    }


def made_up_study() -> dict[str, Any]:
    return {
        "study_version": 2,
        "boilersweep": "0.0.0",
        "title": f"Made up {HOSTILE}",
        "statistics": {
            "level": 0.95,
            "resamples": 10_000,
            "permutations": 100_000,
            "seed": 2010,
            "comparisons": 8,
            "significant": 0.05,
            "tests": ["randomisation", "t"],
        },
        "measures": {"tested": ["P@10", "nDCG@10"], "beside": ["Judged@10"]},
        "topics": [
            {
                "id": topic,
                "query": query,
                "terms": query.split()[:1],
                "judged": 5,
                "relevant": 3,
                "relevant_here": 3,
                "pairs": 3,
                "language": None,
            }
            for topic, query in TOPICS.items()
        ],
        "variants": [_variant(n, cleaner) for n, cleaner in enumerate(SCORES)],
        "pairs": None,
        "choice": {
            "measure": "P@10",
            "chosen": 1,
            "seen": 0.5,
            "mean": 0.45,
            "interval": [0.3, 0.6],
            "gain": 0.05,
            "gain_interval": [0.01, 0.09],
            "votes": [[1, 2], [4, 1]],
            "folds": [
                {"topics": [n], "chosen": chosen, "training": 0.4, "held_out": 0.45}
                for n, chosen in enumerate((1, 1, 4))
            ],
        },
        "suggestion": {
            "cleaner": "words>=2",
            "place": 2,
            "blocks": 99,
            "short_share": 0.7,
            "short_stop": 0.5,
            "long_stop": 0.1,
            "r2_adjusted": 0.99,
            "rmse": 0.001,
            "observed": [0.5, 0.3, 0.2],
            "short": [0.4, 0.2, 0.1],
            "long": [0.1, 0.1, 0.1],
        },
        "advice": {
            "cleaner": "bte",
            "sentences": ["Index with bte.", "The cost: little."],
            "command": "boilersweep index --store 'a <b>' --keep bte --output out",
        },
        "sweeps": [],
        "kinds": [],
        "notes": [f"A note {HOSTILE}"],
        "run": copy.deepcopy(RUN),
    }


def _document(
    docid: str, change: str, ranks: list[int | None], verdict: str | None
) -> dict[str, Any]:
    matches = [
        {
            "block": 0,
            "kept": [1, 0],
            "counts": [1],
            "snippet": ["the ", "first", f" {HOSTILE}"],
        },
        {"block": 1, "kept": [1, 1], "counts": [1], "snippet": ["", "first", " again"]},
    ]
    return {
        "docid": docid,
        "change": change,
        "grade": 1 if change == "entered" else None,
        "rank": ranks,
        "score": [1.0, 2.0],
        "tokens": [10, 5],
        "counts": [[2], [1]],
        "sentence": f"1 of its 2 matches was dropped {HOSTILE}",
        "verdict": verdict,
        "matches": matches if change in ("entered", "left") else [],
    }


def made_up_evidence() -> list[dict[str, Any]]:
    documents = [
        _document(f"d1 {HOSTILE}", "left", [3, None], None),
        _document("d2", "entered", [12, 4], "gain"),
        _document("constructor", "same", [1, 1], None),
    ]
    pages = {
        docid: {
            "title": f"Title {HOSTILE}",
            "texts": [f"first {HOSTILE}", "first again", "menu"],
            "words": [9, 2, 1],
            "kept": ["111", "010"],
            "extractors": [],
        }
        for docid in (f"d1 {HOSTILE}", "d2")
    }
    topics = [
        {
            "id": topic,
            "query": query,
            "terms": ["first"],
            "judged": 5,
            "relevant": 3,
            "top_relevant": [2, 3],
            "top_judged": [4, 4],
            "documents": documents if topic == "t1" else [],
        }
        for topic, query in TOPICS.items()
    ]
    return [
        {
            "explain_version": 1,
            "cleaners": ["words>=1", "bte"],
            "depth": 10,
            "topics": topics,
            "pages": pages,
        }
    ]


ReadStudy = Callable[[dict[str, Any]], Study]


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> ReadStudy:
    """Return a function that reads a study.json that a test has changed."""
    path = tmp_path_factory.mktemp("study") / "study.json"

    def read_value(value: dict[str, Any]) -> Study:
        path.write_text(json.dumps(value), "utf-8")
        return read_study(path)

    return read_value


@pytest.fixture
def document() -> dict[str, Any]:
    """Return a study.json of three topics: baseline, bte (chosen), three thresholds, gold text."""
    return made_up_study()


@pytest.fixture
def study(document: dict[str, Any], read: ReadStudy) -> Study:
    """Return the study that is read from it."""
    return read(document)


@pytest.fixture
def evidence() -> list[dict[str, Any]]:
    """Of the baseline and bte: a document that left, one that entered, one that stayed."""
    return made_up_evidence()
