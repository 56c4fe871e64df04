"""What an index holds and how its text is analysed, with the options of Anserini."""

import argparse

from boilersweep.cli.messages import note
from boilersweep.cli.parser import Fields, Group, Options
from boilersweep.indexer.analyzer import AnalyzerOptions, unlike_documents
from boilersweep.indexer.layout import SEARCHABLE, IndexLayout
from boilersweep.store.store import BlockStore

_LAYOUT = Fields(IndexLayout)
_ANALYZER = Fields(AnalyzerOptions)

# The names of the analyzer's options in a parsed call.
ANALYZER_NAMES = _ANALYZER.names

LAYOUT = Group(
    _LAYOUT.options(),
    Options(
        f"--fields {{{','.join(SEARCHABLE)}}}  fields to search besides the contents; headline and "
        "comments as the shipped model finds them",
        nargs="+",
        default=[],
    ),
    title="contents of the index",
    about="With --keep, or --blocks instead; docids, terms, positions, titles, URLs and dates are "
    "always included.",
)
ANALYZER = Group(_ANALYZER.options(), title="analyzer")


def layout(args: argparse.Namespace) -> IndexLayout:
    """Return what the index to deploy holds."""
    return _LAYOUT.build(args, fields=tuple(dict.fromkeys(args.fields)))


def analyzer(args: argparse.Namespace) -> AnalyzerOptions:
    """Return the requested analyzer."""
    return _ANALYZER.build(args)


def note_languages(args: argparse.Namespace, store: BlockStore) -> None:
    """Print a warning if most of the requested documents are in another language."""
    asked = getattr(args, "languages", ()) or store.languages
    documents = {
        name: count for name, count in store.languages.items() if name in asked
    }
    if unlike := unlike_documents(analyzer(args), documents):
        note(unlike)
