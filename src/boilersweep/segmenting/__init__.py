r"""Make a block store from a collection.

input files --reader--> records --segmenter--> pages --> one shard per task
                              \--> skipped, by reason --> the shard's footer
all shards --> duplicate docids --> manifest.json

segment     the whole way, in one process or in several that share a folder
tasks       some files that become one shard, and the options of all
shards      one task's shard
texts       what extractors take from a page, and texts given for pages
limits      what one page may cost
workers     the tasks in processes that may hang or crash, or on a cluster
share_plan  what processes that make one store agree on
piped       what comes through a pipe, as a file
reuse       whether what is there is what is asked for
updating    which shards bring a store to the state of its input
extracting  more texts beside the blocks of a finished store
rows        from a record to its row: cut, or taken over
manifest    the manifest; input_file: sizes and digests of what was read
"""
