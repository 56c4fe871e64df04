"""The retrieval-impact study: any number of cleaners against a baseline, and which to deploy."""
