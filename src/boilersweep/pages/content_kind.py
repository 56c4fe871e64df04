"""What bytes look like: PDF, images, archives, programs, random bytes, or HTML within a text.

Readers, `clean` and the library take their kinds from the one table.
"""

import re

from boilersweep.pages.mhtml import is_mhtml

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
ZSTD = b"\x28\xb5\x2f\xfd"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\0"
PARQUET = b"PAR1"

_MAGIC = (  # at which byte, what, kind
    (0, b"%PDF-", "a PDF document"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, ZIP, "a ZIP archive, or a document of an office program"),
    (0, GZIP + b"\x08", "gzip"),
    (0, ZSTD, "zstd"),
    (0, BZIP2, "bzip2"),
    (0, XZ, "xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of an office program"),
    (0, b"{\\rtf", "an RTF document"),
    (0, b"%!PS", "a PostScript document"),
    (0, b"\x7fELF", "a program"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"ID3", "MP3 audio"),
    (0, b"\x1aE\xdf\xa3", "Matroska video"),
    (0, b"wOFF", "a font"),
    (0, b"wOF2", "a font"),
    (0, b"\0asm", "WebAssembly"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, PARQUET, "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
    (8, b"WEBP", "a WebP image"),
    (8, b"WAVE", "WAVE audio"),
    (0, b"\0\0\1\0", "an icon"),
    (0, b"BM", "a BMP image"),
    (257, b"ustar", "a tar archive"),
    (4, b"ftyp", "MP4, HEIC or AVIF"),
)
# How HTML begins, behind comments and instructions: MIME Sniffing Standard, section 7.1.
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?.*?\?>)*+<(?:!doctype\s+html|html|head|script|iframe"
    rb"|h1|div|font|table|a|style|title|b|body|br|p)(?=[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(
    rb"<(?:!doctype html|/?(?:html|head|body|p|div|br|a|span|table|tr|td|ul|ol|li|h[1-6]|b|i))"
    rb"(?=[\s>/])[^<>]*>",
    re.IGNORECASE,
)
_TAGS = 3  # so many at the beginning of a text show that it is HTML
_SAMPLE = 2048
# Some are ISO 2022's
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r\x0e\x0f\x1a\x1b"})
# Of random bytes .1 are control characters; of pages in any encoding but UTF-16 hardly one.
_MOST_CONTROLS = 0.04
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
# What these begin may have no control characters
_PRINTABLE = (b"%PDF-", b"%!PS", b"{\\rtf")


def foreign_kind(body: bytes, charset: str | None = None) -> str:
    """Tell what bytes look like that are neither HTML nor text; "" for all others.

    Args:
        body: The bytes of a page.
        charset: The label that came with them.
    """
    start = body[:_SAMPLE]
    if start.startswith(_UTF_16) or (charset or "").strip().lower().startswith(
        "utf-16"
    ):
        return ""
    if not start.startswith(_PRINTABLE):
        controls = len(start) - len(start.translate(None, _CONTROLS))
        if controls <= _MOST_CONTROLS * len(start) + 1:
            return ""
        zeros = [start[column::2].count(0) / (len(start) / 2) for column in (0, 1)]
        if min(zeros) < 0.02 and max(zeros) > 0.4:  # UTF-16 by its ASCII, unmarked
            return ""
    named = (kind for at, magic, kind in _MAGIC if start.startswith(magic, at))
    return next(named, "binary data")


def is_page(start: bytes) -> bool:
    """Whether a file that begins so is HTML, in UTF-16 or not, or a page saved as MHTML."""
    if start.startswith(_UTF_16):
        start = start.lstrip(b"\xff\xfe").replace(b"\0", b"")
    return HTML_START.match(start) is not None or is_mhtml(start)


def is_marked_up(text: bytes) -> bool:
    """Whether a text, given as UTF-8, looks like HTML by its first tags."""
    is_document = text.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))
    return is_document or len(_TAG.findall(text[:_SAMPLE])) >= _TAGS
