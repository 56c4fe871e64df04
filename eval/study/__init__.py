"""The retrieval-impact study: any number of cleaners against a baseline, and which to deploy.

variants     what is compared, and in which role
preparation  the engine that gives the runs, and what counts losses
study        a whole study in one folder, from the runs to the manifest
differences  a difference over topics, the tests, and what is statistically significant
comparison   from scores of topics to intervals, differences and corrected p-values
choice       the best cleaner, chosen by topics that do not judge it
pairs        every cleaner against every other one, and groups that are not told apart
noise        what is as good as the chosen cleaner, in words
formulas     several ranking formulas, fixed or tuned; formula_tables: what they answer
tuning       parameters of a formula, chosen for each variant by topics that do not judge it
outside      runs made elsewhere
losses       what cleaning takes from relevant documents
mixture      a threshold without judgements, from the words of the blocks
textmodel    the two distributions of words that are fitted for it
fit          goodness of fit
results      what a study finds, typed: rows, verdict, order, what is shown first
study_json   the same as study.json, written and read
files        all files of a study, three of them CSV
tables       the tables for the terminal, Markdown and LaTeX
forest       the differences as a picture
advice       the answer in words, and the command that deploys it
"""
