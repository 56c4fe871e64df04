r"""Make a block store from a collection.

input files --reader--> records --segmenter--> pages --> one shard per task
                              \--> skipped, by reason --> the shard's footer
all shards --> duplicate docids --> manifest.json

segment     the whole way, in one process or in several that share a folder
tasks       what a shard, and texts beside it, are made of, and so their names; chosen documents
shards      the tasks' shards, in processes that may hang or crash
texts       what extractors take from a page, and texts given for pages
manifest    the manifest of a store
input_file  the files of the input, and what has changed in them
"""
