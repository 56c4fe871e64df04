"""Cleaners: what to keep of a page, as rules over the blocks of a shard's pages.

rules          what a rule is: comparisons, what joins them, rules with names, and weights
published      the papers' cleaners, a module each
learned        trained models, the shipped one among them
page_model     what a model says of pages and their blocks
block_classes  headings, code, tables, lists and so on, as rules
consent        banners that ask for consent, a class of blocks, too
registry       the rules that have names, and those of plug-ins: a new one is a line here
syntax         cleaners and sweeps as text, and their names in files
selection      what cleaners leave of documents: blocks, or a text beside them
"""

from boilersweep.outputs.identity import CodeVersion

CLEAN_CODE = CodeVersion("clean", 3)
