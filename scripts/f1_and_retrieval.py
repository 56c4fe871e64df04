"""Draw all cleaners by word F1 and by P@10, from the tables of eval/judge/MEASUREMENTS.md.

    python scripts/f1_and_retrieval.py [--output OUTPUT]

It draws OUTPUT.svg and OUTPUT.png, and prints the rank correlations.
"""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scipy.stats import spearmanr

from boilersweep.outputs.pictures import (
    ACCENT,
    INK,
    Picture,
    axis,
    layer,
    picture_files,
    shortened,
)

MEASUREMENTS = Path(__file__).parents[1] / "eval" / "judge" / "MEASUREMENTS.md"
F1 = "WCXB"
P10 = ("open P@10", "traps P@10")

# The tables have `learned` as it is on unseen sites, and everything, under other names.
_NAMES = {
    "*learned, held out*, without titles": "learned",
    "`words>=1`, everything": "everything",
    "`keep-everything`": "everything",
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--measurements", type=Path, default=MEASUREMENTS)
    parser.add_argument("--output", type=Path, default=Path("f1-and-retrieval"))
    args = parser.parse_args(arguments)
    text = args.measurements.read_text(encoding="utf-8")
    f1, *p10 = (column(text, name) for name in (F1, *P10))
    both = [name for name in f1 if all(name in scores for scores in p10)]
    print(f"{len(both)} cleaners: {', '.join(both)}")
    for name, scores in zip(P10, p10, strict=True):
        found = correlation(f1, scores, both)
        print(f"{name}: Spearman's rank correlation with word F1 {found:.2f}")
    draw(f1, dict(zip(P10, p10, strict=True)), both, args.output)
    print(*picture_files(args.output), sep="\n")
    return 0


def column(text: str, head: str) -> dict[str, float]:
    """Return cleaner -> score of the table with a column of that head; the first score counts."""
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if f"| {head} |" in line)
    place = cells(lines[first]).index(head)
    found: dict[str, float] = {}
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        row = cells(line)
        names = [_NAMES[row[0]]] if row[0] in _NAMES else re.findall("`(.+?)`", row[0])
        score = re.search(r"\.\d+", row[place])
        for name in names:
            if score:
                found.setdefault(name, float(score[0]))
    return found


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def correlation(
    one: Mapping[str, float], other: Mapping[str, float], names: Sequence[str]
) -> float:
    """Return Spearman's rank correlation of the cleaners' scores."""
    return float(
        spearmanr([one[n] for n in names], [other[n] for n in names]).statistic
    )


def draw(
    f1: Mapping[str, float],
    p10: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    stem: Path,
) -> None:
    """Draw a panel for each column of P@10, with a dot for each cleaner."""
    drawn = []
    for head, scores in p10.items():
        points = {name: (f1[name], scores[name]) for name in names}
        dots = [{"x": x, "y": y} for x, y in points.values()]
        texts = [
            {"x": left, "y": height, "name": shortened(name)}
            for name, (left, height) in placed(points).items()
        ]
        x = axis("x", "word F1, WCXB")
        y = axis("y", f"P@10, newsmix, {head.split()[0]} topics")
        text = {"type": "text", "align": "left", "fontSize": 9, "color": INK}
        mark = {"type": "point", "filled": True, "size": 40, "color": ACCENT}
        title = f"rank correlation {correlation(f1, scores, names):.2f}, {len(names)} cleaners"
        drawn.append(
            {
                "title": title,
                "width": 500,
                "height": 440,
                "layer": [
                    layer(mark, dots, x=x, y=y),
                    layer(text, texts, x=x, y=y, text={"field": "name"}),
                ],
            }
        )
    Picture({"hconcat": drawn}).write(stem)


def placed(points: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return where each label begins: beside its point, as near as no other label or point is."""
    heights = [y for _, y in points.values()]
    line = (max(heights) - min(heights)) / 40
    least = min(x for x, _ in points.values())
    taken = [(x - 0.004, x + 0.004, y) for x, y in points.values()]
    found: dict[str, tuple[float, float]] = {}
    for name, (x, y) in points.items():
        width = 0.006 + 0.0027 * len(name)
        tries = [
            (left, y + step * line)
            for step in (0, 0.7, -0.7, 1.2, -1.2, 2, -2, 3, -3, 4)
            for left in (x + 0.006, x - width)
            if left > least
        ]
        left, height = next(
            (one for one in tries if is_free(one, width, line, taken)), tries[0]
        )
        taken.append((left, left + width - 0.006, height))
        found[name] = (left, height)
    return found


def is_free(
    start: tuple[float, float],
    width: float,
    line: float,
    taken: Sequence[tuple[float, float, float]],
) -> bool:
    left, height = start
    return all(
        abs(height - other) >= line * 0.85 or left > end or left + width - 0.006 < begin
        for begin, end, other in taken
    )


if __name__ == "__main__":
    sys.exit(main())
