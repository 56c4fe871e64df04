"""Features of text blocks: numbers that classifiers and tables read, vectorised over a shard."""
