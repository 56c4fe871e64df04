"""What of a study stands where in the report. A study here is `study.json` as it was read."""

from collections.abc import Mapping
from typing import Any

StudyDocument = Mapping[str, Any]
"""`study.json`, version 1; see boilersweep.eval.study.study_json."""

FEATURES = ("words", "density")


def swept_features(study: StudyDocument) -> list[str]:
    """The features a sweep was made of."""
    found = {v["feature"] for v in study["variants"] if v["role"] == "swept"}
    return [feature for feature in FEATURES if feature in found]


def thresholds_of(study: StudyDocument, feature: str) -> list[int]:
    """Places of all thresholds of a feature, in ascending order of them."""
    variants = study["variants"]
    places = [n for n, variant in enumerate(variants) if variant["feature"] == feature]
    if feature != variants[0]["feature"] and variants[0]["threshold"] == 1:
        # Every block has at least one word, and a density of at least 1: the same text.
        has_first = any(variants[n]["threshold"] == 1 for n in places)
        places += [] if has_first else [0]
    return sorted(places, key=lambda n: variants[n]["threshold"])


def shown_places(study: StudyDocument) -> list[int]:
    """The places to show first: all but the thresholds of sweeps; of these the best by each
    measure, what was chosen (as a whole or in a fold) and what was suggested.
    """
    variants = study["variants"]
    places = {n for n, variant in enumerate(variants) if variant["role"] != "swept"}
    for feature in swept_features(study):
        swept = [n for n in thresholds_of(study, feature) if variants[n]["role"] == "swept"]
        for measure in study["measures"]["tested"]:
            places.add(max(swept, key=lambda n: variants[n]["results"][measure]["mean"]))
    if study["choice"]:
        places |= {study["choice"]["chosen"]}
        places |= {fold["chosen"] for fold in study["choice"]["folds"]}
    if study["suggestion"] and study["suggestion"]["place"] is not None:
        places.add(study["suggestion"]["place"])
    return sorted(places)


def best_place(study: StudyDocument) -> int:
    """The place with the best mean by the first measure, the gold text apart; of equal ones the
    first.
    """
    measure = study["measures"]["tested"][0]
    places = [n for n, variant in enumerate(study["variants"]) if variant["role"] != "gold"]
    return max(places, key=lambda n: study["variants"][n]["results"][measure]["mean"])


def chosen_place(study: StudyDocument) -> int:
    """What was chosen by cross-validation; without that what is best."""
    return study["choice"]["chosen"] if study["choice"] else best_place(study)


def ordered(study: StudyDocument, places: list[int]) -> list[int]:
    """The baseline, all others from the best on by the first measure, the gold text."""
    variants, measure = study["variants"], study["measures"]["tested"][0]
    ranks = {"baseline": 0, "gold": 2}
    return sorted(
        places,
        key=lambda n: (
            ranks.get(variants[n]["role"], 1),
            -variants[n]["results"][measure]["mean"],
        ),
    )
