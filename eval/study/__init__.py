"""The retrieval-impact study: any number of cleaners against a baseline, and which to deploy.

study        a whole study in one folder, from the runs to the manifest
plan         what it compares and how: options, formulas, variants
preparation  the engines that give the runs
costs        what cleaning takes from relevant documents, and the sizes of indexes
ranked       the runs under a formula, and the rows of the study
tuning       parameters of a formula, chosen for each variant by other topics
outside      external runs
differences  from scores of topics to intervals, differences, corrected p-values, and what is
             statistically significant
pairs        every cleaner against every other one, and indistinguishable groups
cross_validation
             the best cleaner, chosen by topics that do not judge it
suggestion   a threshold without judgements: two kinds of text, fitted to the words of the blocks
page_kinds   kinds of pages, and what each cleaner keeps of them
results      what a study finds: the types of study.json
study_json   study.json, written and read
result_table the one table of results: a line per formula, variant and measure
tables       its views for the terminal, Markdown and LaTeX
files        all files of a study: its views as CSV, and pictures
advice       the answer in words, and the command that deploys it
"""
