"""Rank a collection by its passages, as dense retrievers do, with nothing to download.

    boilersweep export --store STORE --keep learned --passages 100 --overlap 50 --output EXPORT
    python scripts/rank_passages.py EXPORT/learned --topics TOPICS --output lsa.trec
    boilersweep compare ... --runs lsa=lsa.trec

Passages become vectors of TF-IDF, and these by default 200 dimensions of latent semantic analysis
(Deerwester et al., JASIS 1990). A document scores as its best passage does: the cosine between
that and the query. A model of yours goes in the place of `vectors_of`.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.eval.runs import Run, write_run
from boilersweep.topics import read_topics

HITS = 1000


def read_passages(folder: Path) -> tuple[list[str], list[str], list[int]]:
    """Docids, the text of every passage, and where the passages of each document begin.

    folder: of a cleaner, in an export as JSON lines; it has the passages of a document together.
    """
    docids: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                passage = json.loads(line)
                if not docids or docids[-1] != passage["docid"]:
                    docids.append(passage["docid"])
                    starts.append(len(texts))
                texts.append(passage["contents"])
    if not texts:
        raise SystemExit(f"{folder}: expected the *.jsonl.gz of `boilersweep export --passages`")
    return docids, texts, starts


def vectors_of(texts: Sequence[str], queries: Sequence[str], dimensions: int) -> tuple[Any, Any]:
    """Vectors of length 1 for passages and for queries. dimensions: 0 for all, which are terms."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    weigh = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, dtype=np.float32)
    passages, asked = weigh.fit_transform(texts), weigh.transform(queries)
    if dimensions:
        reduce = TruncatedSVD(dimensions, random_state=0)
        passages, asked = reduce.fit_transform(passages), reduce.transform(asked)
    return normalize(passages), normalize(asked)


def rank(
    docids: Sequence[str], starts: Sequence[int], passages: Any, asked: Any, topics: Sequence[str]
) -> Run:
    """The best documents of every topic, each as good as its best passage, if that is above 0."""
    run: Run = {}
    names = np.array(docids)
    for topic, query in zip(topics, asked, strict=True):
        found = passages @ query.T
        scores = found.toarray() if hasattr(found, "toarray") else found
        best = np.maximum.reduceat(np.ravel(scores), starts)
        order = np.lexsort((names, -best))[:HITS]
        run[topic] = [(docids[n], float(best[n])) for n in order if best[n] > 0]
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("passages", type=Path, help="EXPORT/CLEANER of `export --passages`")
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True, help="the run")
    parser.add_argument("--dimensions", type=int, default=200, help="0 for terms (default: 200)")
    options = parser.parse_args()
    queries = {topic.id: topic.text(("title",)) for topic in read_topics(options.topics)}
    docids, texts, starts = read_passages(options.passages)
    vectors = vectors_of(texts, list(queries.values()), options.dimensions)
    run = rank(docids, starts, *vectors, list(queries))
    write_run(options.output, run, f"lsa-{options.dimensions}" if options.dimensions else "tfidf")
    print(f"{len(texts):,} passages of {len(docids):,} documents, {len(run)} topics")


if __name__ == "__main__":
    main()
