"""The block store: a folder of Parquet shards, one row per document, and a manifest.

    store/
      shard-KEY.parquet     the documents of one task; its footer says what was read and skipped
      texts-KEY.parquet     what an extractor or people took from these documents
      ...
      manifest.json         the sum of the shards; written last, so a store with it is whole

pandas, polars and DuckDB read the shards as they are.

store          open a store, read its blocks, and select shards, languages or documents
manifest       the types of its manifest
shard          write and read one shard; shard_columns: its columns
duplicates     docids that occur twice, and documents whose kept texts are nearly the same
checked_store  prove a store from its files
"""
