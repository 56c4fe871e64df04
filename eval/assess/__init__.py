"""Judge few documents, and know for certain which cleaner is better."""
