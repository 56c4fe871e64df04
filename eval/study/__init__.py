"""The retrieval-impact study: any number of cleaners against a baseline, and which to deploy.

study        a whole study in one folder, from the runs to the manifest
plan         what it compares and how: options, formulas, variants
ranked       the engines, the runs under a formula, and the rows of the study
choice       the best cleaner, and parameters of a formula, chosen by other topics
external_runs  external runs
differences  from scores of topics to intervals, differences, corrected p-values, and what is
             statistically significant; every cleaner against every other one
suggestion   a threshold without judgements: two kinds of text, fitted to the words of the blocks
results      what a study finds: the types of study.json
study_json   study.json, written and read
result_table the one table of results, a line per formula, variant and measure; its CSV files
tables       its views for the terminal, Markdown and LaTeX
files        all files of a study, and its pictures
advice       the answer in words, and the command that deploys it
"""
