"""The exact sweep: every threshold's runs from one pass over the block store, without an index.

    store --analyzer--> rows (term, document, signature, tf) of the topics' terms, and lengths
    rows, a rule ------> tf, df, cf, lengths under the rule --formula--> scores --ranking--> run

The signature of a block is the set of the rules that keep it. So a rule may be any mask over
blocks, and a cleaner that counts blocks several times is a weight for each signature. Scores and
order are those of Lucene on an index built for the rule, to the last bit: the same formulas in the
same precision, lengths through the same one-byte codes, ties broken by docid.
"""
