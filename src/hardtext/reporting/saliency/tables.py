"""The views as tables (``leaderboard_formats`` makes them Markdown or a terminal's), and texts for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.text import Text

from hardtext.reporting.leaderboard_sheets import Line, Sheet
from hardtext.reporting.saliency import adverbs, changed, colours, views
from hardtext.reporting.saliency.adverbs import Share
from hardtext.reporting.saliency.corpus import WordSaliency
from hardtext.reporting.saliency.sentences import Sentence
from hardtext.reporting.saliency.views import Views

TERMINAL_CHARACTERS = 600  # of one segment
_LIMITS = {"gradient_x_input": "a first-order estimate: it says nothing about what happens far from the text",
              "integrated_gradients": "the gap says how far the values are from adding up to the logit's change",
              "occlusion": "one word at a time: two words that say the same hide each other"}


def sheets(found: Views, narrow: bool = False) -> list[Sheet]:
    """``narrow``: for 80 columns, without what does not fit there."""
    tables = [overview(found), extremes(found, narrow), intensifiers(found)]
    return tables + ([agreement(found)] if found.agreement is not None else [])


def overview(found: Views) -> Sheet:
    facts = views.summary(found)
    about = found.about
    lines = [("texts", found.count), ("of these truncated", f"{facts['truncated']:,}"),
             ("without a word that was read", f"{facts['without_words']:,}"),
             ("accuracy", percent(facts["accuracy"])),
             ("share of |value| on special pieces", percent(facts["special_share"]))]
    if facts["gap"] is not None:
        lines.append(("completeness gap, mean", percent(facts["gap"], 2)))
    lines += [(f"{name}, mean", beside(facts[name], facts[f"{name}_random"]))
              for name in ("comprehensiveness", "sufficiency") if facts[name] is not None]
    notes = [f"a positive value raises the logit of {about.explained}", _LIMITS[about.method], *marks(found)]
    if facts["comprehensiveness"] is not None:
        notes.append("comprehensiveness: what the probability of the explained class loses without the words of the highest "
                     "values (higher is better); sufficiency: what it loses when only they are left (lower is better)")
    if facts["truncated"]:
        notes.append(f"longer than the victim reads, so that the end has no value: {facts['truncated']:,} texts")
    return Sheet(found.title, ("", "value"), tuple(Line(line) for line in lines), tuple(notes))


def extremes(found: Views, narrow: bool = False) -> Sheet:
    means = column([word.mean for word in found.extremes])
    spreads = column([word.sd for word in found.extremes], sign="")
    classes = [() if narrow else (by_class(word, found.about.domain.classes),) for word in found.extremes]
    lines = tuple(Line((word.word, f"{word.texts:,}", f"{word.occurrences:,}", mean, sd, *rest))
                  for word, mean, sd, rest in zip(found.extremes, means, spreads, classes))
    some = f" of at least {found.about.min_count} texts" if found.about.min_count > 1 else ""
    notes = [f"of {len(found.plotted):,} words{some} ({len(found.words):,} in all); mean and standard deviation over "
             f"occurrences; by gold class: {'see saliency.md' if narrow else 'mean (texts)'}",
             "a rare word's mean rests on few texts, so the most extreme words are rare ones"]
    if found.trend.slope == found.trend.slope:
        notes.append(f"trend: median |mean| changes as document frequency to the power {found.trend.slope:+.2f}")
    columns = ("word", "texts", "times", "mean", "sd", *(() if narrow else ("by gold class",)))
    return Sheet(f"The {len(lines)} most extreme words", columns, lines, (*notes, *marks(found)))


def intensifiers(found: Views) -> Sheet:
    lines = tuple(Line((name, f"{share.texts:,}", f"{share.with_intensifier:,}", held(share), percent(share.words, 2),
                        ratio(share))) for name, share in found.shares.items())
    notes = (f"lexicon {found.about.lexicon}; of all words of the texts, marks left out; 95 % bootstrap over texts",
             "with one: texts that hold an intensifier; ratio: share of |value| over share of words, 1 where intensifiers "
             "weigh what their number says",
             f"few texts: fewer than {adverbs.FEWEST} hold an intensifier, too few for an interval", *marks(found))
    return Sheet("Share of the attribution held by intensifiers",
                 ("", "texts", "with one", "of |value| (95 %)", "of words", "ratio (95 %)"), lines, notes)


def agreement(found: Views) -> Sheet:
    result = found.agreement
    lines = tuple(Line((words, plain(result.means.get(name)), interval(result.intervals.get(name)),
                        f"{changed.CHANCE[name]:g}" if name in changed.CHANCE else ""))
                  for name, words in changed.MEASURES.items())
    few = f"; no interval: fewer than {changed.FEWEST} texts" if len(result.texts) < changed.FEWEST else ""
    notes = [f"{len(result.texts):,} successes of {found.about.attack}, every text counting alike; 95 % bootstrap over texts"
             + few,
             *(f"left out: {count:,} successes, {why}" for why, count in result.left_out.items()),
             "an attack that looks for important words finds some; one that spares function words or marks agrees with any "
             "saliency that does: agreement does not show that the saliency is right", *marks(found)]
    return Sheet("Did the attack change the words that the victim relied on?", ("", "mean", "95 %", "chance"), lines,
                 tuple(notes))


def marks(found: Views) -> list[str]:
    """What stands under every table and figure: what stands in for something else, and that a limit left texts out."""
    kind = "successes of the attack" if found.about.attack else "texts"
    return [*(f"stand-in: {each}" for each in found.about.stand_ins),
            *([f"limit: the first {found.count} {kind} only"] if found.capped else [])]


def by_class(word: WordSaliency, classes: Sequence[str]) -> str:
    return " · ".join(f"{classes[label]} {number(mean)} ({texts:,})" for label, (texts, mean) in word.labels.items()
                      if 0 <= label < len(classes))


def number(value: float | None) -> str:
    """A value of saliency: its sign, and three digits.

    >>> number(0.12345), number(-0.000123), number(-0.0), number(None), number(float("nan"))
    ('+0.123', '-0.000123', '0', '–', '–')
    """
    return "–" if value is None or value != value else f"{value:+.3g}" if value else "0"


def column(values: Sequence[float], sign: str = "+") -> list[str]:
    """Values of one column, with as many decimals as give the largest three digits.

    >>> column([1.234, -0.5, 0.001, -0.001, float("nan")]), column([0.01234, 0.1], sign="")
    (['+1.23', '-0.50', '0.00', '0.00', '–'], ['0.012', '0.100'])
    """
    largest = max((abs(value) for value in values if value == value), default=0.0)
    decimals = min(6, max(0, 2 - math.floor(math.log10(largest)))) if largest else 0
    return ["–" if value != value else f"{value:{sign}.{decimals}f}" if round(value, decimals) else f"{0:.{decimals}f}"
            for value in values]


def ends(limit: float) -> tuple[str, str]:
    """The two ends of a text's scale.

    >>> ends(0.1234), ends(0.0)
    (('−0.123', '+0.123'), ('0', '0'))
    """
    return (f"−{limit:.3g}", f"+{limit:.3g}") if limit else ("0", "0")


def plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}%}"


def interval(bounds: Sequence[float] | None) -> str:
    return "–" if bounds is None else " to ".join(map(plain, bounds))


def held(share: Share) -> str:
    if share.attribution is None or not share.with_intensifier:
        return percent(share.attribution, 2)
    bounds = share.attribution_interval
    return percent(share.attribution, 2) + _between(bounds and tuple(100 * bound for bound in bounds))


def ratio(share: Share) -> str:
    if share.ratio is None:
        return "–"
    return f"{share.ratio:.2f}" + _between(share.ratio_interval)


def _between(bounds: tuple[float, float] | None) -> str:
    return " (few texts)" if bounds is None else " ({:.2f}–{:.2f})".format(*bounds)


def beside(value: float, chance: float | None) -> str:
    return number(value) + (f" (random words {number(chance)})" if chance is not None else "")


def verdict(sentence: Sentence, classes: Sequence[str]) -> str:
    """What the victim says of a text, and what it is."""
    row = sentence.row
    said = f"predicted {classes[row.prediction]} at {row.probs[row.prediction]:.0%}"
    return said + (f", is {classes[row.label]}" if 0 <= row.label < len(classes) else "")


def terminal(sentence: Sentence, classes: Sequence[str]) -> Text:
    """A text with its words on coloured grounds; a rich console shows it in the colours that the terminal has."""
    result = Text()
    result.append(f"{sentence.name} · {verdict(sentence, classes)} · {'; '.join(sentence.reasons)}\n", style="bold")
    for side in sentence.sides:
        if side.name:
            result.append(f"{side.name} ({side.share:.0%} of |value|): ", style="italic")
        room = TERMINAL_CHARACTERS
        for part in side.parts:
            if room <= 0:
                break
            result.append(" ".join(part.text.split("\n")), style=_style(part.step, part.changed))
            room -= len(part.text)
        if room <= 0:
            result.append(" … (the whole is in saliency.html)", style="italic")
        if side.unread:
            result.append(f" [not read: {side.unread_characters:,} more characters]", style="italic")
        result.append("\n")
    strongest = ", ".join(f"“{word}” {number(value)}" for word, value in sentence.strongest[:5])
    low, high = ends(sentence.limit)
    result.append(f"scale {low} … 0 … {high}; special pieces {number(sentence.row.special)}"
                  + (f"; strongest: {strongest}" if strongest else "") + "\n", style="dim")
    return result


def _style(step: int, is_changed: bool) -> str:
    ink, ground = (colours.hexadecimal(colour) for colour in (colours.LIGHT.ink, colours.LIGHT.colour(step)))
    return (f"{ink} on {ground}" if step else "") + (" underline" if is_changed else "")
