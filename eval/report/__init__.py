"""The report of a study: one HTML page that needs no network and no server.

report         the page of a study's folder, as the study ends or again later
page           the page as a whole, from its template, scripts and style
answer         the first screen: which cleaner, how sure, at what cost
sections       the tables: comparison, pairs, formulas, languages, kinds of pages
charts         the charts, made with Bokeh
legends        the meaning of each kind of mark in them
evidence       why topics win and lose, gathered, compressed and cut to a size
paper          the 2010 paper's figures and the runs of TREC 2006
provenance     inputs, options and versions, as lines of the page
wording        figures as people read them
html           templates, colours, and data that cannot leave its place
archive        a finished study as one file
"""
