"""What a page is: its blocks, its structure, and the segmenter that cuts it.

page          text blocks and what is counted on them: words, text density (Equation 1), links;
              where they are among the elements; the same as bytes
words         what a word is, in every script
segmenter     from HTML to blocks: the reference, in pure Python
compiled      the same, compiled; taken where it was built
elements      what segmentation takes the elements of HTML for
block_tree    a page as a tree of elements whose texts know their blocks
columns       the blocks of many pages as columns, which everything above reads
encoding      from a page's bytes to UTF-8; content_kind: what bytes that are no page look like
language      the language of a page
metadata      what a page states of itself; metadata_values: the forms of its values, hosts
alignment     which blocks a text contains
limits        what a page may cost: bytes, blocks, nesting, time
stray_characters  invisible ones within words, and what UTF-8 cannot hold
"""
