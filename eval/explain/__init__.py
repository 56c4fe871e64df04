"""Why a cleaner wins or loses: the documents it moves, and the blocks it drops.

documents  what two cleaners do to one document for one topic, and that in a sentence
evidence   topics: the documents that entered and left the top of two runs, and why; for a terminal,
           too
"""
