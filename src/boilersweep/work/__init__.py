"""One way to run tasks: in processes of this machine, or on an executor.

A task is one shard of a store, or one run of topics. Tasks carry names of files, and their results
are a few numbers; pages and blocks go through files alone. Nothing else in the package starts
processes.

tasks        run tasks; those whose files are named by what they are made of, processes divide
cluster      executors of Dask and Ray
worker_pool  processes that may hang, crash or be killed
processes    how these start and end with their parent, where each is, and how long
progress     progress bars, or lines
"""
