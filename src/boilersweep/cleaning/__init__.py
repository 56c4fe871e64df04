"""From pages to their kept text, without a store: what `boilersweep.clean` does.

page          one page: its blocks as columns, its text, Markdown and metadata
page_cleaner  some pages together with one cleaner
clean         one page, or any number of them, in worker processes if wanted
markdown      kept blocks as Markdown; markdown_line has the escaping
"""
