"""Number change: one number of a true statement becomes another one, so that the statement is no longer true."""

from __future__ import annotations

import random
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Optional

from hardtext import seeding
from hardtext.probes import amounts
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Edit, apply
from hardtext.text import match_case

_UP, _DOWN = (2, 3, 4, 5, 6, 8), (2, 4, 5, 10)
_WORDS = {Decimal(number): word for word, number in amounts.WORDS.items()}
_FRACTIONS = {"two-thirds": "one-third", "three-quarters": "one-quarter", "three-fourths": "one-fourth",
              "two-fifths": "four-fifths", "three-fifths": "one-fifth", "four-fifths": "one-fifth"}


class Number(Probe):
    """The first number that counts becomes two to ten times as large or small; its format stays.

    Years, dates, times, ranges, scores, names with a number in them (Proposition 8, 9/11, G20, U.S. 19), list numbers and
    identifiers stay. "More than 40" becomes larger and "less than 40" smaller, as the text could stay true otherwise.
    Percentages, ages and numbers of years stay at 100 or below. Nothing becomes 1 and no 1 changes, so that singular and
    plural stay right ("1 million" and "1 percent" may change, and of "one in five" the five).
    """

    name = "number"
    expects = "fake"
    of = "real"
    asks = "Does it notice that a number was changed?"
    few_flips = ("A low rate says that figures hardly weigh and the decision rests on topic and wording. A classifier that "
                 "was never told the right figure cannot know better, so that a low rate is what to expect, not a fault.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        rng = seeding.generator(seed, self.name)
        for found in amounts.amounts(text):
            if edit := _edit(found, rng):
                return Changed(apply(text, [edit]), f"{text[edit.start:edit.end]} -> {edit.new}")
        return Unchanged("no number that could change")


def probe(settings: ProbeSettings) -> Number:
    return Number()


def _edit(found: re.Match[str], rng: random.Random) -> Optional[Edit]:
    """The number with another value, or None where no other would do."""
    start, end = amounts.span(found)
    written = amounts.written(found)
    if found["fraction"]:
        new = _FRACTIONS.get(written.lower().replace(" ", "-"))
        return Edit(start, end, match_case(new.replace("-", " ") if " " in written else new, written)) if new else None
    value, bound = amounts.value(written), amounts.bound(found)
    up, down = bound != "most", bound != "least"  # "less than 40" would stay true of most larger numbers
    if whole := amounts.whole(found):
        if value == 1:  # one in five: the five, and a larger one makes the share smaller
            others = _scaled(amounts.value(whole["whole"]), down, up, least=2)
            return _choose(whole.span("whole"), whole["whole"], others, rng)
        of = amounts.value(whole["whole"])
        others = [other for n in range(2, int(of)) if abs((other := Decimal(n)) - value) >= of * 3 / 10]
    elif found["ordinal"]:
        others = _scaled(value, up=True, down=True, least=2, most=50 if value <= 50 else None)
    else:
        percent, large = amounts.percent(found), bool(found["currency"]) or amounts.large(found)
        if value == 1 and not (percent or large) or value == 0:
            return None
        most = 100 if value <= 100 and (percent or amounts.years(found)) else 999 if large and value < 1_000 else None
        others = _scaled(value, up, down, least=1 if percent or large else 2, most=most)
    others = [other for other in others if (up and other > value) or (down and other < value)]
    edit = _choose((start, end), written, others, rng)
    return edit._replace(end=found.end(), new=edit.new + _ending(edit.new)) if edit and found["ordinal"] else edit


def _scaled(value: Decimal, up: bool, down: bool, least: int, most: Optional[int] = None) -> list[Decimal]:
    """Values well above and well below, with as many decimals, between ``least`` and ``most``."""
    step = Decimal(1).scaleb(value.as_tuple().exponent)
    others = [value * f for f in _UP if up] + [(value / f).quantize(step, ROUND_HALF_UP) for f in _DOWN if down]
    if up and most == 100 and value > 50:  # 60 percent: 80 or 92
        others += [(value + (most - value) * f).quantize(step, ROUND_HALF_UP) for f in (Decimal("0.5"), Decimal("0.8"))
                   if (most - value) * f >= 10]
    floor = least if step == 1 or value > 10 else step
    others = [other for other in others if floor <= other != value and (most is None or other <= most)]
    return [other for other in others if step == 1 or other % 1] or others  # 3.5: 10.5 rather than 7.0


def _choose(place: tuple[int, int], written: str, values: list[Decimal], rng: random.Random) -> Optional[Edit]:
    """One of the values at ``place``, written like the number that stood there; None where there is none."""
    if not written[0].isdigit():
        values = [value for value in values if value in _WORDS]
    if not values:
        return None
    value = rng.choice(values)
    if value in _WORDS and not written[0].isdigit():
        return Edit(*place, match_case(_WORDS[value], written))
    long_without_comma = len(written.partition(".")[0]) > 3 and "," not in written
    return Edit(*place, f"{value:f}" if long_without_comma else f"{value:,f}")


def _ending(written: str) -> str:
    """The ending of an ordinal number.

    >>> [n + _ending(n) for n in ("2", "11", "22", "103", "1,012")]
    ['2nd', '11th', '22nd', '103rd', '1,012th']
    """
    if written[-2:-1] == "1":
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(written[-1], "th")
