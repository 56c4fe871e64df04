"""The demo collection: made-up blogs in the BLOGS06 layout, with topics and judgements.

collection  writes it, as BLOGS06 has records and files; also pages in twelve languages
pages       who writes what, worked out from a post's number alone, and what is on a page;
            templates.jinja: how pages looked in 2005; phrases.toml, subjects.txt: what sentences
            are made of
"""
