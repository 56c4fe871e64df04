"""Why a cleaner wins or loses: the documents it moves, the blocks it drops, and single pages.

pages      documents of a block store with what two cleaners keep of them, analysed
snippets   the words of a text that carry a term, snippets around them made harmless for a terminal,
           and the hits of a query with these
documents  what two cleaners do to one document for one topic, and that in a sentence
evidence   topics: the documents that entered and left the top of two runs, and why; for a terminal,
           too
verdicts   one page: its blocks with features, and every cleaner's verdict; its table
"""
