"""Topics against indexes: runs, scores, the table and the curve of a sweep.

indexes --search--> runs --scoring--> scores --> scores.csv, table, curve
"""
