"""Cleaners: what to keep of a page, as rules over the blocks of a shard's pages.

rules            what a rule is: comparisons, what joins them, and rules with names
boilerpipe       Algorithms 1 and 2, one-rule, cleaneval-rule, keep-everything (2010)
largest_content  largest-content and main-content (2010)
bte              BTE, and maximum subsequence segmentation
slope_curves     document slope curves
link_quota       the link quota filter
ancestor         the ancestor filter
learned          trained models, the shipped one among them
registry         the rules that have names, and those of plug-ins: a new one is a line here
parsing          the grammar of rules and lists of cleaners written as text
selection        what cleaners leave of documents: blocks, or a text beside them
variants         a cleaner under the name of its files; sweeps of thresholds
"""
