"""Python threads that call Java: Java releases the GIL, so they run side by side."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def for_each(work: Callable[[Item], None], items: Sequence[Item], threads: int) -> None:
    """Call `work` on every item, the items dealt out to the threads; raises the first error.

    pyjnius binds a method to its object when it is looked up, for all threads: `work` must look
    up and call in one expression, `writer.add(x)`, never keep `writer.add`.
    """
    threads = max(1, min(threads, len(items)))

    def run(share: Sequence[Item]) -> None:
        import jnius

        try:
            for item in share:
                work(item)
        finally:
            jnius.detach()  # a thread that ends attached would keep the JVM from ending

    with ThreadPoolExecutor(threads) as pool:
        shares = [pool.submit(run, items[number::threads]) for number in range(threads)]
        for share in shares:
            share.result()
