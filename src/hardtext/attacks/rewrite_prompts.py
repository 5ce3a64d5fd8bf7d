"""What a language model is told, and what is taken of its answer. Pure functions.

The names after TREPAT (Przybyła et al., arXiv 2410.20940), whose prompts follow tasks that keep the meaning
(paraphrase, simplification, style transfer); the wording is this project's own.
"""

from __future__ import annotations

import re

from hardtext.text import readable

PLACE = "{text}"
"""Where a user's own instruction wants the text."""

PROMPTS = {
    "paraphrase": "Paraphrase the text below: say the same thing in other words.",
    "word_choice": "Replace some words of the text below by synonyms that fit their place, "
                   "and leave everything else exactly as it is.",
    "rephrase": "Express the text below with another sentence structure, without changing what it means.",
    "simplify": "Make the text below easier to read, with short sentences and everyday words, and leave nothing out.",
    "formal": "Write the text below in a formal style, as an official report would put it.",
    "informal": "Write the text below in an informal style, as one would tell it to a friend.",
    "change": "Make a few small changes to the wording of the text below; its meaning has to stay the same.",
}
RULES = ("Keep its language, names, numbers and about its length. Answer with the rewritten text alone: "
         "no introduction, no quotation marks around it, no remarks.")

_MARKS = {"```": "```", "**": "**", '"': '"', "“": "”", "„": "“", "«": "»", "'": "'", "‘": "’"}
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n```|\Z)", re.S)
_ITEM = re.compile(r"(?:\A|\n)[ \t]*(?:\d{1,2}[.)]|[-*•])\s+")
_YES = r"(?:sure|certainly|of course|okay|ok|absolutely)\b"
_DONE = r"(?:re(?:written|phrased|worded|vised)|paraphrased|simplified|changed|formal|informal)"
_WORK = r"(?:text|version|sentence|statement|claim|re(?:writing|phrasing|wording|write|phrase)|paraphrase)"
_INTRODUCTION = re.compile(
    rf"\A[*#_\s]*(?:{_YES}[^\n:.!]{{0,60}}[.!,:]\s*)?"
    rf"(?:here(?:['’]s| is| are)\b[^\n:]{{0,60}}?\b(?:{_DONE}|{_WORK})\w*\b[^\n:]{{0,60}}:"  # Here is a paraphrase of it:
    rf"|(?:the |a |my )?(?:{_DONE}(?: {_WORK})?|paraphrase|rewriting|answer|output):"  # Rewritten text:
    rf"|(?<=[.!:\n])\n)[*_]*\s*"  # a line that only says yes
    , re.I)
_CLOSING = re.compile(r"(?<!\n)\n\s*\n[*_(\[]*(?:note\b.{0,3}:|let me know\b|i hope this|explanation:|changes made"
                      r"|feel free to).*", re.I | re.S)
_REFUSAL = re.compile(
    r"\W*(?:i['’]m sorry|i am sorry|sorry|i can(?:['’]?t|not)|i['’]m (?:unable|not able)|i won['’]t|as an ai)\b.{0,120}"
    r"\b(?:help|assist|rewrit\w*|rephras\w*|paraphras\w*|comply|fulfil\w*|requests?|generate|language model)\b", re.I | re.S)


def message(prompt: str, text: str) -> str:
    """What the model is sent for ``text``: ``prompt`` is a name of ``PROMPTS``, or an instruction that holds {text}."""
    text = readable(text)
    if prompt in PROMPTS:
        return f"{PROMPTS[prompt]} {RULES}\n\n{text}"
    return prompt.replace(PLACE, text)


def rewritten(answer: str, original: str) -> str:
    """The rewriting inside a model's answer, between the blanks that surround ``original``; "" for none (a refusal).

    Reasoning, fences, introductions, quotation marks, list marks (of several suggestions the first is taken) and
    remarks at the end go, unless the original itself looks like that. A text of one line stays on one line.

    >>> rewritten('Sure! Here is a paraphrase:\\n\\n"The mayor told a lie."', " The mayor lied.")
    ' The mayor told a lie.'
    """
    plain = original.strip()
    result = _THOUGHT.sub("", readable(answer)).strip()
    if "```" not in plain and (fenced := _FENCE.search(result)):
        result = fenced.group(1).strip()
    for remark in (_INTRODUCTION, _CLOSING):
        if not remark.search(plain):
            result = remark.sub("", result, count=1).strip()
    if _ITEM.match(result) and not _ITEM.match(plain):
        result = _ITEM.split(result)[1].strip()
    for mark, end in _MARKS.items():
        inner = result[len(mark):-len(end)]
        around = len(result) > len(mark + end) and result.startswith(mark) and result.endswith(end)
        if around and mark not in inner and end not in inner and not plain.startswith(mark):
            result = inner.strip()
    if not result or (_REFUSAL.match(result) and not _REFUSAL.match(plain)):
        return ""
    if "\n" not in plain:
        result = " ".join(line.strip() for line in result.split("\n") if line.strip())
    start = len(original) - len(original.lstrip())
    return original[:start] + result + original[start + len(plain):]
