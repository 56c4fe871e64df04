"""Where the words of a gold text stand: in blocks, and in what beside them."""

import json
from collections import Counter
from pathlib import Path

import text_outside_blocks as outside

PAGE = b"""<html><head><meta property="og:description" content="only in the meta element">
<script type="application/ld+json">{"@graph": [{"articleBody": "&lt;p&gt;told in linked data"}]}
</script><script>window.state = {"text": "kept by a script \\u0026 drawn later", "short": "no"}
</script></head><body><p>stands in a block</p><div style="display: none"><p>in a block not
seen</div><template>waits in a template</template></body></html>"""


def test_what_stands_where() -> None:
    texts = outside.texts_of(PAGE)
    assert texts == {
        outside.BLOCKS: ["stands in a block"],
        outside.HIDDEN: ["stands in a block", "in a block not seen"],
        outside.SKIPPED: ["waits in a template"],
        outside.JSON_LD: [" told in linked data"],
        outside.META: ["only in the meta element"],
        outside.SCRIPTS: ["kept by a script & drawn later"],
    }


def test_every_word_counts_in_the_first_place_that_has_it_within_three() -> None:
    texts = outside.texts_of(PAGE)
    gold = "stands in a block not seen told in linked data only in the news".split()
    assert outside.shares(texts, gold) == {
        outside.BLOCKS: 4,
        outside.HIDDEN: 2,
        outside.JSON_LD: 4,
        outside.META: 3,
        outside.NOWHERE: 1,
    }
    assert outside.shares(texts, ["stands", "in"]) == {outside.NOWHERE: 2}
    assert outside.shares(texts, []) == {}


def test_only_a_text_that_makes_it_better_is_added() -> None:
    gold, kept = Counter("one two three four five".split()), Counter(["one", "two"])
    texts = ["three four five", "no word of these at all", "three four five"]
    assert outside.bettered(kept, [], gold) == 4 / 7
    assert outside.bettered(kept, texts, gold) == 1
    assert outside.bettered(kept, ["four five"], gold) == 4 / 7  # too short
    assert kept.total() == 2
    assert outside.bettered(Counter(), [], Counter()) == 1


def test_the_tables_of_a_dataset(tmp_path: Path) -> None:
    for folder in ("html", "ground-truth"):
        (tmp_path / folder).mkdir()
    (tmp_path / "html" / "1.html").write_bytes(PAGE)
    truth = {
        "ground_truth": {"main_content": "stands in a block told in linked data"},
        "_internal": {"page_type": {"primary": "product"}},
    }
    (tmp_path / "ground-truth" / "1.json").write_text(json.dumps(truth))
    where, bounds = outside.measure("wcxb", tmp_path, "words>=1")
    assert "product" in where
    assert [line.split()[1:4] for line in where.splitlines()[2:]] == [["1", "0.500", "0.000"]] * 2
    told = [float(one) for one in bounds.splitlines()[-1].split()[2:]]
    assert told == [0.5882, 0.5882, 0.7619, 0.5882, 0.5882, 0.7619]
