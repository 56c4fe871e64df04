r"""Make a block store from a collection.

input files --reader--> records --segmenter--> pages --> one shard per task
                              \--> skipped, by reason --> the shard's footer
all shards --> duplicate docids --> manifest.json

segment     the whole way, in one process or in several that share a folder
tasks       some files that become one shard, and the options of all
chosen      some documents of a collection alone
shards      one task's shard; rows: from a record to its row, cut or taken over
cutting     from a page's bytes to its blocks
texts       what extractors take from a page, and texts given for pages
limits      what one page may cost; nesting: what end tags cost in deep nesting
workers     the tasks in processes that may hang or crash
share_plan  what processes that make one store agree on
reuse       whether what is there is what is asked for, and what an update makes
extracting  more texts beside the blocks of a finished store
manifest    the manifest of a store
input_file  the files of the input, and what has changed in them
"""
