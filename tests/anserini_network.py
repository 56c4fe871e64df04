"""A network for Anserini, which asks servers for topics, qrels and, since 2.0, for lists of names.

Its https addresses are opened as plain http through a proxy, which is a server of ours.
"""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from boilersweep.indexer import start_jvm

# The list of lists of prebuilt indexes, and an empty one.
INDEXES = {
    "/contents/lucene": b'[{"type": "file", "name": "no.json", "download_url": "https://x/no.json"}]',
    "/no.json": b"[]",
}

_kept: list[Any] = []


def answer(files: Mapping[str, bytes]) -> None:
    """Answer whatever this process's JVM asks for from now on, once in a process.

    Args:
        files: The end of an address, without its query, -> what is there; all else is not found.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = self.path.partition("?")[0]
            found = [files[end] for end in files if address.endswith(end)]
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(b"".join(found))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start_jvm()
    from jnius import PythonJavaClass, autoclass, java_method

    plain = autoclass("sun.net.www.protocol.http.Handler")()

    class Plain(PythonJavaClass):  # type: ignore[misc]
        __javainterfaces__ = ("java/net/URLStreamHandlerFactory",)

        @java_method(  # type: ignore[untyped-decorator]
            "(Ljava/lang/String;)Ljava/net/URLStreamHandler;"
        )
        def createURLStreamHandler(self, protocol: str) -> Any:  # noqa: N802
            return plain if protocol == "https" else None

    system = autoclass("java.lang.System")
    system.setProperty("https.proxyHost", "127.0.0.1")
    system.setProperty("https.proxyPort", str(server.server_port))
    factory = Plain()
    _kept.extend([factory, plain])  # or Java would call what is freed
    autoclass("java.net.URL").setURLStreamHandlerFactory(factory)
