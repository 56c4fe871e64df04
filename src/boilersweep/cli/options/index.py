"""What an index holds and how its text is analysed, with the options of Anserini."""

import argparse

from boilersweep.cli.messages import note
from boilersweep.cli.options.fields import Fields
from boilersweep.cli.parser import Group, Options
from boilersweep.indexer.analyzer import STEMMERS, AnalyzerOptions, unlike_documents
from boilersweep.indexer.analyzer_languages import LANGUAGES, checked_language
from boilersweep.indexer.layout import SEARCHABLE, IndexLayout
from boilersweep.store.store import BlockStore

_LAYOUT = Fields(
    IndexLayout,
    {
        "contents": "--storeContents  store the cleaned text",
        "raw": "--storeRaw  store JSON with id, the page's fields and the cleaned text as contents",
        "docvectors": "--storeDocvectors  store document vectors, which --rm3 and --rocchio read; "
        "also with --sweep",
        "optimize": "--optimize  merge the index into one segment",
    },
)
_ANALYZER = Fields(
    AnalyzerOptions,
    {
        "stemmer": f"--stemmer {{{','.join(STEMMERS)}}}  stemmer for English",
        "keep_stopwords": "--keepStopwords  keep stop words (English)",
        "pretokenized": "--pretokenized  only split at white space",
        "identifiers": "--identifiers  index the parts of names such as os.path.join and "
        "get_name, too (English)",
        "title": "--no-title  leave the pages' titles out of what is searched and compared",
    },
)
# The names of the analyzer's options in a parsed call.
ANALYZER_NAMES = ("language", *_ANALYZER.names)

LAYOUT = Group(
    _LAYOUT.options(),
    Options(
        f"--fields {{{','.join(SEARCHABLE)}}}  fields to search besides the contents; headline and "
        "comments as the shipped model finds them",
        nargs="+",
        default=[],
    ),
    title="contents of the index",
    about="With --keep; docids, terms, positions, titles, URLs and dates are always included.",
)
ANALYZER = Group(
    Options(
        f"--language CODE  one of {', '.join(sorted(LANGUAGES))}",
        types={"language": checked_language},
        defaults={"language": AnalyzerOptions().language},
        choices=sorted(LANGUAGES),
    ),
    _ANALYZER.options(),
    title="analyzer",
)


def layout(args: argparse.Namespace) -> IndexLayout:
    """Return what the index to deploy holds."""
    return _LAYOUT.build(args, fields=tuple(dict.fromkeys(args.fields)))


def analyzer(args: argparse.Namespace) -> AnalyzerOptions:
    """Return the requested analyzer."""
    return _ANALYZER.build(args, language=args.language)


def note_languages(args: argparse.Namespace, store: BlockStore) -> None:
    """Print a warning if most of the requested documents are in another language."""
    asked = getattr(args, "languages", ()) or store.languages
    documents = {
        name: count for name, count in store.languages.items() if name in asked
    }
    if unlike := unlike_documents(analyzer(args), documents):
        note(unlike)
