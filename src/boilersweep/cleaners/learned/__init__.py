"""The learned cleaner: a small neural network over features of a page's paragraphs.

cleaner             the rule `learned`
model               files of trained models; learned.npz is the shipped one
compiled            joins blocks to paragraphs, computes their features and the networks over them
paragraph_features  names and meanings of these features
vocabulary          what names of elements, classes and ids say
features            all sets of features
inference           other probabilities, and what a page keeps by them
"""
