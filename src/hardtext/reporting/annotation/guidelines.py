"""What annotators are told, in our words: the same for every tool."""

from __future__ import annotations

from html import escape

from hardtext.scoring.agreement import LABELS

QUESTION = "What did the change do to the meaning?"
CONFIDENCE = "How sure are you? (1: not sure, 5: very sure)"
EXPLAINED = (
    "A reader would take both texts to say the same. Spelling, look and style may differ.",
    "The changed text can be understood, but it says something else: another fact, name, number or date, another "
    "stance, a negation more or less, something left out that matters or something new.",
    "The changed text cannot be understood, or what it says is absurd, although the original was clear.",
)

_EXAMPLES = (
    ("The mayor opened the new bridge on Friday.", "The mayor оpened the new brigde on Friday.", 0,
     "A look-alike letter and a typing error: the reader is told the same."),
    ("The mayor opened the new bridge on Friday.", "The mayor closed the new bridge on Friday.", 1,
     "A clear sentence about another event."),
    ("The mayor opened the new bridge on Friday.", "The mayor opened the unopened cheese on Friday.", 2,
     "Nobody could say what happened."),
)

_RULES = (
    "Judge the meaning only. How much was changed, how it looks and why it was changed do not matter.",
    "Read the whole of both texts before the marks; the marks show where they differ, not whether it matters.",
    "Do not judge whether a text is true.",
    "A text that is hard to read but that you would understand correctly preserves the meaning.",
    "Where the original makes no sense either, ask whether the changed text is understood in the same way.",
    "Text in two parts around a ' ~ ' is a source and a claim about it. A change in either part counts.",
    "A small box such as [U+200B] stands for a character that cannot be seen; to a reader it is not there.",
    "Work alone, and do not talk about single pairs until everybody is done.",
    "Some texts are false, partisan or unpleasant on purpose. You may stop at any time.",
)


def markdown() -> str:
    lines = ["# Does the changed text still mean the same?", "",
             "You see an original text and a copy that a computer program changed. What was changed is marked in both. "
             "Say what the change did to the meaning, and how sure you are.", "",
             "## What to choose", ""]
    lines += [f"{number}. **{label}.** {words}" for number, (label, words) in enumerate(zip(LABELS, EXPLAINED), 1)]
    lines += ["", "## How sure are you?", "",
              "From 1 (a guess) to 5 (no doubt). Where annotators disagree, the surer one may decide: answer honestly.",
              "", "## Rules", ""]
    lines += [f"- {rule}" for rule in _RULES]
    lines += ["", "## Examples", "", "| original | changed | answer | why |", "|---|---|---|---|"]
    lines += [f"| {old} | {new} | {LABELS[label]} | {why} |" for old, new, label, why in _EXAMPLES]
    return "\n".join(lines) + "\n"


def html() -> str:
    """The guidelines as a piece of HTML, without a frame around it."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown())


def page() -> str:
    """The guidelines as a page of its own."""
    title = escape("Does the changed text still mean the same?")
    style = ("body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}"
             "table{border-collapse:collapse}td,th{border:1px solid #888;padding:.3rem .5rem;text-align:left}"
             ":root{color-scheme:light dark}")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>\n'
            f"<body>\n{html()}</body></html>\n")
