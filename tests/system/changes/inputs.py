"""Changes of inputs: pages, plug-ins, stores, topics, judgements, models."""

import os
from functools import partial
from pathlib import Path

from tests.system.changes.change import EITHER, SAME, Change, changed_input
from tests.system.changes.edits import (
    add_page,
    all_of,
    change_version,
    change_zipped_plugin,
    link,
    link_to_one_of_two,
    pack_again,
    rebuild_store,
    replace,
    swap,
    with_old_time,
    write_judged_topics,
    write_other_pages,
)
from tests.system.works import commands
from tests.system.world import ANIMALS, write_model, write_qrels, write_topics


def changes_of_file(folder: str, name: str, added: str) -> tuple[Change, ...]:
    """Return what can happen to a file of the input, its bytes and its name."""
    path = f"{folder}/{name}"

    def change(what: str, *named: str, **how: object) -> Change:
        return Change(name=f"{path}: {what}", named=named, of=folder, **how)  # type: ignore[arg-type]

    as_long = partial(replace, path, "apples", "plums ")
    return (
        change("edited", name, edit=partial(replace, path, "apples", "plums")),
        change(
            "edited, same size and time",
            name,
            edit=partial(with_old_time, path, as_long),
        ),
        change(
            "swapped with a file of the same size and time",
            name,
            before=partial(write_other_pages, path, f"{folder}/t{name}"),
            edit=partial(swap, path, f"{folder}/t{name}"),
        ),
        change(
            "linked to another file",
            name,
            before=partial(link_to_one_of_two, folder, name),
            edit=partial(link, path, f".kept/2{name}"),
        ),
        change("removed", name, edit=Path(path).unlink),
        change(
            "renamed",
            name,
            f"0{name}",
            edit=lambda: Path(path).rename(f"{folder}/0{name}"),
        ),
        change(
            f"z{added} added", f"z{added}", edit=partial(add_page, f"{folder}/z{added}")
        ),
        change(
            f"0{added} added", f"0{added}", edit=partial(add_page, f"{folder}/0{added}")
        ),
        change("touched", edit=partial(os.utime, path), expected=SAME),
    )


PAGES = (
    *changes_of_file("pages", "a.jsonl", "x.jsonl"),
    *changes_of_file("html", "h1.html", "x.html"),
    Change(
        name="pages/b.jsonl.gz: packed again",
        named=("b.jsonl.gz",),
        of="pages",
        edit=pack_again,
        expected=EITHER,
    ),
    changed_input("gold text", "gold", partial(replace, "gold.jsonl", "fed", "ate")),
)

ZIPPED = commands("--extractors zipped:text,plug:text,shouting,cetr")[0]
PLUG_INS = (
    changed_input(
        "plug-in",
        "plug-in",
        partial(replace, "code/plug.py", "html))", "html))[5:]"),
        "plug",
    ),
    changed_input(
        "plug-in's helper",
        "plug-in",
        partial(replace, "code/aid.py", "html)\n", "html)[1:]\n"),
        "plug",
    ),
    Change(
        name="plug-in in a zip",
        named=("zipped",),
        only=("segment", "segment more texts", "export pages", "sweep exact"),
        edit=change_zipped_plugin,
        options=ZIPPED,
        before_options=ZIPPED,
    ),
    changed_input(
        "extractor's code and version",
        "plug-in",
        all_of(
            partial(replace, "code/shouting.py", "upper()", "upper()[3:]"),
            change_version,
        ),
        "shouting",
    ),
    Change(
        name="extractor's version",
        named=("shouting",),
        of="plug-in",
        edit=change_version,
        expected=EITHER,
    ),
)

STORES = (
    changed_input(
        "store of edited pages",
        "store",
        all_of(partial(replace, "pages/a.jsonl", "apples", "plums"), rebuild_store),
    ),
    changed_input(
        "store with other borders",
        "store",
        partial(rebuild_store, "--borders", "paper"),
    ),
    Change(
        name="store of another plug-in",
        named=("store",),
        only=(
            "index",
            "export",
            "sweep --store",
            "compare",
        ),
        edit=all_of(
            partial(replace, "code/plug.py", "html))", "html))[5:]"), rebuild_store
        ),
    ),
    Change(name="store: built again", of="store", edit=rebuild_store, expected=SAME),
)

EXPERIMENTS = (
    changed_input(
        "topics: edited", "topics", partial(replace, "topics.txt", "apples", "plums ")
    ),
    changed_input(
        "topics: one removed", "topics", lambda: write_topics(Path(), ANIMALS[:3])
    ),
    changed_input(
        "topics: one added",
        "scoring",
        partial(write_judged_topics, *ANIMALS, "heron"),
        "topics",
    ),
    changed_input(
        "qrels: edited", "qrels", partial(replace, "qrels.txt", "1 0 d0 1", "1 0 d0 0")
    ),
    changed_input(
        "qrels: a topic removed", "qrels", lambda: write_qrels(Path(), ANIMALS[:3])
    ),
    changed_input("model", "model", lambda: write_model(Path("model.npz"), words=9)),
    changed_input(
        "blogs topics",
        "blogs",
        partial(replace, "blogs-topics.txt", "subject", "post"),
        "topics",
    ),
    changed_input(
        "blogs qrels",
        "blogs",
        partial(replace, "blogs-qrels.txt", " 4\n", " 1\n"),
        "qrels",
    ),
)

JUDGED_PAGES = (
    changed_input(
        "judged page",
        "judged",
        partial(replace, "judged/h1.html", "apples", "plums"),
        "pages was",
    ),
    changed_input(
        "judged text",
        "judged",
        partial(replace, "judged/h1.txt", "apples", "plums"),
        "pages was",
    ),
    changed_input(
        "judged page: removed", "judged", Path("judged/h1.html").unlink, "pages was"
    ),
    changed_input(
        "judged strings",
        "strings",
        partial(replace, "strings/snippets.jsonl", "stood there", "thought"),
        "snippets pages was",
    ),
)

TOUCHED = tuple(
    Change(name=f"{name}: touched", of=of, edit=partial(os.utime, name), expected=SAME)
    for name, of in (
        ("gold.jsonl", "gold"),
        ("topics.txt", "topics"),
        ("qrels.txt", "qrels"),
        ("model.npz", "model"),
    )
)

INPUTS = (*PAGES, *PLUG_INS, *STORES, *EXPERIMENTS, *JUDGED_PAGES, *TOUCHED)
