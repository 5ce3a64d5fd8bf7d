"""report.html in headless Chromium, from disk: sorting, filters, paging, colours, and hostile texts."""

from __future__ import annotations

import json
import shutil

import pytest

from hardtext import scoring
from hardtext.reporting.report import measuring, page, reading, scenario

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (requirements-dev.txt)")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on this machine")

HOSTILE = "Lima \u200bis \u202eа</script><script>window.pwned=1</script>\"'</style>\u2028 <img src=x onerror=window.pwned=2>"
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900")


def row(id, original, adversarial=None, status=None, **changes) -> dict:
    return {"id": id, "domain": "pr", "victim": "bilstm", "attack": "bert_attack", "label": 1, "original": original,
            "adversarial": adversarial, "status": status or ("success" if adversarial else "failed"),
            "original_probs": [0.25, 0.75], "adversarial_probs": [0.9, 0.1] if adversarial else None, "queries": 7,
            "forwards": 7, "seconds": 0.1, "seed": 0, "error": None} | changes


BROKEN = "[[0,0,2,-1.0],[0,3,8,0.5]]"
"""Saliency that the fixture damages: a page whose data nobody foresaw."""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    many = [row(f"m{i}", [f"Text {i} paid 20 dollars."], [f"Text {i} paid 30 dollars."] if i % 2 else None, queries=i + 1)
            for i in range(23)]
    hostile = [row("h1", [HOSTILE], [HOSTILE + " nоt"]), row("h2", ["A bad man."], ["A bаd man."], queries=90),
               row("h3", ["x"], status="error", error=HOSTILE)]
    # three pieces a word, together more than a call takes arguments
    long = [row("l1", [" ".join(["a"] * 45_000 + ["end"])], [" ".join(["а"] * 45_000 + ["end"])]),
            row("l2", ["Short."], ["Shоrt."]), row("l3", ["It broke."], ["It brоke."])]
    for name, rows in {"bert_attack": many, "deepwordbug": hostile, "pwws": long}.items():
        folder = root / name
        folder.mkdir()
        (folder / "attempts.jsonl").write_text("".join(json.dumps(r | {"attack": name}) + "\n" for r in rows))
        (folder / "summary.json").write_text(json.dumps({"stand_ins": [HOSTILE]}))
        (folder / "config.yaml").write_text(f"note: {json.dumps(HOSTILE)}\n")
    (root / "bert_attack" / "saliency.jsonl").write_text(json.dumps({"id": "m1", "pieces": [[0, 7, 11, 2.0]]}) + "\n")
    (root / "pwws" / "saliency.jsonl").write_text(json.dumps({"id": "l3", "pieces": [[0, 3, 8, 0.5], [0, 0, 2, -1]]}) + "\n")
    attacks, _ = reading.read_attacks(root)
    found = scenario.scenarios(attacks, measuring.measure(attacks, scoring.semantic_from_name("none"), 0), root)
    path = root / "report.html"
    html = page.render(found, [], "none", "today")
    assert html.count(BROKEN) == 1
    path.write_text(html.replace(BROKEN, "[[0,0,1,null]]"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    browser.set_page_load_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def browser(chromium, report):
    """The page, just opened. Whatever a test does there, it must leave no error and have asked the network for nothing."""
    chromium.get("about:blank")
    chromium.get_log("performance")
    chromium.get_log("browser")
    chromium.get(report.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    asked = {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}
    own = ("chrome://", "about:", "devtools://")  # the browser's first empty tab
    assert {url.partition("#")[0] for url in asked if not url.startswith(own)} == {report.as_uri()}
    assert chromium.execute_script("return window.pwned") is None


def column(browser, number: int) -> list[str]:
    return browser.execute_script("return [...document.querySelector('table').tBodies[0].rows]"
                                  ".map((r) => r.cells[arguments[0]].dataset.value)", number)


def opened(browser, attack: str) -> str:
    """Open a run and wait for its attempts; its selector."""
    name = browser.execute_script("const run = [...document.querySelectorAll('details.run')]"
                                  ".find((r) => r.querySelector('h3').textContent.includes(arguments[0]));"
                                  "run.querySelector(':scope > summary').click(); return run.id", attack)
    for _ in range(100):
        if browser.execute_script("return document.querySelector(arguments[0])", f"#{name} .attempt"):
            return f"#{name}"
    raise AssertionError(f"{attack}: no attempt appeared")


def choose(browser, run: str, control: str, value: str) -> None:
    browser.execute_script("const c = document.querySelector(arguments[0]); c.value = arguments[1];"
                           "c.dispatchEvent(new Event('input'))", f"{run} [data-filter={control}]", value)


def text(browser, selector: str) -> str:
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def where(browser, run: str) -> str:
    return text(browser, f"{run} .where")


def test_a_column_sorts_both_ways_and_says_so(browser):
    from selenium.webdriver.common.keys import Keys

    header = browser.find_elements("css selector", "table thead th")[8]
    button = header.find_element("css selector", "button")
    assert button.text.startswith("queries") and header.get_attribute("aria-sort") is None
    button.send_keys(Keys.ENTER)  # by keyboard
    assert header.get_attribute("aria-sort") == "descending"
    first = [float(value) for value in column(browser, 8)]
    button.click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert [float(value) for value in column(browser, 8)] == first[::-1] == sorted(first)
    assert len(browser.find_elements("css selector", "table:first-of-type th[aria-sort]")) == 1


def test_attempts_are_filtered_by_status_flag_and_words_and_paged(browser):
    run = opened(browser, "bert_attack")
    assert where(browser, run) == "1–10 of 23"
    for expected in ("11–20 of 23", "21–23 of 23"):
        browser.find_elements("css selector", f"{run} [data-step]")[1].click()
        assert where(browser, run) == expected
    assert not browser.find_elements("css selector", f"{run} [data-step]")[1].is_enabled()
    choose(browser, run, "status", "success")
    assert where(browser, run) == "1–10 of 11"
    choose(browser, run, "flag", "changed")
    assert where(browser, run) == "1–10 of 11" and "changed number: 20" in text(browser, f"{run} .notes")
    choose(browser, run, "flag", "none")
    assert where(browser, run) == "no attempt fits"
    choose(browser, run, "flag", "")
    choose(browser, run, "words", "TEXT 13 ")
    assert where(browser, run) == "1–1 of 1" and text(browser, f"{run} .attempt strong") == "Text m13"
    choose(browser, run, "words", "")
    choose(browser, run, "order", "queries")
    assert text(browser, f"{run} .attempt strong") == "Text m21"


def test_changes_are_shown_as_words_characters_and_both_texts(browser):
    run = opened(browser, "deepwordbug")
    choose(browser, run, "words", "A bad man")
    html = "return document.querySelector(arguments[0]).innerHTML"
    words = browser.execute_script(html, f"{run} .text")
    assert words.startswith("A <del>bad</del><ins>b<span") and "U+0430" in words
    assert "CYRILLIC SMALL LETTER A, looks like a" in text(browser, f"{run} .notes")
    choose(browser, run, "view", "characters")
    assert ">b<del>a</del><ins><span" in browser.execute_script(html, f"{run} .text")
    choose(browser, run, "view", "apart")
    assert [e.text for e in browser.find_elements("css selector", f"{run} .text")] == ["A bad man.", "A bаU+0430d man."]


def test_hostile_texts_are_shown_and_not_run(browser):
    run = opened(browser, "deepwordbug")
    shown = text(browser, f"{run} .text")
    assert "</script><script>window.pwned=1</script>\"'</style>" in shown
    assert "\u200b" not in shown and "U+200B" in shown and "\u202e" not in shown and "U+202E" in shown
    assert not browser.find_elements("css selector", "img, script[src], link")
    assert "</script>" in text(browser, f"{run} pre") and "</script>" in text(browser, ".note li")


def test_saliency_is_drawn(browser):
    run = opened(browser, "bert_attack")
    assert text(browser, f"{run} .heat mark") == "paid"


def test_a_long_text_is_clipped_and_said_so_and_shown_whole_on_request(browser):
    run = opened(browser, "pwws")
    assert where(browser, run) == "1–3 of 3"
    assert "its first 20,000 of " in text(browser, f"{run} .cut")
    assert "U+0430 CYRILLIC SMALL LETTER A, looks like a, 45000 times" in text(browser, f"{run} .more"), "counted over all"
    length = "return document.querySelector(arguments[0]).textContent.length"
    assert browser.execute_script(length, f"{run} .text") < 20_100
    browser.find_element("css selector", f"{run} .cut button").click()
    assert browser.execute_script(length, f"{run} .text") > 400_000
    assert text(browser, f"{run} .text").endswith("U+0430 end") and not browser.find_elements("css selector", f"{run} .cut")
    for view in ("characters", "apart"):
        choose(browser, run, "view", view)
        assert "its first 20,000 of " in text(browser, f"{run} .cut")


def test_an_attempt_that_cannot_be_drawn_takes_no_other_along(browser):
    run = opened(browser, "pwws")
    cards = browser.execute_script("return [...document.querySelectorAll(arguments[0])].map((c) => c.textContent)",
                                   f"{run} .attempt")
    assert cards[1].startswith("Text l2") and "Sh" in cards[1] and "cannot be shown" not in cards[1]
    assert cards[2].startswith("Text l3") and "This attempt cannot be shown here (TypeError" in cards[2]


def test_light_and_dark(browser):
    background = "return getComputedStyle(document.body).backgroundColor"
    toggle = browser.find_element("id", "theme")
    before, state = browser.execute_script(background), toggle.get_attribute("aria-pressed")
    toggle.click()
    assert browser.execute_script(background) != before and toggle.get_attribute("aria-pressed") != state
    toggle.click()
    assert browser.execute_script(background) == before


def test_a_link_of_the_leaderboard_opens_its_run(browser):
    browser.find_element("css selector", "tbody th a").click()
    for _ in range(100):
        if browser.execute_script("return document.querySelectorAll('details.run[open]').length") == 1:
            break
    assert browser.execute_script("return document.activeElement.closest('details').open")


@pytest.mark.parametrize("width", [380, 1280])
def test_nothing_is_wider_than_the_window(browser, width):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
    try:
        opened(browser, "deepwordbug")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
