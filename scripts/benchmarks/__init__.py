"""The benchmark's parts: what runs in measured processes, what measures them, what reports.

systems       what turns a page into blocks or text: ours, lxml alone, peers
segmentation  job: time the systems on one core
sweeps        jobs: a plain run, the exact sweep, the sweep with real indexes, separate runs
scaled        job: write a collection several times over
jobs          the process that runs one job
marks         when a job's phases ended
measure       start a job, measure its processes
parts         which jobs make which part of the benchmark
machine       what it ran on
report        tables
"""
