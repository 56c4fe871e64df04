"""Scores of runs, and how sure they are: means, bootstrap intervals, paired tests."""

from boilersweep.outputs.identity import Stage

# Scores, intervals and p-values.
STATISTICS_CODE = Stage("statistics", 2)
