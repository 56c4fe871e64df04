"""The same work on the workers of a Dask cluster, over one shared folder.

A task is one shard of a store, or one share of the indexes or of the exact engine's pass: what a
process with --shard does. Tasks carry names of files, and their results are a few numbers; pages
and blocks go through the shared folder alone.
"""
