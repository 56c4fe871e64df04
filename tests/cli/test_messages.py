"""Mistakes of users: the command line and the message, one line for each mistake."""

import gzip
import shlex
import shutil
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from tests.cli.conftest import Call, Inputs

USAGE: list[tuple[str, list[str]]] = [
    (
        "index --store s --keep wurds>2 --threads 0 --update --overwrite --optimise",
        [
            "--keep: keep rule 'wurds>2': expected one of words, density",
            "--threads: expected a whole number of at least 1, got '0'",
            "--overwrite: not allowed with argument --update",
            "the following arguments are required: --output",
            "unrecognized arguments: --optimise (did you mean --optimize?)",
        ],
    ),
    (
        "compare --store s --topics t --qrels q --output o --cleaners lerned,words --formula bm26",
        [
            "--cleaners: keep rule 'lerned,words': expected one of >= > <= < == != and a number "
            "after words",
            "--formula: expected some of bm25, qld, classic, lucene-2.9, rm3, rocchio, "
            "separated by commas, got 'bm26' (did you mean bm25?)",
        ],
    ),
    (
        "sweep --input p --topics t --qrels q --output o --engine exact --rm3 --measures NDGC@10",
        [
            "measures: expected those that ir-measures computes here",
            "--rm3 requires --engine indexes: feedback reads document vectors",
        ],
    ),
    (
        "sweep --topics t --grid words=1:3 density=1:2 --cleaners bte --share 1/2 --output o",
        [
            "expected --input or --store; or --dataset irds:ID",
            "--grid cannot be used with --cleaners",
            "--grid, --share: expected --qrels, too",
            "--grid runs in one process",
        ],
    ),
    (
        "export --store s --output o --keep learned>=1.5 --overlap 3 --dedup-threshold 0.9",
        [
            "--keep: keep rule 'learned>=1.5': expected a number from 0 to 1",
            "--overlap requires --passages",
            "--dedup-threshold requires --dedup minhash",
        ],
    ),
    (
        "clean --keep learned>=1.5",
        ["--keep: keep rule 'learned>=1.5': expected a number from 0"],
    ),
    (
        "segment --input p --output o --shard 1/2",
        ["unrecognized arguments: --shard 1/2"],
    ),
    ("segment --input p --output o --heap", ["unrecognized arguments: --heap"]),
    ("segment --input", ["--input: expected one argument"]),
    ("serch", ["command: expected one of demo, sweep, compare"]),
    ("", ["the following arguments are required: COMMAND"]),
    (
        "search --index i --topics t --output o --fields titel=x",
        [
            "--fields: expected title, desc, narr of the topics, or a field of the index with a "
            "boost above 0, such as title=0.5, got 'titel=x' (did you mean title?)",
        ],
    ),
    (
        "train --dataset wcbx=d --leave-out sites --output m.npz --model tre",
        [
            "--dataset: expected NAME=DIR, NAME one of l3s-gn1, cleaneval, wcxb, snippets, folder, "
            "got 'wcbx=d' (did you mean wcxb?)",
            "--leave-out: expected some of site, source, language, got 'sites' (did you mean ",
            "--model: expected one of learned, tree, 1r, svm, logistic, perceptron, got 'tre' (did "
            "you mean tree?)",
        ],
    ),
]


# Beginning of a call -> its ends with one mistake each, and what the message says.
ALONE: dict[str, list[tuple[str, str]]] = {
    "index --store s --output o": [
        ("--keep words", "(in a shell in quotes, 'words>=11': > writes into a file)"),
        (
            "",
            "expected either --sweep and --cleaners (parallel indexes) or --keep (one index)",
        ),
        ("--sweep words=1 --keep 'words>=1'", "expected either --sweep"),
        (
            "--sweep words=1 --storeContents",
            "--storeContents, --storeRaw, --fields and",
        ),
        ("--sweep words=1 --storeRaw", "--optimize require --keep"),
        ("--sweep words=1 --optimize", "--optimize require --keep"),
        (
            "--keep 'words>=1' --fields url",
            "expected one of title, headline, comments, got 'url'",
        ),
        ("--sweep words=1 --update", "--update requires --keep"),
        (
            "--keep 'words>=1' --update --share 1/2",
            "--update cannot be used with --share",
        ),
        (
            "--keep 'words>=1' --update --overwrite",
            "not allowed with argument --update",
        ),
        ("--sweep words=1 --dedup exact", "--dedup requires --keep"),
        ("--keep bte --dedup exact --share 1/2", "--dedup cannot be used with"),
        ("--keep bte --dedup simhash", "expected exact or minhash, got 'simhash'"),
        ("--sweep words=1 --languages de", "--languages requires --keep"),
        ("--keep bte --languages de --share 1/2", "--languages cannot be used with"),
        ("--keep bte --languages german", "expected languages such as de,fr"),
        ("--keep bte --dedup-threshold 0.9", "requires --dedup minhash"),
        ("--keep bte --dedup minhash --dedup-threshold 2", "from 0.5 to 1"),
        ("--sweep words=0", "thresholds of at least 1"),
        ("--sweep letters=1", "got 'letters=1' at character 1"),
        ("--keep 'words>'", "expected a number"),
        ("--keep 'words>=1' --language xx", "'xx': expected one of ar, bg, "),
        ("--keep 'words>=1' --language auto", "index every language by itself"),
        (
            "--keep 'words>=1' --stemmer lovins",
            "one of porter, krovetz, none, got 'lovins'",
        ),
        ("--keep 'words>=1' --threads none", "at least 1, got 'none'"),
    ],
    "compare --store s --topics t --qrels q --output o": [
        (
            "--cleaners learned bte",
            "unrecognized arguments: bte; separate the values of a list by",
        ),
        ("--cleaners 'wurds>=1'", "--cleaners"),
        ("--cleaners 'words>=2' --baseline 'words>='", "--baseline"),
        ("--cleaners 'words>=2' --measures P@ten", "P@ten"),
        (
            "--cleaners 'words>=2' --tests t,u",
            "one or more of randomisation, t, wilcoxon",
        ),
        ("--cleaners 'words>=2' --tests ''", "got none"),
        ("--cleaners 'words>=2' --tests t,t", "each once"),
        ("--cleaners 'words>=2' --engine indexes --verify 2", "--verify requires"),
    ],
    "compare --store s --topics t --qrels q --output o --cleaners bte": [
        (
            "--formula bm25,cosine",
            "expected some of bm25, qld, classic, lucene-2.9, rm3",
        ),
        ("--formula bm25,bm25", "expected each formula once"),
        ("--formula rm3", "--formula rm3 requires --engine indexes"),
        ("--formula rm3,rocchio", "--formula rm3 requires --engine indexes"),
        ("--formula bm25,lucene-2.9 --engine indexes", "requires --engine exact"),
        (
            "--formula bm25,qld --rm3",
            "--formula bm25,qld,rm3 runs it beside the others",
        ),
        ("--formula classic --k1 0.5,1", "--k1 and --b: several values tune bm25"),
        (
            "--mu 100,1000",
            "--mu: several values tune qld, which is not among the formulas",
        ),
        ("--k1 0.5,-1", "--k1: expected a finite number of at least 0, got -1"),
        ("--b 0.5,much", "expected a number, got 'much'"),
        ("--qld --mu 0", "--mu: expected a finite number above 0, got 0"),
        ("--k1 inf", "--k1: expected a finite number of at least 0, got inf"),
        ("--rm3.fbTerms 2147483648", "--rm3.fbTerms: expected a number from 1 to 2.1"),
        ("--rocchio.alpha nan", "--rocchio.alpha: expected a finite number"),
        ("--runs made.trec", "expected NAME=RUN.trec, such as dense=dense.trec"),
        (
            "--runs x=a.trec --runs x=b.trec",
            "expected a different name for each, got x twice",
        ),
    ],
    "sweep --input p --topics t --qrels q --output o": [
        ("--verify 3", "--verify requires --engine exact"),
        ("--engine indexes --verify 1", "--verify requires --engine exact"),
        ("--formula lucene-2.9", "--formula lucene-2.9 requires --engine exact"),
        (
            "--engine exact --verify 0",
            "--verify: expected a whole number of at least 1",
        ),
        (
            "--engine exact --verify some",
            "--verify: expected a whole number of at least 1",
        ),
        ("--engine exact --verify 2,3", "or both as in `3,full`, got '2,3'"),
        (
            "--engine exact --verify full,full",
            "or both as in `3,full`, got 'full,full'",
        ),
        ("--verify full", "--verify requires --engine exact"),
        ("--engine guess", "expected indexes or exact, got 'guess'"),
        ("--engine exact --formula bm26", "got 'bm26' (did you mean bm25?)"),
        ("--engine exact --formula qld --bm25", "not allowed with argument"),
    ],
    "export --store s --keep bte --output o": [
        ("--overlap 5", "--overlap requires --passages"),
        ("--passages 5 --overlap 5", "less than the words"),
        ("--format text --blocks", "text has no place for blocks"),
        ("--share 1/2 --overwrite", "--overwrite cannot be used with --share"),
        ("--passages 0", "at least 1"),
        ("--format csv", "expected one of"),
        ("--dedup-threshold 0.9", "--dedup-threshold requires --dedup minhash"),
        ("--dedup exact --dedup-threshold 0.9", "requires --dedup minhash"),
        ("--dedup minhash --dedup-threshold 0.4", "from 0.5 to 1"),
        ("--dedup simhash", "expected exact or minhash"),
    ],
    "explain --store s --topics t --qrels q": [
        ("--topic 1", "expected two different ones, such as 'words>=1,bte', got none"),
        ("--topic 1 --cleaners bte", "expected two different ones"),
        ("--topic 1 --cleaners bte,bte", "expected two different ones"),
        ("--topic 1 --cleaners bte,mss,dsc", "got bte, mss, dsc"),
        ("--topic 1 --cleaners bte,mss --hits 0", "at least 1, got '0'"),
        ("--topic 1 --cleaners bte,mss --page x", "--page cannot be used with --store"),
        ("--cleaners bte,mss", "got no --topic"),
    ],
    "sweep --input p --topics t --qrels q --output o --grid": [
        ("words=1:3", "--grid: expected 2 arguments"),
        ("words=1:3 bte", "sweep 'bte': expected a range"),
        ("words=1:3 'words>=7:9'", "sweeps over two numbers, got words twice"),
        ("words=1:500 density=1:500", "at most 10,000 pairs, got 250,000"),
        ("words=1 density=2 --engine indexes", "--grid requires --engine exact"),
        ("words=1 density=2 --cleaners bte", "--grid cannot be used with --cleaners"),
        ("words=1 density=2 --share 1/2", "--grid runs in one process"),
        ("words=1 density=2 --rm3", "--rm3 requires --engine indexes"),
    ],
    "sweep --input p --topics t --qrels q --output o --sweep words=1": [
        ("--measures P@10 Quality nDCG@", "Quality, nDCG@"),
        ("--sweep words", "sweep 'words': expected"),
        ("--heap much", "heap 'much': expected a size such as 2g"),
        ("--sweep 'link_density<={0:1'", "a closing brace, but it ends there"),
        (
            "--sweep 'words>={1:2} & density>={3}'",
            "one range; two sweeps make a --grid",
        ),
        ("--grid words=1:3 density=2", "not allowed with argument --sweep"),
        ("--verify 2", "--verify requires --engine exact"),
        ("--formula lucene-2.9", "requires --engine exact"),
        ("--b 2", "--b: expected a number from 0 to 1, got 2"),
        ("--k1 1e39", "--k1: expected a finite number of at least 0, got 1e+39"),
        ("--rm3.originalQueryWeight 2", "Weight: expected a number from 0 to 1, got 2"),
    ],
    "sweep --store s --topics t --qrels q --output o --share 1/2": [
        ("--engine indexes", "--share requires --engine exact"),
        ("--engine exact --languages de", "--languages cannot be used with"),
    ],
    "sweep --input p --topics t --qrels q --output o --share 1/2": [
        ("--engine exact", "--share requires --store"),
    ],
    "blogs06 --input p --topics t --qrels q --output o": [
        ("--verify 3", "--verify requires --engine exact"),
        ("--formula lucene-2.9", "--formula lucene-2.9 requires --engine exact"),
    ],
    "index --store s --output o --sweep words=1 --share": [
        *((share, "expected NUMBER/COUNT") for share in ("0/3", "4/3", "3", "x/3")),
    ],
    "export --input p --keep bte --output o": [
        ("--share 1/2", "--share requires --store")
    ],
    "train --dataset folder=x --output x.npz": [
        ("--weights pages", "expected NAME=WEIGHT"),
        ("--weights a=1,a=2", "each once"),
        ("--leave-out site,decade", "expected some of site, source, language"),
        ("--model learned --features schaefer", "reads the features paragraphs"),
    ],
    "sweep": [
        ("--formula bm25,qld", "expected one formula, got bm25,qld"),
        ("--k1 0.6,0.9", "expected one number, got 0.6,0.9"),
    ],
    "search": [("--formula rm3", "got 'rm3'")],
    "search --index i": [
        ("", "expected --topics and --output, or --query alone"),
        ("--output y", "expected --topics and --output, or --query alone"),
        ("--output y --query z", "expected --topics and --output, or --query alone"),
        ("--topics t --query z", "expected --topics and --output, or --query alone"),
    ],
    "--print-completion": [
        ("dos", "--print-completion: expected one of bash, zsh, tcsh, got")
    ],
    "--nonsense": [("", "the following arguments are required: COMMAND")],
    "segment --input x --output y": [
        ("--collection pdf", "--collection: expected one of "),
        ("--dataset irds:y", "--dataset: not allowed with argument --input"),
    ],
    "segment --output y": [("--dataset gov2", "--dataset: ")],
    "evaluate --qrels x": [("", "the following arguments are required: --run")],
    "sweep --input x --store y --output z": [
        ("", "--store: not allowed with argument --input")
    ],
    "demo": [("--heap", "--heap: expected one argument")],
    "clean": [
        *(
            (url, f"`curl -sL {url} | boilersweep clean`")
            for url in ("https://e.org/", "s3://a/b")
        ),
    ],
    "features --store s": [("", "--store and --output require each other")],
    "judge --output o": [
        ("--dataset dragnet", "NAME one of l3s-gn1"),
        ("--dataset folder --input x --cleaners 'words>='", "expected a number"),
        ("--dataset wcxb=a --input b", "got both"),
        ("--dataset wcxb --dataset folder=b --input c", "got both"),
        ("--dataset wcxb", "expected the folder of wcxb: --dataset wcxb=DIR"),
        ("--dataset wcxb=a --dataset folder", "expected the folder of folder"),
        ("--dataset wcxb=", "NAME one of l3s-gn1, cleaneval"),
    ],
    "sweep --output o": [
        ("--input x --topics y --measures AP", "--measures: expected --qrels, too"),
        (
            "--input x --topics y --queries z",
            "expected --topics or --queries, one of the two",
        ),
        ("--topics x", "expected --input or --store; or --dataset irds:ID"),
    ],
    "assess --store s --queries q --cleaners bte --output o": [
        ("--port 99999", "--port: expected a port from 1 to 65535, got 99999"),
        ("--host ü..x", "--host: expected a host name or an address, got 'ü..x'"),
        (
            "--assessor '\"x'",
            "--assessor: expected a command, got '\"x': No closing quotation",
        ),
        ("--assessor ''", "--assessor: expected a command, got an empty text"),
    ],
    "segment --input p": [
        ("--output ''", "--output: expected a path, got an empty text"),
        ("--output p", "output p: expected a folder outside of the input p"),
        ("--output ./p", "expected a folder outside of the input p"),
        ("--output p/out", "expected a folder outside of the input p"),
        ("--output o\udcff", r"--output: expected text in UTF-8, got 'o\udcff'"),
        ("--output o --input q", "--input: expected once, got it again"),
    ],
    "segment --output o": [
        ("--input ''", "--input: expected a path, got an empty text")
    ],
    "sweep --store s --topics t --output o": [
        ("--count-column n", "--count-column requires --queries"),
    ],
    "evaluate --qrels q --run r": [
        ("nDCG@99999999999999999999", "expected those that ir-measures computes here"),
    ],
    "compare --output o --store x": [("", "expected --topics; or --dataset irds:ID")],
    "segment --input p --output o": [
        ("--update --overwrite", "not allowed with argument --update"),
        ("--update --share 1/2", "--update cannot be used with --share"),
        ("--collection cdx", "--collection cdx requires --save FILE.warc.gz"),
        (
            "--collection cdx --save pages.gz",
            "--collection cdx requires --save FILE.warc.gz",
        ),
        ("--save pages.warc.gz", "--save and --cdx-base require --collection cdx"),
        ("--sample 3", "--sample adds documents to --only-docids or --only-judged"),
    ],
    "search --index i --index j": [
        ("--topics t --output o", "expected one, or two with --query"),
        ("--query q --fields desc", "expected fields of the index"),
    ],
    "compare --store s --output o": [
        ("--cleaners lerned,words", "lerned (did you mean learned?)"),
    ],
    "evaluate --qrels q --run r --": [
        ("NDGC@10", "got NDGC@10 (did you mean nDCG@10?)"),
        ("ndcg@20", "got ndcg@20 (did you mean nDCG@20?)"),
    ],
    "report study": [
        ("--title ' '", "expected a title, got an empty text"),
        ("--output study/side.html", "expected a file outside of study"),
        ("--archive study/a.zip", "expected a file outside of study"),
    ],
    "explain --page p": [
        ("--languages en", "--page cannot be used with --languages"),
        ("--b x", "expected a number, got 'x'"),
    ],
}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{begin} {end}", message)
        for begin, ends in ALONE.items()
        for end, message in ends
    ],
)
def test_a_mistake(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    call(*shlex.split(line)).refused(2, message)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("line", "messages"), USAGE, ids=[line for line, _ in USAGE])
def test_all_mistakes_of_a_call(call: Call, line: str, messages: list[str]) -> None:
    outcome = call(*line.split())
    assert (outcome.status, outcome.out) == (2, "")
    hint, *found = outcome.err.splitlines()
    assert hint.startswith("usage: boilersweep")
    assert len(found) == len(messages), outcome.err
    for line_found, message in zip(found, messages, strict=True):
        assert line_found.startswith(f"boilersweep: {message}")


def test_swapped_topics_and_qrels_are_recognised(
    call: Call, inputs: Inputs, store: Path, tmp_path: Path
) -> None:
    compare = (
        "compare",
        "--store",
        store,
        "--cleaners",
        "bte",
        "--output",
        tmp_path / "o",
    )
    call(*compare, "--topics", inputs.qrels, "--qrels", inputs.topics).refused(
        1, f"{inputs.qrels} looks like qrels, expected topics"
    )
    packed = tmp_path / "topics.gz"
    packed.write_bytes(gzip.compress(inputs.topics.read_bytes()))
    call(*compare, "--topics", inputs.topics, "--qrels", packed).refused(
        1, f"{packed} looks like topics, expected qrels"
    )


# A call with real files, its exit status, and what the message says.
READ: list[tuple[str, int, str]] = [
    ("clean html/a.html --images", 2, "--images requires --format markdown"),
    ("serve html --sweep words=1:5", 1, "html is no block store"),
    ("serve STORE --sweep words=1", 2, "at least two thresholds"),
    *(
        (
            f"{words} 'weighted(words>=3, 4)'",
            2,
            "a cleaner that keeps or drops text, got weighted(",
        )
        for words in (
            "export --store STORE --output o --keep",
            "clean html/a.html --keep",
            "judge --dataset folder --input gold --output o --cleaners",
        )
    ),
    (
        "segment --input nowhere --output o",
        1,
        "nowhere does not exist: expected a file or a folder",
    ),
    (
        "segment --input empty --output o",
        1,
        "found no files; unpack archives (tar, zip, xz) first; say which with --collection",
    ),
    (
        "segment --input a.pdf --output o",
        1,
        "found 1 x .pdf; unpack archives (tar, zip, xz) first; say which",
    ),
    (
        "segment --input STORE --output o",
        1,
        "STORE holds no document: it is a block store; pass it with --store",
    ),
    (
        "segment --input pdfs --output o",
        1,
        "a.html at byte 0: it looks like a PDF document",
    ),
    (
        "segment --input PAGES --output o --collection warc",
        1,
        "name another format with --coll",
    ),
    (
        "segment --input PAGES --output o --collection jsonl",
        1,
        "name another format with --coll",
    ),
    ("segment PAGES o", 2, "expected --input; or --dataset irds:ID"),
    (
        "segment --input html --output STORE",
        1,
        "options collection was trecweb, is html",
    ),
    ("segment --input PAGES --output TOPICS", 1, "choose an --output that is a folder"),
    (
        "segment --input PAGES --output o --extractors trafilatur",
        2,
        "(did you mean trafilatura",
    ),
    (
        "segment --input PAGES --output o --extractors my:fn",
        2,
        "in a folder of PYTHONPATH",
    ),
    (
        "segment --dataset gov2 --output o",
        2,
        "expected irds:ID, such as irds:gov2/trec-tb-2004",
    ),
    (
        "index --store PAGES --keep bte --output o",
        1,
        "is no block store (it has no manifest.json)",
    ),
    (
        "index --store STORE --keep words=11 --output o",
        2,
        "words, got '=11' at character 6",
    ),
    (
        "index --store STORE --keep learnt --output o",
        2,
        "has that name (did you mean learned?)",
    ),
    (
        "index --store STORE --keep justext --output o",
        2,
        "run `boilersweep extract --store STORE",
    ),
    (
        "index --store STORE --keep words>=5000 --output none",
        1,
        "the index has no documents: words>=",
    ),
    (
        "index --store STORE --sweep words=1-100 --output o",
        2,
        "a sweep looks like words=1:100",
    ),
    (
        "index --store STORE --sweep words=9:1 --output o",
        2,
        "expected an ascending range",
    ),
    (
        "index --store STORE --keep bte --output o --storecontents",
        2,
        "did you mean --storeCont",
    ),
    ("search --index nowhere --query pony", 1, "nowhere"),
    ("search --index STORE --query pony", 1, "build one with `boilersweep index`"),
    (
        "search --index STORE pony",
        2,
        "expected --topics and --output, or --query alone",
    ),
    ("search --index STORE --query ' '", 2, "--query: expected some words, got none"),
    (
        "evaluate --qrels QRELS --run TOPICS",
        1,
        "expected six columns: topic Q0 docid rank score",
    ),
    ("evaluate --qrels QRELS --run QRELS", 1, "this looks like qrels, not like a run"),
    ("evaluate --qrels bad --run RUN", 1, "bad:1: "),
    ("evaluate --qrels QRELS --run bad", 1, "bad:2: "),
    ("sweep --store STORE --topics bad.tsv --qrels QRELS --output o", 1, "bad.tsv:2: "),
    (
        "segment --input in.jsonl --output new",
        1,
        "found none among the keys docno, text",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners bte --gold x",
        2,
        "expected a text of the store",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners words>=3 "
        "--runs words-003=RUN",
        2,
        "words-003 is the name of words>=3 already",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners bte "
        "--runs a/b=RUN",
        2,
        "expected NAME=RUN with a name of letters",
    ),
    ("export --store STORE --keep cetr --output o", 2, "--extractors cetr"),
    ("explain --page html/a.html --cleaners learnd", 2, "(did you mean learned?)"),
    ("evaluate --qrels TOPICS --run RUN", 1, "looks like topics, expected qrels"),
    (
        "evaluate --qrels QRELS --run STORE",
        1,
        "cannot read the run STORE: expected a regular file, got a folder",
    ),
    ("evaluate --qrels QRELS RUN", 2, "RUN (a file: did you mean --run RUN?)"),
    ("evaluate P10 --qrels QRELS --run RUN", 2, "got P10 (did you mean P@10"),
    ("evaluate --qrels irds:nope --run RUN", 2, "ir_datasets has no dataset 'nope'"),
    (
        "sweep --store STORE --topics QRELS --qrels TOPICS --output o",
        1,
        "looks like qrels, expect",
    ),
    (
        "sweep --store STORE --topics TOPICS --qrels other --output o",
        1,
        "with ids written alike",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o",
        2,
        "expected a cleaner or",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners nope",
        2,
        "has no text of nope, and no cleaner or extractor has that name",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners bte --runs d=x",
        1,
        "cannot read the run x: No such file",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners bte "
        "--runs d=STORE",
        1,
        "STORE is not a regular file, and studies read runs several times",
    ),
    (
        "explain --store STORE --topics TOPICS --qrels QRELS --topic 999 --cleaners bte,mss",
        2,
        "no topic '999' in TOPICS; it has 1, 2, 3, 4, 5",
    ),
    ("report STORE", 1, "belongs to another output, not to an experiment"),
    (
        "report nowhere",
        1,
        "nowhere is missing or not finished: it has no manifest.json",
    ),
    (
        "check nowhere",
        1,
        "does not exist or holds no block store, index, export, sweep or study",
    ),
    (
        "check a.pdf",
        1,
        "does not exist or holds no block store, index, export, sweep or study",
    ),
    ("merge nowhere", 1, "nowhere"),
    ("clean nowhere.html", 1, "expected a file of HTML, or - for standard input"),
    ("clean a.pdf", 1, "neither HTML nor text: it looks like a PDF document"),
    ("clean random", 1, "neither HTML nor text: it looks like binary data"),
    ("clean html", 2, "several pages need a folder for their texts: give --output DIR"),
    ("clean html --keep word>5", 2, "(did you mean words?)"),
    (
        "clean html/a.html --keep nosuch",
        2,
        "no cleaner is named 'nosuch'; `boilersweep cleaners`",
    ),
    (
        "clean html/a.html --format md",
        2,
        "expected one of text, json, markdown, got 'md'",
    ),
    (
        "export --store STORE --keep bte --output o --format csv",
        2,
        "one of jsonl, parquet, bulk",
    ),
    (
        "export --store STORE --output o",
        2,
        "the following arguments are required: --keep",
    ),
    (
        "judge --dataset wcxb --input html --output o",
        1,
        "with the folders html and ground-truth",
    ),
    (
        "judge --dataset folder --input html --output o",
        1,
        "gold texts (.txt) of the same names",
    ),
    ("train --dataset folder --input PAGES --output m.npz", 1, "no page was found"),
    (
        "features --store STORE --output f.xlsx",
        2,
        "expected a file named *.parquet or *.csv",
    ),
    (
        "search --index INDEX --topics TOPICS --output QRELS",
        1,
        "QRELS exists and is not a run",
    ),
    ("explain --page html/a.html --output TOPICS", 1, "TOPICS exists and is not JSON"),
    (
        "train --dataset folder=gold --output QRELS",
        1,
        "QRELS exists and is not a model",
    ),
    (
        "clean html/a.html --output html/a.html",
        2,
        "expected another file than the page",
    ),
    (
        "clean html/a.html --keep 'link_density<=33'",
        2,
        "a number from 0 to 1, as it is a share",
    ),
    (
        "compare --store STORE --output o --cleaners bte --queries QRELS",
        1,
        "looks like qrels",
    ),
    (
        "compare --store STORE --output o --cleaners bte --queries trec",
        1,
        "give it as --topics",
    ),
    ("evaluate P@10,AP --qrels QRELS --run RUN", 2, "separate measures by spaces"),
    ("evaluate P@0 --qrels QRELS --run RUN", 2, "a cutoff is at least 1"),
    ("help", 2, "command: expected one of demo, sweep, compare"),
    (
        "search --index INDEX --topics TOPICS --output run --hits 0",
        2,
        "at least 1, got '0'",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --k1 -1",
        2,
        "expected a finite number of at least 0",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --bm25 --qld",
        2,
        "not allowed with",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --fields body",
        2,
        "or a field of the index with a boost above 0, such as",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --fields title=0",
        2,
        "a boost above 0, such as title=0.5, got 'title=0'",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --fields title=0.5",
        2,
        "field 'title' is not searched in ",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --fields contents=1 --formula classic",
        2,
        "got classic",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rm3",
        2,
        "build it again with `boilersweep index --storeDocvectors`",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rocchio",
        2,
        "--storeDocvectors",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rm3 --rocchio",
        2,
        "not allowed with",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rm3 --formula classic",
        2,
        "--rm3: expected BM25 or query likelihood",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rm3 --rm3.fbDocs 0",
        2,
        "at least 1, got '0'",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --rm3 --rm3.originalQueryWeight 2",
        2,
        "from 0 to 1, got 2",
    ),
    (
        "search --index INDEX --topics TOPICS --output run --formula lucene-2.9",
        2,
        "--engine exact",
    ),
    (
        "judge --dataset folder --input gold --output o --cleaners words>=1,words>=1",
        2,
        "words>=1 more often",
    ),
    ("judge --dataset folder=html --input html --output o", 2, "got both"),
    (
        "explain --store STORE --topics TOPICS --topic 1 --qrels QRELS --cleaners bte,gold",
        2,
        "has no text of gold",
    ),
    (
        "explain --store STORE --topics TOPICS --topic 1 --qrels QRELS --cleaners bte,mss "
        "--language ja",
        2,
        "--language ja",
    ),
    (
        "explain --store STORE --topics TOPICS --topic 1 --qrels other2 --cleaners words>=1,bte",
        2,
        "judges no document of topic 1; of the topics it judges 2",
    ),
    ("explain --page empty.html", 1, "expected a page with text, got 0 bytes"),
    ("explain --page blank.html", 1, "expected a page with text, got"),
    ("explain --page a.pdf", 1, "neither HTML nor text: it looks like a PDF document"),
    ("explain --page nowhere.html", 1, "cannot read the page"),
    (
        "sweep --store STORE --topics TOPICS --qrels QRELS --output o --sweep words=1 "
        "--engine exact --language ja",
        2,
        "--engine indexes",
    ),
    (
        "train --dataset folder=gold --weights news=2 --output m.npz",
        2,
        "expected the weight of folder, got that of 'news'",
    ),
    (
        "compare --store STORE --topics TOPICS --qrels QRELS --output o --cleaners bte "
        "--languages pl",
        2,
        "no document in pl; its languages are",
    ),
    (
        "clean html/a.html --keep 'site(words>=2, 5)'",
        2,
        "expected a cleaner of a page alone, got site(words>=2, 5), which counts",
    ),
    (
        "explain --page html/a.html --cleaners 'site(words>=2, 5)'",
        2,
        "expected a cleaner of a page alone, got site(words>=2, 5), which counts",
    ),
    (
        "judge --dataset folder --input gold --output o --cleaners 'site(words>=2, 5)'",
        2,
        "expected a cleaner of a page alone, got site(words>=2, 5), which counts",
    ),
    ("clean html/a.html html/a.html", 2, "several pages need a folder for their texts"),
    ("clean html/a.html - --output o", 2, "got standard input among them"),
    ("clean html/a.html none.html --output o", 2, "none.html does not exist"),
    ("clean empty --output o", 2, "expected *.html, *.htm or *.xhtml in the folder"),
    ("clean html/a.html . --output RUN", 2, "expected a folder, got a file"),
    (
        "clean html/a.html --output /dev/zero",
        1,
        "cannot write /dev/zero: expected a regular file, got a device",
    ),
]


@pytest.fixture(scope="module")
def files(
    inputs: Inputs, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    for name, path in (
        ("PAGES", inputs.pages),
        ("TOPICS", inputs.topics),
        ("QRELS", inputs.qrels),
    ):
        (folder / name).symlink_to(path)
    shutil.copytree(store, folder / "STORE")
    (folder / "RUN").write_text("1 Q0 GX000-01 1 2.5 mine\n")
    (folder / "other").write_text("999 0 GX000-01 1\n")
    (folder / "other2").write_text("2 0 GX000-01 1\n")
    (folder / "trec").write_text("<top>\n<num> Number: 1\n<title> pony\n</top>\n")
    (folder / "empty.html").touch()
    (folder / "blank.html").write_text(" ")
    (folder / "bad").write_text("1 Q0 a 1 2.0 t\n1 a 2.0\n")
    (folder / "bad.tsv").write_text("1\tpony\n1\tzebra\n")
    (folder / "in.jsonl").write_text('{"docno": "a", "text": "one"}\n')
    for name in ("empty", "pdfs", "html", "gold"):
        (folder / name).mkdir()
    (folder / "gold" / "a.html").write_text("<p>menu<p>one two three four <a>five</a>")
    (folder / "gold" / "a.txt").write_text("one two three four five")
    index = ["index", "--store", str(store), "--keep", "words>=3", "--output"]
    assert main([*index, str(folder / "INDEX")]) == 0
    (folder / "html" / "a.html").write_text("<p>a page of seven or eight words")
    for name in ("a.pdf", "pdfs/a.html"):
        (folder / name).write_bytes(
            b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256))
        )
    (folder / "random").write_bytes(bytes(range(256)) * 8)
    return folder


@pytest.mark.java
@pytest.mark.parametrize(
    ("line", "status", "message"), READ, ids=[line for line, *_ in READ]
)
def test_a_mistake_with_files(
    call: Call,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(files)
    outcome = call(*shlex.split(line))
    assert outcome.status == status, outcome
    assert message in outcome.err


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (
            "851 0 other 1\n852 0 other 0\n",
            "no topic of RUN is in QRELS: the run has 1, the qrels",
        ),
        (
            "1 0 other 1\n852 0 other 0\n",
            "no document of RUN is in QRELS: the run has docids such",
        ),
    ],
)
def test_qrels_of_another_collection_are_no_zero(
    call: Call, tmp_path: Path, qrels: str, message: str
) -> None:
    run, file = tmp_path / "run.trec", tmp_path / "qrels"
    run.write_text("1 Q0 GX000-01 1 2.5 mine\n")
    file.write_text(qrels)
    call("evaluate", "--qrels", file, "--run", run).refused(
        1, message.replace("RUN", str(run)).replace("QRELS", str(file))
    )
