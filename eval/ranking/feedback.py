"""Feedback: RM3 and Rocchio, which expand a query by terms of its first hits."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from boilersweep.eval.ranking.formula import Range, RankingModel, parameter
from boilersweep.eval.ranking.models import BM25, QueryLikelihood

if TYPE_CHECKING:
    from boilersweep.indexer.searcher import IndexSearcher

_COUNT = Range(1, 2**31 - 1)
_WEIGHT = Range()


@dataclass(frozen=True, slots=True)
class Feedback(RankingModel):
    """Feedback over a first ranking.

    Attributes:
        first: The model of the first ranking, whose hits expand the query.
    """

    reads_vectors: ClassVar[bool] = True

    first: BM25 | QueryLikelihood = field(default_factory=BM25)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of the feedback itself."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "first"}


@dataclass(frozen=True, slots=True)
class RM3(Feedback):
    """RM3 (Abdul-Jaleel et al., TREC 2004) as Anserini has it.

    Attributes:
        filter_terms: Whether to expand by terms of English letters and digits alone.
    """

    name: ClassVar[str] = "rm3"
    title: ClassVar[str] = "RM3"

    fb_terms: int = parameter(10, _COUNT)
    fb_docs: int = parameter(10, _COUNT)
    original_query_weight: float = parameter(0.5, Range(high=1))
    filter_terms: bool = True

    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this feedback."""
        self.first.configure(searcher)
        searcher.set_rm3(**self.options)

    def __str__(self) -> str:
        return (
            f"{self.first}+rm3(fbTerms={self.fb_terms},fbDocs={self.fb_docs},"
            f"originalQueryWeight={self.original_query_weight:g}"
            f"{'' if self.filter_terms else ',noTermFilter'})"
        )


@dataclass(frozen=True, slots=True)
class Rocchio(Feedback):
    """Rocchio's feedback as Anserini has it.

    bottom_fb_terms, bottom_fb_docs and gamma have an effect with use_negative alone, which treats
    the last hits as irrelevant.
    """

    name: ClassVar[str] = "rocchio"
    title: ClassVar[str] = "Rocchio"

    top_fb_terms: int = parameter(10, _COUNT)
    top_fb_docs: int = parameter(10, _COUNT)
    bottom_fb_terms: int = parameter(10, _COUNT)
    bottom_fb_docs: int = parameter(10, _COUNT)
    alpha: float = parameter(1.0, _WEIGHT)
    beta: float = parameter(0.75, _WEIGHT)
    gamma: float = parameter(0.15, _WEIGHT)
    use_negative: bool = False

    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this feedback."""
        self.first.configure(searcher)
        searcher.set_rocchio(**self.options)

    def __str__(self) -> str:
        negative = (
            f",gamma={self.gamma:g},bottomFbTerms={self.bottom_fb_terms},"
            f"bottomFbDocs={self.bottom_fb_docs},useNegative"
        )
        return (
            f"{self.first}+rocchio(topFbTerms={self.top_fb_terms},topFbDocs={self.top_fb_docs},"
            f"alpha={self.alpha:g},beta={self.beta:g}{negative if self.use_negative else ''})"
        )


# The methods of feedback, by name.
FEEDBACK: dict[str, type[Feedback]] = {method.name: method for method in (RM3, Rocchio)}

# The models that Anserini's searcher can be set to, by `configure`.
SearcherModel = BM25 | QueryLikelihood | RM3 | Rocchio
