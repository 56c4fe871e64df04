"""From pages to their kept text, without a store: what `boilersweep.clean` does.

page          one page with its text, Markdown, metadata and blocks
page_cleaner  some pages together with one cleaner
clean         one page, or any number of them, in worker processes if wanted
blocks        the blocks of one page as columns
markdown      kept blocks as Markdown; markdown_line has the escaping
"""
