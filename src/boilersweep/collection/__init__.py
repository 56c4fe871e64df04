"""Readers of collections: from files to records, whatever is in the files.

formats         all formats by name, and which one a folder or a file is of
format          what a format is: how to find its files, how to read one, and what readers yield: a
                page with its docid, or what was skipped and why
trec_web        TREC web format: WT10g, GOV, GOV2, Blogs06; where framed documents begin and end
clef_ehealth    *.dat files of CLEF eHealth 2013 to 2015, also in ZIP
warc            WARC 1.0, 1.1 and ARC, with HTTP encodings; warc_records: where records are
html_folder     a folder of HTML files
jsonl           JSON Lines
irds            datasets of ir_datasets: their documents as files in one of these formats
common_crawl    pages that lines of Common Crawl's index name; range_source: from its server
cutting         from a page's bytes to its blocks, or to the reason why it has none
streams         files, plain, gzip or zstd, with places and recovery from damage; ZIP archives
files           finding files
"""
