"""The demo collection: made-up blogs in the BLOGS06 layout, with topics and judgements.

collection  writes it
blogs       who writes what, worked out from a post's number alone
pages       what is on a page; templates.jinja: how pages looked in 2005
prose       sentences about a subject; phrases.toml, subjects.txt: what they are made of
layout      records and files as BLOGS06 has them
"""
