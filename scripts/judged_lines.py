"""Write the index lines of the pages that qrels judge, from fetched pages.

    python scripts/judged_lines.py --index LIST --warc PAGES.warc.gz --qrels QRELS --output FILE

LIST is the file or folder of Common Crawl's index lines by which PAGES.warc.gz was fetched. The
index does not know record ids, by which qrels name pages (`--docid uuid`), so a page is found by
its address and the digest of its payload. Prints how many judged documents have a line.
"""

import argparse
import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from boilersweep.collection.streams import decompressed
from boilersweep.topics import read_qrels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("index", "warc", "qrels", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    grades = read_qrels(args.qrels).grades.values()
    judged = {docid for documents in grades for docid in documents}
    pages = {page: docid for docid, page in fetched(args.warc) if docid in judged}
    found = set()
    with args.output.open("w", encoding="utf-8") as output:
        for line in index_lines(args.index):
            page = (str(line.get("url")), str(line.get("digest")).rpartition(":")[2])
            if page in pages and pages[page] not in found:
                found.add(pages[page])
                output.write(json.dumps(line) + "\n")
    print(f"{len(found):,} of {len(judged):,} judged documents have a line")


def fetched(warc: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each page's record id, and its address and digest."""
    with warc.open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=False):
            digest = hashlib.sha1(record.raw_stream.read(), usedforsecurity=False)
            docid = record.rec_headers.get_header("WARC-Record-ID")
            url = record.rec_headers.get_header("WARC-Target-URI")
            if docid and url:
                name = docid.strip("<>").removeprefix("urn:uuid:")
                yield name, (url, base64.b32encode(digest.digest()).decode())


def index_lines(index: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file or of a folder's files that are JSON, with or without a key."""
    for path in sorted(index.iterdir()) if index.is_dir() else [index]:
        with path.open("rb") as raw:
            for text in decompressed(raw):
                try:
                    line = json.loads(text[max(text.find(b"{"), 0) :])
                except ValueError:
                    continue
                if isinstance(line, dict):
                    yield line


if __name__ == "__main__":
    main()
