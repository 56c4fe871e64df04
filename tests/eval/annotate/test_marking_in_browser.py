"""A person marks ten pages in a real browser: by mouse, keys and touch."""

from pathlib import Path
from typing import Any

from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval.annotate.proposal import proposal
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.judge import judge
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import TrainingRequest, finish, prepare
from tests.conftest import size
from tests.eval.annotate.conftest import WANTED, WANTED_HOSTILE
from tests.eval.people.serving import Served, begin, needs_serve

__all__ = ["needs_serve"]  # a fixture

IS_READY = "document.getElementById('mark')?.dataset.ready === ''"
ROOT = "document.getElementById('copy').shadowRoot"


def wait(browser: Any, script: str) -> Any:
    """Return what a script finds as soon as that is true."""
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    waiting = WebDriverWait(browser, 120, 0.02, ignored_exceptions=[WebDriverException])
    return waiting.until(lambda b: b.execute_script(f"return {script}"))


def wait_for_classes(browser: Any, wanted: list[int]) -> None:
    """Wait until the blocks have some classes on the screen and in the log."""
    spans = f"[...{ROOT}.querySelectorAll('[data-first]')]"
    shown = f"{spans}.map((one) => one.dataset.class).join('')"
    wait(browser, f"{shown} === '{''.join(map(str, wanted))}'")
    browser.execute_async_script("sent.then(arguments[0])")


def block(browser: Any, number: int) -> Any:
    """Return the first span of a block."""
    return browser.execute_script(
        f"return {ROOT}.querySelector('[data-block=\"{number}\"]')"
    )


def button(browser: Any, key: str) -> Any:
    """Return the button of a key."""
    return browser.find_element("css selector", f"[data-key='{key}']")


def actions(browser: Any) -> Any:
    """Return actions that move at once."""
    from selenium.webdriver.common.action_chains import ActionChains

    return ActionChains(browser, duration=0)


def by_keys(browser: Any) -> None:
    """Mark a page with keys: two blocks at once; one as the block before, which is undone."""
    actions(browser).send_keys("jj1J2sukj5").perform()


def by_touch(browser: Any) -> None:
    """Mark a page with a finger."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.actions.pointer_input import PointerInput

    finger: Any = PointerInput
    one, two, extend, five = (button(browser, key) for key in "12e5")
    blocks = [block(browser, number) for number in range(6)]
    for place in (blocks[2], one, blocks[3], extend, blocks[4], two, blocks[5], five):
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
        touch = ActionBuilder(browser, mouse=finger("touch", "finger"), duration=0)
        pointer: Any = touch.pointer_action
        pointer.move_to(place).pointer_down().pointer_up()
        touch.perform()


def by_mouse(browser: Any) -> None:
    """Mark a page with the mouse: a click, a drag, and a click with the shift key."""
    from selenium.webdriver.common.keys import Keys

    one, two, five, undo = (button(browser, key) for key in "125u")
    blocks = [block(browser, number) for number in range(6)]
    mouse = actions(browser).click(blocks[2]).click(one)
    mouse.click_and_hold(blocks[3]).move_to_element(blocks[4]).release().click(two)
    mouse.click(blocks[4]).key_down(Keys.SHIFT).click(blocks[5]).key_up(Keys.SHIFT)
    mouse.click(five).click(undo).click(blocks[5]).click(five).perform()


def done(browser: Any) -> None:
    """Finish the page, and wait for the next one."""
    from selenium.webdriver.common.keys import Keys

    browser.execute_script("document.body.isOld = true")
    actions(browser).send_keys(Keys.ENTER).perform()
    is_end = f"({IS_READY} || !document.getElementById('mark'))"
    wait(browser, f"!document.body.isOld && {is_end}")


def test_ten_pages_are_marked_judged_and_trained_with(
    browser: Any, marking: Served, folder: Path
) -> None:
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    size(browser, 1280)
    begin(browser, marking.address, "anna")
    ways = (by_keys, by_mouse, by_touch)
    for number in range(10):
        wait(browser, IS_READY)
        docid = wait(browser, "document.getElementById('mark').dataset.docid")
        size(browser, 390 if number % 2 else 1280)
        (by_mouse if docid == "p3" else ways[number % 3])(browser)
        wait_for_classes(browser, WANTED_HOSTILE if docid == "p3" else WANTED)
        assert browser.title == "Mark"
        wide = "document.documentElement.scrollWidth > innerWidth"
        assert not browser.execute_script(f"return {wide}")
        if number == 0:
            actions(browser).send_keys("p").perform()
            wait(browser, "isShown")
            proposed = proposal(marking.page.pages.read(docid))
            assert browser.execute_script("return proposal") == proposed
        done(browser)
    assert "All pages are marked" in browser.find_element("tag name", "h1").text
    assert browser.get_log("browser") == []
    assert "attacker" not in str(browser.get_log("performance"))
    lines = marking.page.records["people"]["anna"]
    assert sum(line.action == "done" for line in lines) == 10
    assert len({line.docid for line in lines if line.proposed}) == 1
    assert 0 < lines[-1].seconds < 600

    dataset = read_dataset("marked", folder)
    assert len(dataset.pages) == 10
    assert dataset.skipped == []
    assert "Home" not in dataset.pages[0].gold
    rules = [parse_rule("words>=1"), parse_rule("words>=99")]
    [whole, none] = judge(dataset, rules).judgements
    assert whole.blocks
    assert whole.blocks.content_recall == 1
    assert 0.8 < whole.blocks.content_precision < 1
    assert none.empty == 10
    request = TrainingRequest((Source(dataset),), "tree", "kohlschuetter", 1)
    assert finish(prepare(request)).provenance.pages == 10
