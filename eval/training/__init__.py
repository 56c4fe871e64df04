"""Train models for the cleaner `learned` from annotated pages."""
