"""The report of a study: one HTML page that needs no network and no server.

report         the page of a study's folder, as the study ends or again later
page           the page as a whole, from its template, scripts and style
answer         the first screen: which cleaner, how sure, at what cost
about          what a cleaner is, and what its model was trained on
comparison     the table of every cleaner against the baseline
pairs          every cleaner against every other one
formulas       several ranking formulas on the first screen
charts         the charts, made with Bokeh
legends        what each kind of mark in them means
bokeh_figures  Bokeh's figures in the report's manner
palette        the colours, light and dark
evidence       why topics win and lose, gathered, compressed and cut to a size
page_kinds     kinds of pages, and what each cleaner leaves of them
pictures       small pictures of the pages in it, where a browser drew them
paper          the 2010 paper's figures and the runs of TREC 2006
side_by_side   several studies: what differs, and their figures beside each other
finished       finished studies that reports are drawn of
templates      what the templates of pages share
provenance     what was run on what, as lines of the page
downloads      the data behind the figures, as CSV
wording        figures as people read them
inline_data    data and scripts put into the page so that they cannot leave their place
"""
