"""Check an installed boilersweep without Java: the README's Python, and a store with its exports.

    python scripts/check_install.py [--compiled]

--compiled fails if the pure Python segmenter cuts the pages, or the Java classes are missing.
Without compiled modules, what needs the cleaner `learned` is left out. The wheels' workflow runs it
on every system, in an environment without anything else.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
PAGE = (
    "<title>Trains</title><nav>Home | News</nav>"
    + "<p>The night train leaves at ten, and it has beds, a bar and two kinds of soup.</p>"
    * 5
)
COMMANDS = """
--version
clean pages/a.html --keep words>=11
segment --input pages --output store --threads 2
segment --input pages --output store --extractors ccb
export --store store --keep learned --output texts
export --store store --keep words>=11 --output passages --passages 50 --overlap 10
export --features kohlschuetter --store store --output features.parquet
check store
--list cleaners
doctor
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiled", action="store_true")
    wanted = parser.parse_args()
    from boilersweep.indexer.compiled import SEGMENTS
    from boilersweep.pages.compiled import why_missing

    why = why_missing()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        Path("pages").mkdir()
        for path in ("page.html", "pages/a.html", "pages/b.html"):
            Path(path).write_text(PAGE, "utf-8")
        for code in re.findall(
            r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.M | re.S
        ):
            if "boilersweep.eval" not in code and not why:  # needs Java, topics, qrels
                run("-c", code)
        for line in COMMANDS.strip().splitlines():
            if not (why and "learned" in line):
                run("-m", "boilersweep", *line.split())
        os.chdir(README.parent.parent)
    java = SEGMENTS.exists()
    print(
        f"the segmenter: {why or 'compiled'}; Java classes: {'there' if java else 'missing'}"
    )
    return int(wanted.compiled and (bool(why) or not java))


def run(*arguments: str) -> None:
    print("python", *arguments[:6], flush=True)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
