"""Negation: the claim is denied, or its denial is taken back. A classifier that reads it gives the other label.

After Flores and Hao, "An Adversarial Benchmark for Fake News Detection Models". Two sets of rules:

``published``
    what the benchmark's notebooks do (negation_published.py), for the published numbers.
``sound`` (default)
    one clause in each sentence that can be negated (negation_sound.py): a text of several sentences is denied only when
    its claims are, and which of them decides its label nobody knows. In a fact-checker's "Says the economy is growing",
    whose subject was left out, the claim is what was said, so that becomes "Says the economy is not growing"; in
    "Obama says …" and "Polls show …" it is the saying and the showing, in "We know that …" what is known. Where the
    place of "not" is uncertain (uncertain.py), "It is not true that" denies the whole sentence: about a quarter of LIAR's
    statements, and ``what`` names it, so that their flips can be counted apart. Nothing between quotation marks changes
    unless the whole text is one quotation.

What ``sound`` leaves alone: fragments ("On a cap-and-trade plan."), "ain't", a verb before its subject ("…," said Smith),
questions that ask who, what or how much, exclamations ("How dishonest are they."), requests among other sentences ("Break up
the banks. He supports neither idea."), a sentence that vouches for the one before ("That's a fact."), and texts whose verb
the parser does not find.

Negating twice gives the text back, except for

- a contraction, which comes back written out ("isn't" → "is" → "is not", "I've" → "I have not" → "I have");
- "never", which goes ("has never lied" → "has lied" → "has not lied"), as do "never before" and "never once";
- a negative word ("no plan" → "some plan" → "not … any plan"; "not one vote");
- a word that follows a negation ("any", "ever", "at all", "nor"), which goes with it;
- a quantity ("Not one tax was raised" → "One tax was raised" → "It is not true that one tax was raised");
- emphasis and need ("did win" → "did not win" → "won"; "need not" → "must" → "must not");
- a verb with two forms of one tense ("pled" → "did not plead" → "pleaded");
- another reading: the parser reads the changed text differently, and another clause is negated.
"""

from __future__ import annotations

from typing import ClassVar

from hardtext.core import InputError
from hardtext.probes.base import Changed, Expectation, Probe, ProbeSettings, Unchanged

RULES = ("sound", "published")


class Negation(Probe):
    """``rules``: sound or published."""

    name: ClassVar[str] = "negation"
    expects: ClassVar[Expectation] = "flip"
    asks: ClassVar[str] = "Does it notice that a statement was negated?"
    few_flips: ClassVar[str] = (
        "A low rate means that the classifier reads topics and wording rather than what is said about them. Not every "
        "flip is owed, though: the negation of a half-truth may be a half-truth, and that of an opinion has no gold label.")
    source: ClassVar[str] = "Flores and Hao"

    def __init__(self, rules: str) -> None:
        self.rules = rules

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        from hardtext.probes import negation_published, negation_sound

        return negation_published.negate(text) if self.rules == "published" else negation_sound.negate(text)


def probe(settings: ProbeSettings) -> Negation:
    """The probe with the rules of ``probe.rules``. Raises InputError where they are neither."""
    if settings.rules not in RULES:
        raise InputError(f"probe.rules={settings.rules}: expected one of {', '.join(RULES)}")
    return Negation(settings.rules)
