r"""Make a block store from a collection.

input files --reader--> records --segmenter--> pages --> one shard per task
                              \--> skipped, by reason --> the shard's footer
all shards --> duplicate docids --> manifest.json

segment     the whole way, in one process or in several that share a folder
tasks       what a shard, and texts beside it, are made of, and so their names
chosen      some documents of a collection alone
shards      one task's shard; rows: from a record to its row, cut or taken over
cutting     from a page's bytes to its blocks
texts       what extractors take from a page, and texts given for pages
limits      what one page may cost; nesting: what end tags cost in deep nesting
workers     the tasks in processes that may hang or crash
manifest    the manifest of a store
input_file  the files of the input, and what has changed in them
"""
