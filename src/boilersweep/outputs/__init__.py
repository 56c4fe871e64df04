"""What commands leave behind: files, identities, manifests and output folders.

parts          a folder of parts, and its manifest; plan: what a run is about to make
writer         the one writer of a folder of parts
folder         an output folder: one kind, one writer, and a manifest that lists its files
manifest_file  manifests that show when they were changed, and listings of files
typed_files    JSON files as types; csvtext: CSV that no spreadsheet calculates
identity       what a result depends on: digests of files and of code
atomic         files and folders, whole or not at all; streams: what `--output` names
locks          one writer of a folder
locations      paths and URLs; reading files, but no pipes and devices
terminal       texts of pages made harmless for a terminal
notebook       what a result shows in a notebook
"""
