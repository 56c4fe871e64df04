"""The made-up study."""

from tests.eval.made_up import document, read, study

__all__ = ["document", "read", "study"]
