"""Scores of runs, and how sure they are: means, bootstrap intervals, paired tests."""
