"""Shares of the work, and the same work on the workers of a Dask cluster, over one shared folder.

A task is one shard of a store, or one share of the indexes or of the exact engine's pass: what a
process with --share does. Tasks carry names of files, and their results are a few numbers; pages
and blocks go through the shared folder alone.

shares      I of N: which part of the work is a process's own
connection  connect to a cluster, or start one of processes on this machine
crew        run tasks on its workers, with progress, retries and names for what fails
"""
