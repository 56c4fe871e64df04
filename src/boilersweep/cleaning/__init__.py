"""From pages to their kept text, without a store: what `boilersweep.clean` does.

clean     one page, or any number of them, in worker processes if wanted
cleaned_page  one page: its blocks as columns, its text, Markdown and metadata; pages from files
verdicts  one page under every cleaner: `clean --explain`; drawing has its picture
kept_html kept blocks as HTML, in their elements
batch     batches of pages as Arrow has them
markdown  kept blocks as Markdown; markdown_line has the escaping, code_lines the lines of code,
          markdown_tree what is asked of elements
"""
