"""The learned cleaner: a small neural network over features of a page's paragraphs.

cleaner            the rule `learned`
model              files of trained models; learned.npz is the shipped one
inference          probabilities, and what a page keeps by them
paragraph_columns  joins blocks to paragraphs; what is known of each, as columns
features           all sets of features; the shipped model's in text_features, tree_features
vocabulary         what names of elements, classes and ids say
"""
