"""The demo collection: made-up blogs in the BLOGS06 layout, with topics and judgements."""
