"""export_store: what is kept of every document, whole or taken up again, in one process or more."""

import contextlib
import gzip
from pathlib import Path, PurePosixPath
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import pytest

from boilersweep import (
    BlockStore,
    BusyError,
    ExportOptions,
    OutputError,
    UsageError,
    collect_variants,
    parse_cleaner,
    segment_collection,
)
from boilersweep.cleaners.block_classes import CLASSES
from boilersweep.cleaners.duplicates import Dedup
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.page_model import BLOCK_CLASSES, KINDS
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.cli.commands.export import describe_export
from boilersweep.export.export import EXPORT, export_store
from boilersweep.export.options import Format, Passages
from boilersweep.export.shards import Counts, Exported, ShardTask, export_shard
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import read_manifest
from boilersweep.outputs.plan import unfinished_kind
from tests.export.conftest import Lines, exported_files, small_store
from tests.indexer.conftest import kept_contents
from tests.manifests import write_manifest
from tests.stores import contents, make_store_of, write_pages

LONG = "words>=5"
BOTH = f"{LONG},gold"
PARQUET = ExportOptions("parquet")
NEARLY = ExportOptions(dedup=Dedup("minhash"))


def variants(text: str) -> tuple[Variant, ...]:
    return collect_variants((), parse_cleaners(text))


def faults(output: Path, store: BlockStore) -> list[str]:
    """Return what `check` finds wrong with an export."""
    return list(EXPORT.check(output, store))


@pytest.fixture
def whole(store: BlockStore, tmp_path: Path) -> dict[str, bytes]:
    export_store(store, variants(BOTH), tmp_path / "whole")
    return contents(tmp_path / "whole")


@pytest.mark.parametrize("cleaner", [LONG, "words>=1", "gold", "learned"])
def test_the_text_is_the_one_that_is_indexed(
    store: BlockStore, tmp_path: Path, lines: Lines, cleaner: str
) -> None:
    (variant,) = variants(cleaner)
    export_store(store, [variant], tmp_path)
    indexed = {
        docid: text
        for columns in columns_for(store, [variant.cleaner])
        for docid, text in kept_contents(columns, variant.cleaner)
        if any(map(str.isalnum, text))
    }
    assert {
        one["id"]: one["contents"] for one in lines(tmp_path / variant.name)
    } == indexed


def test_records_and_counts(store: BlockStore, tmp_path: Path, lines: Lines) -> None:
    manifest = export_store(store, variants(BOTH), tmp_path)
    first, *_, last = lines(tmp_path / "words-005")
    text = "one two three four five six seven\n" + " ".join(f"w{n}" for n in range(12))
    about = {
        "url": "http://site.example/a",
        "title": "Of & ponies",
        "language": "en",
    }
    assert first == {"id": "a", **about, "contents": text}
    assert (last["id"], last["url"], last["title"]) == ("http://e/?x=1&y=2#z", "", "")
    names = {
        f"{name}/{key}.jsonl.gz"
        for name in ("gold", "words-005")
        for key in keys(tmp_path, name)
    }
    assert contents(tmp_path).keys() == {*names, "manifest.json"}
    assert len(names) == 4
    assert manifest.counts["words-005"] == Counts(documents=3, empty=2, records=3)
    # Of one the text has no word.
    assert manifest.counts["gold"] == Counts(documents=2, empty=3, records=2)


@pytest.mark.parametrize("format_", ["jsonl", "bulk", "parquet", "trecweb"])
def test_dates_that_are_not_known_are_absent(tmp_path: Path, format_: Format) -> None:
    (tmp_path / "pages.jsonl").write_text(
        '{"id": "a", "contents": "<p>one two"}\n'
        '{"id": "b", "contents": "<p>one two", "date": "2005-12-06"}\n'
    )
    store = segment_collection(tmp_path / "pages.jsonl", tmp_path / "store", workers=1)
    export_store(store, variants("words>=1"), tmp_path / "out", ExportOptions(format_))
    (path,) = exported_files(tmp_path / "out" / "words-001")
    if format_ == "parquet":
        assert pq.read_table(path)["date"].to_pylist() == [None, "2005-12-06"]
        return
    text = gzip.decompress(path.read_bytes()).decode()
    assert text.lower().count("date") == (2 if format_ == "trecweb" else 1)
    assert "2005-12-06" in text


def test_pages_of_a_folder_have_their_path_as_address(
    tmp_path: Path, lines: Lines
) -> None:
    pages = tmp_path / "pages"
    for name in ("a.html", "sub/b c#1.HTM"):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text("<p>one two")
    store = segment_collection(pages, tmp_path / "store", workers=1)
    export_store(store, variants("words>=1"), tmp_path / "out")
    found = {one["id"]: one["url"] for one in lines(tmp_path / "out" / "words-001")}
    assert found == {"a": "a.html", "sub/b%20c#1": "sub/b%20c%231.HTM"}


def test_blocks_have_their_place_in_the_text(
    store: BlockStore, tmp_path: Path, lines: Lines
) -> None:
    export_store(store, variants(BOTH), tmp_path, ExportOptions(blocks=True))
    first = lines(tmp_path / "words-005")[0]
    assert [block["block"] for block in first["blocks"]] == [1, 3]
    texts = [
        first["contents"][block["start"] : block["end"]] for block in first["blocks"]
    ]
    assert texts == first["contents"].split("\n")
    assert all(one["blocks"] == [] for one in lines(tmp_path / "gold"))


def test_classes_and_kinds(store: BlockStore, tmp_path: Path, lines: Lines) -> None:
    options = ExportOptions(blocks=True, classes=True)
    manifest = export_store(store, variants(BOTH), tmp_path / "out", options)
    plain = export_store(
        store, variants(LONG), tmp_path / "plain", ExportOptions(blocks=True)
    )
    assert not plain.kinds
    recipe = EXPORT.require(tmp_path / "out").recipe
    assert recipe["model"] == Learned().model_digest()
    kinds = manifest.kinds.values()
    assert sum(kind["documents"] for kind in kinds) == store.documents
    found = lines(tmp_path / "out" / "words-005")
    assert {one["kind"] for one in found} <= set(manifest.kinds) <= set(KINDS)
    kept = sum(kind.get("characters of words-005", 0) for kind in kinds)
    assert kept == sum(len(one["contents"].replace("\n", "")) for one in found)
    for one, other in zip(found, lines(tmp_path / "plain" / "words-005"), strict=True):
        del one["kind"]
        assert 0 <= one.pop("confidence") <= 1
        for block in one["blocks"]:
            probabilities = block.pop("probabilities")
            assert list(probabilities) == list(BLOCK_CLASSES)
            assert sum(probabilities.values()) == pytest.approx(1, abs=3e-4)
            assert set(block.pop("classes")) <= {rule.name for rule in CLASSES}
        assert one == other
    text = describe_export(tmp_path / "out", manifest, options)
    assert any("documents; of their text words-005 keeps" in line for line in text)


def test_passages(store: BlockStore, tmp_path: Path, lines: Lines) -> None:
    options = ExportOptions(blocks=True, passages=Passages(8, 2))
    manifest = export_store(store, variants(LONG), tmp_path, options)
    found = lines(tmp_path / "words-005")
    assert manifest.counts["words-005"].records == len(found)
    of_a = [one for one in found if one["docid"] == "a"]
    assert [one["id"] for one in of_a] == ["a#0", "a#1", "a#2"]
    assert [one["contents"].split() for one in of_a] == [
        "one two three four five six seven w0".split(),
        "seven w0 w1 w2 w3 w4 w5 w6".split(),
        "w5 w6 w7 w8 w9 w10 w11".split(),
    ]
    text = "one two three four five six seven\n" + " ".join(f"w{n}" for n in range(12))
    for one in of_a:
        assert text[one["start"] : one["end"]] == one["contents"]
    pieces = [
        [one["contents"][b["start"] : b["end"]] for b in one["blocks"]] for one in of_a
    ]
    assert pieces[1] == ["seven", "w0 w1 w2 w3 w4 w5 w6"]
    assert [b["block"] for b in of_a[2]["blocks"]] == [3]


def killed_after_one(*asked: Any, **how: Any) -> list[str]:
    """Export until a first shard is done, as if the process was killed then; return its files."""
    done: list[str] = []

    def export_first(task: ShardTask) -> list[Exported]:
        if done:
            raise KeyboardInterrupt
        done.extend(task.names)
        return export_shard(task)

    with (
        mock.patch("boilersweep.export.export.export_shard", export_first),
        contextlib.suppress(KeyboardInterrupt),
    ):
        export_store(*asked, **how)
    return done


def keys(output: Path, cleaner: str) -> list[str]:
    """Return the keys of a whole export's shards, in the order of the store."""
    names = map(PurePosixPath, EXPORT.require(output).parts)
    return [name.name.split(".")[0] for name in names if name.parts[0] == cleaner]


@pytest.mark.parametrize("damaged", [False, True])
def test_after_a_kill_the_same_call_goes_on(
    store: BlockStore, tmp_path: Path, whole: dict[str, bytes], damaged: bool
) -> None:
    output = tmp_path / "killed"
    asked = (store, variants(BOTH), output)
    first = killed_after_one(*asked)
    assert set(first) < whole.keys()
    assert not (output / "manifest.json").exists()
    if damaged:
        path = output / first[0]
        path.write_bytes(bytes(len(path.read_bytes())))
        export_store(*asked)
    else:
        second = killed_after_one(*asked)
        assert {*first, *second, "manifest.json"} == whole.keys()
    assert contents(output) == whole


def test_another_list_of_cleaners_makes_only_new_files(
    store: BlockStore, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    export_store(store, variants(LONG), output)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*.gz")}
    asked = (store, variants(BOTH), output)
    with pytest.raises(OutputError, match="cleaners gold text was not set, is gold"):
        export_store(*asked)
    export_store(*asked, overwrite=True)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    export_store(store, variants("gold"), output, overwrite=True)
    assert not any(path.exists() for path in before)
    export_store(store, variants("gold"), tmp_path / "fresh")
    assert contents(output) == contents(tmp_path / "fresh")


def test_one_process_writes_an_export(store: BlockStore, tmp_path: Path) -> None:
    with only_writer(tmp_path), pytest.raises(BusyError):
        export_store(store, variants(BOTH), tmp_path)


@pytest.mark.parametrize("options", [None, NEARLY])
def test_an_export_follows_its_store(tmp_path: Path, options: Any) -> None:
    """What is unchanged is not made again, and what was made of other pages goes."""
    same = "one two three four five six"
    pages = [{name: f"<p>{same} {name}"} for name in "abc"]
    store = make_store_of(tmp_path, *pages)
    asked = (variants(LONG), tmp_path / "out", options)
    export_store(store, *asked)
    first, *others = keys(tmp_path / "out", "words-005")
    for number, name in enumerate("bc", 1):
        other = {name: f"<p>other words that are more than five {name}"}
        write_pages(tmp_path / "pages" / f"{number}.jsonl", other)
    store = segment_collection(tmp_path / "pages", tmp_path / "store", workers=1)
    before = contents(tmp_path / "out")
    assert len(killed_after_one(store, *asked)) == 1
    assert contents(tmp_path / "out").items() >= before.items()
    export_store(store, *asked)
    assert keys(tmp_path / "out", "words-005")[0] == first
    assert not {*others} & {*keys(tmp_path / "out", "words-005")}
    export_store(store, variants(LONG), tmp_path / "fresh", options)
    assert contents(tmp_path / "out") == contents(tmp_path / "fresh")


def test_a_kill_after_the_manifest_leaves_no_file_of_the_old(
    store: BlockStore, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_store(store, variants(BOTH), out)
    asked = (store, variants(LONG), out, PARQUET)
    with (
        mock.patch(
            "boilersweep.outputs.writer.Writer._remove", side_effect=KeyboardInterrupt
        ),
        pytest.raises(KeyboardInterrupt),
    ):
        export_store(*asked, overwrite=True)
    assert (out / "gold").exists()
    with mock.patch("boilersweep.export.export.export_shard") as run:
        export_store(*asked)
    run.assert_not_called()
    export_store(store, variants(LONG), tmp_path / "fresh", PARQUET)
    assert contents(out) == contents(tmp_path / "fresh")


def test_a_list_of_duplicates_goes_with_its_export(
    store: BlockStore, tmp_path: Path
) -> None:
    asked = (store, variants(LONG), tmp_path / "out")
    export_store(*asked, NEARLY)
    export_store(*asked, overwrite=True)
    export_store(store, variants(LONG), tmp_path / "fresh")
    assert contents(tmp_path / "out") == contents(tmp_path / "fresh")


def test_what_another_unfinished_export_left_goes(
    store: BlockStore, tmp_path: Path
) -> None:
    killed_after_one(store, variants(LONG), tmp_path / "out")
    asked = (store, variants(LONG))
    export_store(*asked, tmp_path / "out", PARQUET)
    export_store(*asked, tmp_path / "fresh", PARQUET)
    assert contents(tmp_path / "out") == contents(tmp_path / "fresh")


def test_files_of_others_are_never_removed(store: BlockStore, tmp_path: Path) -> None:
    theirs = [
        tmp_path / name
        for name in (
            "gold/mine.jsonl",
            "words-005/mine.txt",
            f"fineweb/{0:024}.jsonl.gz",
        )
    ]
    for path in theirs:
        path.parent.mkdir()
        path.write_text("theirs")
    export_store(store, variants(BOTH), tmp_path)
    export_store(store, variants("words>=7"), tmp_path, overwrite=True)
    assert [path.read_text() for path in theirs] == ["theirs"] * 3
    assert [path.name for path in (tmp_path / "words-005").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (Variant(parse_cleaner("shouting:text")), "has no text of shouting"),
        (Variant(PageText("store")), "store cannot be exported"),
    ],
)
def test_what_cannot_be_exported(
    store: BlockStore, tmp_path: Path, variant: Variant, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        export_store(store, [variant], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_duplicates_that_were_dropped_are_not_exported(
    tmp_path: Path, lines: Lines
) -> None:
    shards = (
        {"a": "<p>a of 0", "b0": "<p>b0 of 0"},
        {"a": "<p>a of 1", "b1": "<p>b1 of 1"},
    )
    store = make_store_of(tmp_path, *shards, on_duplicate="first")
    export_store(store, variants("words>=1"), tmp_path / "out")
    found = [one["contents"] for one in lines(tmp_path / "out" / "words-001")]
    assert found == ["a of 0", "b0 of 0", "b1 of 1"]


STORY = " ".join(f"w{n}" for n in range(60))
TWINS = {
    "a": f"<p>{STORY}<p>menu",
    "b": f"<p>{STORY} end" + "".join(f"<p>m{n}" for n in range(30)),
    "c": "<p>... ---",
    "d": f"<p>{STORY}",
    "e": "<p>all else has nothing to do with that",
}


@pytest.fixture
def recrawled(tmp_path: Path) -> BlockStore:
    """Five documents in three shards; of blocks of seven words b and d are as a, but for a word."""
    return small_store(tmp_path, TWINS, "a", "bcd", "e")


def test_near_duplicates_are_left_out_counted_and_named(
    recrawled: BlockStore, tmp_path: Path, lines: Lines
) -> None:
    output = tmp_path / "out"
    manifest = export_store(
        recrawled, variants(f"words>=1,words>=7,{LONG}"), output, NEARLY
    )
    assert [one["id"] for one in lines(output / "words-007")] == ["a", "e"]
    assert manifest.counts["words-007"] == Counts(2, 1, 2, 2)
    assert [one["id"] for one in lines(output / "words-005")] == ["a", "e"]
    assert [one["id"] for one in lines(output / "words-001")] == ["a", "b", "e"]
    named = (output / "duplicates.csv").read_text().splitlines()
    assert named == [
        "docid,twin,similarity,cleaner",
        "d,a,0.9825,words-001",
        "b,a,0.9825,words-007",
        "d,a,1.0000,words-007",
        "b,a,0.9825,words-005",
        "d,a,1.0000,words-005",
    ]
    assert not faults(output, recrawled)


def test_duplicates_do_not_depend_on_who_does_the_work(
    recrawled: BlockStore, tmp_path: Path
) -> None:
    some = variants("words>=1,words>=7")
    export_store(recrawled, some, tmp_path / "one", NEARLY)
    export_store(recrawled, some, tmp_path / "two", NEARLY, workers=2)
    whole = contents(tmp_path / "one")
    assert "duplicates.csv" in whole
    assert contents(tmp_path / "two") == whole


def test_a_list_of_duplicates_is_part_of_the_export(
    recrawled: BlockStore, tmp_path: Path
) -> None:
    some, output = variants("words>=7"), tmp_path / "out"
    export_store(recrawled, some, output, NEARLY)
    (output / "duplicates.csv").write_text("docid,twin,similarity,cleaner\n")
    assert faults(output, recrawled) == [
        "duplicates.csv has 30 bytes, and was written with 72"
    ]
    with pytest.raises(OutputError, match=r"duplicates\.csv"):
        export_store(recrawled, some, output, NEARLY)
    export_store(recrawled, some, output, NEARLY, overwrite=True)
    assert not faults(output, recrawled)


def test_a_file_of_others_is_not_taken_for_a_list(
    recrawled: BlockStore, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "duplicates.csv").write_text("mine\n")
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"in the way .*: duplicates\.csv"):
            export_store(
                recrawled, variants("words>=7"), output, NEARLY, overwrite=overwrite
            )
    export_store(recrawled, variants("words>=7"), output)
    export_store(recrawled, variants("words>=6"), output, overwrite=True)
    assert (output / "duplicates.csv").read_text() == "mine\n"


def test_a_kill_between_shards_leaves_the_same_duplicates(
    recrawled: BlockStore, tmp_path: Path
) -> None:
    some, output = variants("words>=7"), tmp_path / "out"
    export_store(recrawled, some, tmp_path / "whole", NEARLY)
    killed_after_one(recrawled, some, output, NEARLY)
    export_store(recrawled, some, output, NEARLY)
    assert contents(output) == contents(tmp_path / "whole")


@pytest.mark.parametrize("dedup", [None, Dedup("exact")])
def test_documents_in_other_languages_are_left_out_and_counted(
    tmp_path: Path, lines: Lines, dedup: Dedup | None
) -> None:
    tags = {"a": "de", "b": "fr", "c": "de", "d": "", "e": "fr"}
    pages = {
        d: f"<html lang='{tag}'><p>1 2 3 4 5 {d.strip('ac')}" for d, tag in tags.items()
    }
    store = make_store_of(tmp_path, pages)
    options = ExportOptions(languages=("de", "fr"), dedup=dedup)
    manifest = export_store(store, variants(LONG), tmp_path / "out", options)
    again = 1 if dedup else 0
    assert (manifest.documents, manifest.other_languages) == (4, {"und": 1})
    counts = manifest.counts["words-005"]
    assert (counts.documents, counts.duplicates) == (4 - again, again)
    found = {
        one["id"]: one["language"] for one in lines(tmp_path / "out" / "words-005")
    }
    assert found == {
        d: tag for d, tag in tags.items() if tag and not (again and d == "c")
    }
    assert not faults(tmp_path / "out", store)
    assert export_store(store, variants(LONG), tmp_path / "out", options) == manifest
    with pytest.raises(OutputError, match="languages was"):
        export_store(
            store, variants(LONG), tmp_path / "out", ExportOptions(dedup=dedup)
        )


@pytest.mark.parametrize(
    ("empty", "of", "fault"),
    [
        (4, None, "gold has 6 documents, the store 5"),
        (3, "f" * 64, "it was made from another block store"),
    ],
)
def test_an_export_is_compared_with_its_store(
    store: BlockStore, tmp_path: Path, empty: int, of: str | None, fault: str
) -> None:
    export_store(store, variants(BOTH), tmp_path)
    manifest = read_manifest(tmp_path / "manifest.json")
    manifest["facts"]["counts"]["gold"]["empty"] = empty
    manifest["recipe"]["store"] = of or store.fingerprint
    write_manifest(tmp_path / "manifest.json", manifest)
    (found,) = faults(tmp_path, store)
    assert fault in found


def test_check_names_an_unfinished_export(store: BlockStore, tmp_path: Path) -> None:
    killed_after_one(store, variants(BOTH), tmp_path)
    assert unfinished_kind(tmp_path) == EXPORT.name
    (fault,) = faults(tmp_path, store)
    assert "run `boilersweep export` again" in fault
