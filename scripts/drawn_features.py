"""Whether the learned cleaner would do better if it saw where and how a page's text is drawn.

    python scripts/drawn_features.py --dataset wcxb=WCXB --dataset l3s-gn1=L3S --seeds 2

Draws every page in headless Chromium and adds what that shows, `GROUPS` of features, to those the
shipped model reads. Models are trained on the first dataset as the shipped one is, without and with
them, and tried on pages of sites that they had not seen; the others are only tried on. Prints the
mean word F1 without, and what each group brings, with 95 % intervals over the pages.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tabulate import tabulate

from boilersweep.cleaners.learned.paragraph_columns import Paragraphs, paragraphs_of
from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from boilersweep.eval.bootstrap import bootstrap_interval
from boilersweep.eval.judge.datasets import Dataset, read_datasets
from boilersweep.eval.judge.scores import word_score
from boilersweep.eval.training import recipe
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import (
    LEARNED,
    Asked,
    Training,
    fit_without,
    one_thread,
    prepare,
)
from boilersweep.eval.training.validation import Held, splits
from boilersweep.pages.boxes import Boxes, Drawn
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray, columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.rendering.browser_pool import BrowserPool
from boilersweep.rendering.chromium import HEIGHT, WIDTH
from boilersweep.work.progress import steps

GROUPS = ("box", "font", "colours", "hidden")
BATCH = 100
BOLD = 600
NEAR = 4
"""Pixels by which the sides of boxes in one column may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """values: (r, k) features of the paragraphs of some pages. groups: (k,) the group of each."""

    values: FloatArray
    groups: list[str]


class _Page:
    """Sums over the documents of a batch, as its paragraphs need them."""

    def __init__(self, columns: BlockColumns, boxes: Boxes) -> None:
        self.paragraphs: Paragraphs = paragraphs_of(columns, "drawn features")
        self.boxes = boxes
        self.owners = columns.owners
        self.shown = boxes.blocks.shown & boxes.blocks.matched
        # A block without a word counts a little: it may be all that a paragraph has.
        self.words = columns.words * self.shown + 1e-3

    def share(self, *keys: IntArray) -> FloatArray:
        """(m,) the share of its document's words in blocks with the same keys."""
        table = np.stack([self.owners, *keys], axis=1)
        _, group = np.unique(table, axis=0, return_inverse=True)
        sums = np.bincount(group.ravel(), self.words)
        return sums[group.ravel()] / np.bincount(self.owners, self.words)[self.owners]

    def of_page(self, values: Any) -> FloatArray:
        """(m,) the mean over the words of each block's document."""
        sums = np.bincount(self.owners, self.words * values)[self.owners]
        return sums / np.bincount(self.owners, self.words)[self.owners]

    def mean(self, values: Any) -> FloatArray:
        """(p,) the mean of (m,) values over the words of each paragraph."""
        of = self.paragraphs.of_blocks
        return np.bincount(of, self.words * values) / np.bincount(of, self.words)

    def outermost(self, values: IntArray, choose: Any) -> FloatArray:
        """(p,) the least or the greatest of (m,) values over the blocks that are shown."""
        never = np.inf if choose is np.minimum else -np.inf
        found = choose.reduceat(np.where(self.shown, values, never), self.paragraphs.blocks[:-1])
        return np.where(np.isfinite(found), found, 0.0)

    def beside(self, values: FloatArray, step: int) -> FloatArray:
        """(p,) the value of the paragraph before (-1) or after (1), at the ends its own."""
        owners = self.paragraphs.owners
        other = np.clip(np.arange(len(owners)) + step, 0, len(owners) - 1)
        return np.where(owners[other] == owners, values[other], values)


def drawn_features(columns: BlockColumns, boxes: Boxes) -> DrawnRows:
    """The features of all paragraphs; of one that nobody sees all but `hidden` are near 0."""
    page = _Page(columns, boxes)
    parts = {
        "box": _box(page),
        "font": _font(page, boxes.blocks),
        "colours": _colours(page, boxes.blocks),
        "hidden": _hidden(page),
    }
    return DrawnRows(
        values=np.stack([column for group in GROUPS for column in parts[group]], axis=1),
        groups=[group for group in GROUPS for _ in parts[group]],
    )


def _box(page: _Page) -> list[FloatArray]:
    """Where a paragraph stands, how large it is, and how much text stands in the same column."""
    blocks, owners = page.boxes.blocks, page.paragraphs.owners
    width = np.maximum(page.boxes.widths, WIDTH)[owners].astype(np.float64)
    height = np.maximum(page.boxes.heights, HEIGHT)[owners].astype(np.float64)
    left, top = (page.outermost(side, np.minimum) for side in (blocks.left, blocks.top))
    right, bottom = (page.outermost(side, np.maximum) for side in (blocks.right, blocks.bottom))
    words = np.bincount(page.paragraphs.of_blocks, page.words)
    area = (right - left) * (bottom - top)
    # Lines of text end anywhere: the element around a paragraph says how wide its column is.
    around = page.boxes.elements.some(page.paragraphs.elements)
    of = page.paragraphs.of_blocks
    lefts, rights = around.left[of] // NEAR, around.right[of] // NEAR
    features = [
        left / width,
        right / width,
        (right - left) / width,
        np.abs((left + right) / (2 * width) - 0.5),
        top / height,
        bottom / height,
        np.minimum(top / HEIGHT, 10),
        np.log1p(bottom - top),
        np.log1p(area),
        np.sqrt(words / np.maximum(area, 1)) * 100,
        around.left / width,
        around.right / width,
        (around.right - around.left) / width,
        page.mean(page.share(lefts)),
        page.mean(page.share(lefts, rights)),
        page.mean(page.of_page(around.left[of])) / width,
        page.mean(page.of_page(around.right[of])) / width,
    ]
    for step in (-1, 1):
        gap = (top - page.beside(bottom, -1)) if step < 0 else (page.beside(top, 1) - bottom)
        features += [
            np.clip(gap / 100, -5, 5),
            np.abs(left - page.beside(left, step)) < NEAR,
            ((right - left) - page.beside(right - left, step)) / width,
        ]
    return [np.asarray(one, dtype=np.float64) for one in features]


def _font(page: _Page, blocks: Drawn) -> list[FloatArray]:
    """Size and weight, of themselves, beside the page's and beside the neighbours'."""
    ratio = blocks.size / np.maximum(page.of_page(blocks.size), 1)
    size = page.mean(ratio)
    bold = page.mean(blocks.weight >= BOLD)
    tenths = np.rint(blocks.size * 10).astype(np.int64)
    return [
        page.mean(blocks.size) / 16,
        size,
        bold,
        page.mean(page.share(tenths)),
        page.mean(page.share(tenths, blocks.weight)),
        *(size - page.beside(size, step) for step in (-1, 1)),
        *(bold - page.beside(bold, step) for step in (-1, 1)),
    ]


def _colours(page: _Page, blocks: Drawn) -> list[FloatArray]:
    """Light and strong colours of text and background, and how much text shares them."""
    text, text_chroma = _light(blocks.colour)
    ground, ground_chroma = _light(blocks.background)
    light = page.mean(ground)
    return [
        page.mean(text),
        page.mean(text_chroma),
        light,
        page.mean(ground_chroma),
        page.mean(np.abs(text - ground)),
        page.mean(page.share(blocks.colour)),
        page.mean(page.share(blocks.background)),
        page.mean(page.share(blocks.colour, blocks.background)),
        *(light - page.beside(light, step) for step in (-1, 1)),
    ]


def _light(colours: IntArray) -> tuple[FloatArray, FloatArray]:
    """(m,) how light colours 0xRRGGBB are, and how far from grey; from 0 to 1."""
    channels = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255]) / 255
    return np.array([0.2126, 0.7152, 0.0722]) @ channels, np.ptp(channels, axis=0)


def _hidden(page: _Page) -> list[FloatArray]:
    """What nobody sees, of a paragraph, its neighbours and its page."""
    of = page.paragraphs.of_blocks
    hidden = np.bincount(of, ~page.shown) / np.bincount(of)
    sums = np.bincount(page.paragraphs.owners, hidden)
    return [
        hidden,
        *(page.beside(hidden, step) for step in (-1, 1)),
        (sums / np.maximum(np.bincount(page.paragraphs.owners), 1))[page.paragraphs.owners],
    ]


def drawn_rows(dataset: Dataset, browsers: BrowserPool) -> tuple[DrawnRows, int]:
    """The features of all pages of a dataset, and how many of them could not be drawn."""
    segmenter = make_segmenter(structure=True)
    parts, undrawn = [], 0
    with steps(f"Drawing {dataset.label}", len(dataset.pages), "pages") as bar:
        for at in range(0, len(dataset.pages), BATCH):
            judged = dataset.pages[at : at + BATCH]
            bodies = [page.utf8 for page in judged]
            boxes, outcomes = browsers.boxes(bodies)
            cut = columns_of([page.name for page in judged], list(map(segmenter.html, bodies)))
            parts.append(drawn_features(cut, boxes))
            undrawn += sum(map(bool, outcomes))
            bar.update(len(judged))
    return DrawnRows(np.concatenate([one.values for one in parts]), parts[0].groups), undrawn


class Trial:
    """Trainings on rows that are widened by drawn features."""

    def __init__(self, training: Training, drawn: DrawnRows) -> None:
        labelled = training.pages.labelled
        self._drawn = drawn
        self._splits = splits("site", training.pages, training.asked.sources, training.languages)
        self._wide = replace(
            labelled,
            rows=replace(labelled.rows, values=self._widened(labelled.rows.values)),
            viewed=self._widened(labelled.viewed),
        )
        pages = replace(training.pages, labelled=self._wide)
        fit = recipe.network(self._wide, training.weights, pages.pages)
        self._training = replace(training, pages=pages, fit=fit)

    def _widened(self, values: Any) -> Any:
        room = np.zeros((len(values), len(self._drawn.groups)), dtype=np.float32)
        return np.concatenate([values, room], axis=1, dtype=np.float32)

    def word_f1(self, groups: Sequence[str], seed: int) -> FloatArray:
        """(n,) of every page, by models that had not seen its site, with some of GROUPS."""
        # A feature that does not vary counts for nothing: all networks have the same inputs.
        values = np.where(np.isin(self._drawn.groups, groups), self._drawn.values, 0.0)
        for view in (self._wide.rows.values, self._wide.viewed):
            view[:, -len(self._drawn.groups) :] = values
        training = replace(self._training, asked=replace(self._training.asked, seed=seed))
        held = Held(training.pages)
        with steps(f"With {' and '.join(groups) or 'none'}", len(self._splits), "models") as bar:
            for number, split in enumerate(self._splits):
                held.add(split.out, fit_without(training, split, number))
                bar.update()
        texts = zip(held.predicted().found, training.pages.pages, strict=True)
        return np.array([word_score(text, page.gold).f1 for text, page in texts])


def table(training: Training, without: FloatArray, with_: Mapping[str, FloatArray]) -> str:
    """Rows by dataset, and by page type where there are several."""
    kinds = np.array([page.page_type for page in training.pages.pages])
    rows = []
    for number, source in enumerate(training.asked.sources):
        own = training.pages.sources == number
        types = [kind for kind, _ in Counter(kinds[own].tolist()).most_common()]
        parts = {source.label: own}
        if len(types) > 1:
            parts |= {f"- {kind}": own & (kinds == kind) for kind in types}
        rows += [
            [name, int(of.sum()), f"{without[of].mean():.4f}"]
            + [_difference(one[of] - without[of]) for one in with_.values()]
            for name, of in parts.items()
        ]
    return tabulate(rows, ["", "pages", "without", *with_], disable_numparse=True)


def _difference(values: FloatArray) -> str:
    low, high = bootstrap_interval(values)
    return f"{values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def main() -> None:
    parser = Parser(description=__doc__.partition("\n")[0])
    options.datasets.add(parser)
    parser.add_argument("--seeds", type=int, default=1, help="trainings of each kind")
    args = parser.parse_args()
    datasets = read_datasets(options.datasets.folders(args))
    with BrowserPool() as browsers:
        parts = [drawn_rows(dataset, browsers) for dataset in datasets]
    drawn = DrawnRows(np.concatenate([one.values for one, _ in parts]), parts[0][0].groups)
    for dataset, (_, undrawn) in zip(datasets, parts, strict=True):
        print(f"{dataset.label}: {undrawn} of {len(dataset.pages):,} pages were not drawn")
    sources = tuple(Source(one, float(number == 0)) for number, one in enumerate(datasets))
    trial = Trial(training := prepare(Asked(sources, LEARNED, recipe.FEATURES, seed=1)), drawn)
    kinds = {"without": (), **{group: (group,) for group in GROUPS}, "all four": GROUPS}
    with one_thread():
        found = {
            name: np.mean([trial.word_f1(groups, 1 + n) for n in range(args.seeds)], axis=0)
            for name, groups in kinds.items()
        }
    print(table(training, found.pop("without"), found))


if __name__ == "__main__":
    main()
