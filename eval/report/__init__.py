"""The report of a study: one HTML page that needs no network and no server.

report         the page of a study's folder, as the study ends or again later
report_page    the page as a whole, from its template, scripts and style
answer         which cleaner, how sure, at what cost; inputs, options and versions
sections       the tables: comparison, pairs, formulas, languages, kinds of pages
charts         the charts, as Vega-Lite has them, and the meaning of their marks
evidence       why topics win and lose, gathered, compressed and cut to a size
paper          the 2010 paper's figures and the runs of TREC 2006
html           templates, colours, figures as people read them, data that cannot leave its place
archive        a finished study as one file
"""
