"""The options of the commands, in groups.

A group is a dataclass: its fields are options, its docstring is their help, and its methods check
them and build from them what the package takes. Fields of a dataclass of the package that has the
options already are taken from there (`values.part`).

values      paths, numbers, parsed texts; parts of dataclasses
collection  the pages or the block store, how pages become blocks, and the stores made of them
cleaners    what to keep of them: cleaners, sweeps, grids
topics      topics and qrels
ranking     ranking formulas and feedback
index       what an index holds, and its analyzer
experiment  engine, measures, documents and queries of an experiment or an assessment
export      files of an export, near-duplicates
datasets    annotated pages
output      what is written, what becomes of existing results; threads, Java's memory, progress
"""
