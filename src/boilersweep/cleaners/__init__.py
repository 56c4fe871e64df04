"""Cleaners of the literature, each a rule over the blocks of a shard's pages."""
