"""Features of text blocks: numbers that classifiers and tables read, vectorised over a shard.

kohlschuetter  the 67 of the 2010 paper
schaefer       the 37 of Schäfer's perceptron
recurrence     how often a block's text occurs in the collection, and on pages of its host
characters     counts of characters, words and sentences, and of dates, addresses, hashtags
table          tables of features, and sums over windows, documents and elements
"""
