"""Make a block store from a collection.

input files --reader--> records --segmenter--> pages --> one shard per task
                              \\--> skipped, by reason --> the shard's footer
all shards --> duplicate docids --> manifest.json
"""
