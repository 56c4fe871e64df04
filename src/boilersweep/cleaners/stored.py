"""Block stores as cleaners read them."""

from collections.abc import Iterator, Sequence

from boilersweep.cleaners.registry import is_extractor, nearly
from boilersweep.cleaners.selection import Cleaner, needs_of, page_texts_of
from boilersweep.command_lines import command_line
from boilersweep.errors import UsageError
from boilersweep.pages.columns import TEXTS, BlockColumns
from boilersweep.store.store import BlockStore


def require_for(store: BlockStore, cleaners: Sequence[Cleaner]) -> None:
    """Raise UsageError if a store lacks texts that some cleaners read."""
    names = page_texts_of(cleaners)
    for name in names:
        if name not in store.page_texts and not is_extractor(name):
            raise UsageError(
                f"{store.path} has no text of {name}, and no cleaner or extractor has that name"
                f"{nearly(name)}; `boilersweep --list cleaners` lists them, and "
                f"`{command_line('segment', texts=f'{name}=FILE')}` stores texts of your own"
            )
    store.require_texts(names)


def columns_for(
    store: BlockStore, cleaners: Sequence[Cleaner]
) -> Iterator[BlockColumns]:
    """Return the store's columns with what some cleaners need and, beside it, the blocks' texts."""
    require_for(store, cleaners)
    return store.columns(TEXTS | needs_of(cleaners), page_texts_of(cleaners))


def fingerprint_for(store: BlockStore, cleaners: Sequence[Cleaner]) -> str:
    """Return the SHA-256 of all that what the cleaners keep of a store depends on."""
    return store.fingerprint_with(needs_of(cleaners))
