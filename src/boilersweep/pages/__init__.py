"""What a page is: its blocks, its structure, and the segmenter that cuts it.

page       text blocks and what is counted on them: words, text density (Equation 1), links
segmenter  from HTML to blocks: the reference, in pure Python
compiled   the same, compiled; taken where it was built
encoding   from a page's bytes to UTF-8
language   the language of a page
elements   what segmentation takes the elements of HTML for
structure  where blocks are among the elements
schema     the columns of a page, declared once as fields of `Page` and `PageStructure`
packed     a page's columns as bytes
metadata   what a page states of itself
deadline   the time that work on a page may take
columns    the blocks of many pages as columns, which everything above reads
hosts      the hosts of pages, by their addresses
tree       questions to the elements of many pages: who holds whom
"""
