"""A document to judge, as files and programs read it.

A program such as `llm` is started for every document, and imports this small module alone.
"""

import msgspec

# The environment variable in which `assess` names the folder for a program's own files.
FOLDER_VARIABLE = "BOILERSWEEP_ASSESSOR_FOLDER"


class PoolDocument(msgspec.Struct, frozen=True):
    """A document to judge, as a line of a pool and as a program reads it."""

    topic: str
    query: str
    description: str
    docid: str
    title: str
    url: str
    date: str
    text: str
    highest_grade: int
