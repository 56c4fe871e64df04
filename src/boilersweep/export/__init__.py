"""What cleaners keep, in files that others read: JSON lines, Parquet, TREC web, text, bulk.

export      a store to such files, in one process or in several that share a folder
options     what becomes of a document, whole or cut into passages
records     what is kept as records: of documents or passages
formats     records as files
shards      the files of one shard of the store
manifest    what an export says of itself, and whether it is whole
"""
