"""boilersweep: sweep boilerplate-removal thresholds over a web collection and measure retrieval.

Importing it is quick: no Java is started and nothing heavy is loaded before it is used.

pages       what a page is: blocks, structure, the segmenter
collection  readers of collections
features    numbers of blocks
cleaners    what to keep of a page; extractors: texts taken from it
segmenting  from a collection to a block store; store: the block store
indexer     from a block store to Lucene indexes
topics      topics and qrels
eval        search, scores, sweeps, studies, reports
cluster     shares of the work, on many machines
demo        a made-up collection; cli: the command line

What all stand on: errors, files, locations (paths and URLs), identity (digests), plugins (of other
distributions), progress.
"""

__version__ = "0.1.0"
