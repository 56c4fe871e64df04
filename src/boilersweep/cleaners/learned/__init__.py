"""The learned cleaner: a small neural network over features of a page's paragraphs.

cleaner            the rule `learned`
model              files of trained models; learned.npz is the shipped one
inference          probabilities, and what a page keeps by them
paragraphs         runs of blocks that people see as one paragraph
paragraph_columns  what is known of each paragraph, as columns
features           the features of the shipped model, in groups: text_features, tree_features
feature_sets       all sets of features that a model may read
vocabulary         what names of elements, classes and ids say
"""
