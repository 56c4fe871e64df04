"""The learned cleaner: a small neural network over features of a page's paragraphs."""
