"""Extractors: from a page's decoded HTML to its main text, for what is no rule over blocks.

An extractor may raise whatever it likes on a hostile page: who calls it counts the page as one
it failed on and goes on with an empty text.

built_in        what an extractor declares of itself
registry        extractors by name: ours, other libraries', plug-ins
cetr            content extraction by tag ratios
ccb             content code blurring
block_features  the block, or blocks, in which text outweighs links, lists, forms and images
pagelets        the largest part of a page that has no part with three links
vips            the visual block of a page, as Chromium draws it, with most text
markup          a page as text and tags, which all four read; k_means: clusters
plugins         extractors and cleaners of other distributions; watched_modules: their modules
libraries       trafilatura, resiliparse, jusText, readability, boilerpy3
"""
