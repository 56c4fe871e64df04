"""Scores of runs, and how sure they are: means, bootstrap intervals, paired tests."""

from boilersweep.outputs.identity import CodeVersion

# Scores, intervals and p-values.
STATISTICS_CODE = CodeVersion("statistics", 2)
