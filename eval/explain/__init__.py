"""Why a cleaner wins or loses: the documents it moves, the blocks it drops, and single pages.

records        what is found, as types and as JSON
pages          documents of a block store with what two cleaners keep of them, analysed
words          the words as they are that carry a term, and snippets around them
documents      what two cleaners do to one document for one topic, and that in a sentence
evidence       topics: the documents that entered and left the top of two runs, and why; for a
               terminal, too
verdicts       one page: its blocks with features, and every cleaner's verdict; its table
terminal       text of pages made harmless for terminals
hit_list       the hits of a query with snippets, for a terminal
"""
