"""Run cleaners over the pages of a dataset and score the texts that they keep.

Pages are segmented once for all cleaners that are masks; extractors get each page's HTML.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, compress, pairwise
from time import process_time
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from boilersweep.cleaners.learned.model import page_digest
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import needs_of
from boilersweep.cleaning.clean import PageTexts
from boilersweep.cleaning.markdown import markdown
from boilersweep.errors import InputError, PageError, UsageError
from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.judge.datasets.judged_page import CONTENT, page_bytes
from boilersweep.eval.judge.reference import Reference, references
from boilersweep.eval.judge.scores import BlockScores, PageScore, block_scores
from boilersweep.eval.judge.texts import GivenTexts
from boilersweep.extractors.registry import Extractor
from boilersweep.features.recurrence import Address, SiteTexts, site_texts
from boilersweep.outputs.notebook import Framed
from boilersweep.pages.columns import (
    RECURRENCE,
    STRUCTURE,
    BlockColumns,
    BoolArray,
    IntArray,
    columns_of,
)
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.elements import Borders
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from boilersweep.work.progress import steps

# Pages whose blocks are columns of one table, as in a shard.
BATCH = 100

if TYPE_CHECKING:
    import pandas as pd


Judged = Rule | Extractor | GivenTexts

# Links as `markdown` writes them; boards of Markdown leave the addresses out.
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|[^()\s\\]|\\.)*\)")

_PATHS = ("path", "annotated")


@dataclass(slots=True)
class Judgement:
    """One cleaner over a dataset.

    Attributes:
        cleaner: Its text.
        scores: One entry per page, in the dataset's order.
        failures: Reason -> names of the pages where it failed, whose output counts as empty.
        seconds: CPU time over all pages, for segmentation and mask, or for extraction; decoding the
            page, which both kinds need, is not included.
        blocks: If the dataset has classes of blocks and the cleaner is a mask.
    """

    cleaner: str
    scores: list[PageScore] = field(default_factory=list)
    failures: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0
    blocks: BlockScores | None = None

    def fail(self, reason: str, page: str) -> None:
        """Note that the cleaner failed on a page."""
        self.failures.setdefault(reason, []).append(page)

    @property
    def failed(self) -> int:
        """Pages on which the cleaner failed."""
        return sum(map(len, self.failures.values()))

    @property
    def empty(self) -> int:
        """The number of pages without a kept word."""
        return sum(score.empty for score in self.scores)

    @property
    def ms_per_page(self) -> float:
        """Milliseconds per page."""
        return 1000 * self.seconds / max(len(self.scores), 1)


@dataclass(frozen=True, slots=True, repr=False)
class Judgements(Framed):
    """The judgements of some cleaners, in their order.

    Attributes:
        judgements: One for each cleaner.
        digest: See `content_digest`.
        pages: (n,) The digest of each page, see `boilersweep.cleaners.learned.model`.
        counted: If a cleaner counts over the pages of a host, how many pages are of hosts with
            enough pages; the other pages are left as the cleaner in it has them.
    """

    judgements: list[Judgement]
    digest: str
    pages: list[bytes] = field(default_factory=list)
    counted: int | None = None

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each cleaner: means over the pages, and milliseconds per page."""
        import pandas as pd

        rows = []
        for judgement in self.judgements:
            scores = judgement.scores
            values = {
                "F1": [score.bag.f1 for score in scores],
                "precision": [score.bag.precision for score in scores],
                "recall": [score.bag.recall for score in scores],
                "word F1": [score.word.f1 for score in scores],
                "character F1": [score.characters.f1 for score in scores],
                "block accuracy": [score.block_accuracy for score in scores],
                "TO": [score.text_only.f1 for score in scores],
                "TM": [score.text_and_markup.f1 for score in scores],
                "strings": [score.balanced for score in scores],
            }
            means = {name: np.mean(column) for name, column in values.items()}
            counts = {
                "pages": len(scores),
                "empty": judgement.empty,
                "failed": judgement.failed,
            }
            ms = judgement.ms_per_page
            rows.append({"cleaner": judgement.cleaner, **means, **counts, "ms": ms})
        return pd.DataFrame(rows).dropna(axis="columns", how="all")

    def __repr__(self) -> str:
        return f"<Judgements: {len(self.judgements)} cleaners on {len(self.pages):,} pages>"


def judge(
    dataset: Dataset, cleaners: Sequence[Judged], borders: Borders = "block"
) -> Judgements:
    """Run and score every cleaner on every page.

    If an extractor raises on a page, or a page cannot be parsed, its text is empty, and the reason
    is counted. Cleaners that count over the pages of a host count over those of the dataset.

    Args:
        dataset: The pages.
        cleaners: Each once.
        borders: How pages are cut into blocks.

    Raises:
        UsageError: A cleaner is given twice.
        InputError: A page can no longer be read.
    """
    names = [str(cleaner) for cleaner in cleaners]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise UsageError(
            f"expected every cleaner once, got {', '.join(twice)} more often"
        )
    digest = hashlib.sha256()
    known: list[bytes] = []
    name = f"judge {dataset.label}"
    with steps(name, len(dataset.pages), "pages") as bar:
        rules = [c for c in cleaners if is_rule(c)]
        sites = None
        if needs_of(rules) >= RECURRENCE:
            sites = _recurring(dataset, make_segmenter(borders=borders))
        run = _Run(cleaners, borders, sites)
        for start in range(0, len(dataset.pages), BATCH):
            batch = dataset.pages[start : start + BATCH]
            bodies = []
            for page in batch:
                body = page.html
                digest.update(_content(page, body))
                bodies.append(to_utf8(body, page.charset).utf8)
            known += map(page_digest, bodies)
            run.batch(batch, bodies, bar.update)
    run.finish()
    counted = (
        None if sites is None else sum(p.host in sites.pages for p in dataset.pages)
    )
    return Judgements(run.judgements, digest.hexdigest(), known, counted)


def is_rule(cleaner: Judged) -> TypeGuard[Rule]:
    """Return whether a cleaner is a mask over blocks, as neither extractors nor given texts are."""
    return not isinstance(cleaner, Extractor | GivenTexts)


def _recurring(dataset: Dataset, segmenter: Segmenter) -> SiteTexts:
    """Count the texts that recur on the hosts of a dataset."""
    collection = []
    for start in range(0, len(dataset.pages), BATCH):
        batch = dataset.pages[start : start + BATCH]
        collection.append(_cut(batch, [page.utf8 for page in batch], segmenter)[0])
    titles = chain.from_iterable(columns.titles for columns in collection)
    addresses = [
        Address(page.name, f"//{page.host}", title)
        for page, title in zip(dataset.pages, titles, strict=True)
    ]
    return site_texts(addresses, collection)


def _cut(
    pages: Sequence[JudgedPage], bodies: Sequence[bytes], segmenter: Segmenter
) -> tuple[BlockColumns, dict[str, str]]:
    """Return the blocks of pages, and name -> reason of those that cannot be parsed."""
    cut: list[Page] = []
    reasons: dict[str, str] = {}
    for page, body in zip(pages, bodies, strict=True):
        try:
            cut.append(segmenter.html(body))
        except ValueError as error:
            reasons[page.name] = f"the page cannot be parsed: {_first_line(error)}"
            cut.append(segmenter.html(b""))
    return columns_of([page.name for page in pages], cut), reasons


def content_digest(dataset: Dataset) -> str:
    """Return the SHA-256 of pages and their annotations; raises InputError."""
    digest = hashlib.sha256()
    for page in dataset.pages:
        digest.update(_content(page, page.html))
    return digest.hexdigest()


def _content(page: JudgedPage, body: bytes) -> bytes:
    """Return everything that a judgement reads of a page, except its path."""
    known = [
        getattr(page, field.name) for field in fields(page) if field.name not in _PATHS
    ]
    parts = [json.dumps(known).encode(), body]
    if page.annotated:
        parts.append(page_bytes(page.annotated))
    return b"".join(b"%d\0" % len(part) + part for part in parts)


class _Run:
    """The judgements so far, and the masks on blocks with classes."""

    def __init__(
        self, cleaners: Sequence[Judged], borders: Borders, sites: SiteTexts | None
    ) -> None:
        self._sites = sites
        self.judgements = [Judgement(str(cleaner)) for cleaner in cleaners]
        pairs = list(zip(cleaners, self.judgements, strict=True))
        self._extractors = [(c, j) for c, j in pairs if isinstance(c, Extractor)]
        self._given = [(c, j) for c, j in pairs if isinstance(c, GivenTexts)]
        rules = [(c, j) for c, j in pairs if is_rule(c)]
        # Recording the structure costs time, which is no other cleaner's.
        self._rules = {
            structure: [(c, j) for c, j in rules if (c.needs >= STRUCTURE) is structure]
            for structure in (False, True)
        }
        self._texts = {
            judgement.cleaner: PageTexts([rule]) for rule, judgement in rules
        }
        self._segmenters = {
            s: make_segmenter(borders=borders, structure=s) for s in (False, True)
        }
        self._words: list[IntArray] = []
        self._content: list[BoolArray] = []
        self._masks: dict[str, list[BoolArray]] = {j.cleaner: [] for _, j in rules}

    def batch(
        self,
        pages: Sequence[JudgedPage],
        bodies: Sequence[bytes],
        done: Callable[[int], object],
    ) -> None:
        labelled = any(page.labelled is not None for page in pages)
        columns, _ = _cut(pages, bodies, self._segmenters[labelled])
        compared = list(references(pages, columns))
        for structure, rules in self._rules.items():
            if rules:
                self._judge_rules(rules, compared, bodies, self._segmenters[structure])
        if self._masks:
            self._judge_blocks(pages)
        for reference, body in zip(compared, bodies, strict=True):
            html = body.decode("utf-8", "replace") if self._extractors else ""
            for extractor, judgement in self._extractors:
                _judge_extractor(extractor, judgement, reference, html)
            for given, judgement in self._given:
                _judge_text(given, judgement, reference)
            done(1)

    def finish(self) -> None:
        """Score the blocks of all batches together."""
        if not self._words:
            return
        words, content = np.concatenate(self._words), np.concatenate(self._content)
        for judgement in self.judgements:
            if judgement.cleaner in self._masks:
                keep = np.concatenate(self._masks[judgement.cleaner])
                judgement.blocks = block_scores(content, keep, words)

    def _judge_rules(
        self,
        rules: Sequence[tuple[Rule, Judgement]],
        compared: Sequence[Reference],
        bodies: Sequence[bytes],
        segmenter: Segmenter,
    ) -> None:
        pages = [reference.page for reference in compared]
        begin = process_time()
        columns, reasons = _cut(pages, bodies, segmenter)
        segmenting = process_time() - begin
        columns = self._with_recurrence(columns, pages)
        for rule, judgement in rules:
            begin = process_time()
            texts = self._texts[judgement.cleaner]
            keep = rule.mask(_with_texts(texts, columns, bodies, judgement.fail))
            judgement.seconds += segmenting + process_time() - begin
            for name, reason in reasons.items():
                judgement.fail(reason, name)
            kept = _kept_texts(columns, keep, bodies if pages[0].markdown else ())
            masks = np.split(keep, columns.starts[1:-1])
            for one, text, mask in zip(compared, kept, masks, strict=True):
                judgement.scores.append(one.score(text, mask))

    def _judge_blocks(self, pages: Sequence[JudgedPage]) -> None:
        """Keep the masks on pages if all their blocks have classes."""
        segmenter = self._segmenters[bool(self._rules[True])]
        marked = [found for page in pages if (found := page.marked(segmenter))]
        if len(marked) < len(pages):
            return
        rules = list(chain.from_iterable(self._rules.values()))
        plain = [page.plain for page in marked]
        columns = columns_of(
            [page.name for page in pages], [page.page for page in marked]
        )
        columns = self._with_recurrence(columns, pages)
        classes = [number for page in marked for number in page.classes]
        self._words.append(columns.words)
        self._content.append(np.isin(np.array(classes, dtype=np.int64), list(CONTENT)))
        for rule, judgement in rules:
            texts = self._texts[judgement.cleaner]
            # Failures of extractors were counted before.
            with_texts = _with_texts(texts, columns, plain, lambda _reason, _page: None)
            self._masks[judgement.cleaner].append(rule.mask(with_texts))

    def _with_recurrence(
        self, columns: BlockColumns, pages: Sequence[JudgedPage]
    ) -> BlockColumns:
        if self._sites is None:
            return columns
        recurrence = self._sites.recurrence(columns, [page.host for page in pages])
        return replace(columns, recurrence=recurrence)


def _with_texts(
    texts: PageTexts,
    columns: BlockColumns,
    bodies: Sequence[bytes],
    fail: Callable[[str, str], None],
) -> BlockColumns:
    """Return the columns with the texts that a rule reads; if one fails, the page has none."""
    page_texts: list[dict[str, str]] = []
    for name, body in zip(columns.docids, bodies, strict=True) if texts.names else ():
        try:
            page_texts.append(texts.of(body))
        except PageError as error:
            page_texts.append(dict.fromkeys(texts.names, ""))
            fail(str(error), name)
    return texts.beside(columns, page_texts)


def _judge_extractor(
    extractor: Extractor, judgement: Judgement, reference: Reference, html: str
) -> None:
    begin = process_time()
    try:
        text = _as_text(extractor.extract(html))
    except UsageError:
        raise
    except Exception as error:  # another's code, on any page of the web
        text = ""
        reason = f"{type(error).__name__}: {_first_line(error)}"
        judgement.fail(reason, reference.page.name)
    judgement.seconds += process_time() - begin
    judgement.scores.append(reference.score(text))


def _judge_text(given: GivenTexts, judgement: Judgement, reference: Reference) -> None:
    judgement.seconds = math.nan  # nobody here knows
    try:
        text = given.text(reference.page.name)
    except InputError as error:
        text = ""
        judgement.fail(str(error), reference.page.name)
    judgement.scores.append(reference.score(text))


def _as_text(output: object) -> str:
    if not isinstance(output, str):
        raise TypeError(f"expected a text, got {type(output).__name__}")
    return output


def _kept_texts(
    columns: BlockColumns, keep: BoolArray, bodies: Sequence[bytes]
) -> Iterator[str]:
    """Yield the kept text of each document, one line per block; with their pages, as Markdown."""
    for index, (start, end) in enumerate(pairwise(columns.starts.tolist())):
        if bodies:
            written = markdown(bodies[index], keep[start:end].tolist())
            yield _LINK.sub(r"\1", written)
        else:
            yield "\n".join(compress(columns.texts[start:end], keep[start:end]))


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:200] or "without a message"
