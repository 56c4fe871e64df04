"""The block store: a folder of Parquet shards, one row per document, and a manifest.

    store/
      shard-00000.parquet   the documents of one task; its footer says what was read and skipped
      ...
      manifest.json         the sum of the shards; written last, so a store with it is whole

pandas, polars and DuckDB read the shards as they are.

store          open a store and read its blocks
layout         the columns of a shard
shard          write and read one shard
duplicates     docids that occur twice
check          prove a store from its files
feature_table  the features of its blocks as a table
"""
