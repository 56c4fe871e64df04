"""How the pages of a crawl are fetched by its index."""

from dataclasses import dataclass

from boilersweep.errors import UsageError

# Where Common Crawl documents its files to be.
COMMON_CRAWL = "https://data.commoncrawl.org/"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How pages are fetched.

    Attributes:
        base: What the index's file names are relative to: the address of the crawl's files,
            s3://BUCKET, or a folder.
        at_once: Requests at the same time.
        per_second: Requests per second, at most.
        tries: How often a request is tried that the server could not answer.
        first_pause: Seconds before the second try; each further pause is twice as long.
    """

    base: str = COMMON_CRAWL
    at_once: int = 16
    per_second: float = 20.0
    tries: int = 6
    first_pause: float = 1.0

    def __post_init__(self) -> None:
        if not self.per_second > 0:
            raise UsageError(
                f"expected a number above 0, got {self.per_second:g}",
                parameter="per_second",
            )
