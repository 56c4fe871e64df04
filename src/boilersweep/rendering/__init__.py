"""Pages as a browser draws them: where their blocks and elements are, and pictures of them.

Needs Chromium, chromedriver and the extra `render`; what does without them imports nothing of it.

chromium     where Chromium is, how it is started, and what it must not do
browser      one headless Chromium: a page in, what was drawn of it out, or why it was not
marking      a page as HTML whose elements and texts carry their numbers
collect.js   runs in the drawn page and gives the boxes of all numbers in one answer
drawing      pages to the boxes of their blocks and elements, in several browsers
render       a block store to the boxes beside its shards
picture      pages with what cleaners keep of them, as PNG
"""
