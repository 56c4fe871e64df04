"""What cleaners keep, in files that others read: JSON lines, Parquet, TREC web, text, bulk.

export      a store to such files, in one process or in several that share a folder
options     what becomes of a document
passages    cut a text into passages
records     a document's kept text as records
formats     records as files
shards      the files of one shard of the store
workers     shards in worker processes, or on a cluster
manifest    what an export says of itself, and whether it is whole
check       prove an export again from its files
"""
