"""The probes' results as sheets of words, whatever they are shown with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hardtext.reporting.leaderboard_sheets import MISSING, Line, Sheet
from hardtext.reporting.probes import notes
from hardtext.reporting.probes.results import LEAST_FOR_THIRDS, Report, Result
from hardtext.scoring import flips

FLIPS = ("n", "% flip", "publ.", "ΔProb", "publ.", "p")
_EXPECTED = {"flip": "flips", "fake": "becomes fake", "stay": "stays"}


def sheets(report: Report) -> list[Sheet]:
    """Flips and shifts beside the published rows; expected behaviour; groups; what was not asked; class movements."""
    found = [flip_sheet(report), _expected_sheet(report)]
    if any(result.groups for result in report.results):
        found.append(_groups_sheet(report))
    if any(result.why for result in report.results):
        found.append(_left_out_sheet(report))
    if len(report.classes) > 2:
        found += [_movements_sheet(report, result) for result in report.results if result.texts]
    return found


def flip_sheet(report: Report) -> Sheet:
    """%LabelFlip and ΔProb of each probe beside the published ones."""
    words = [*notes.general(report), *(note for result in report.results for note in notes.of_probe(result))]
    digits = published_digits(result.published.delta_prob for result in report.results if result.published)
    return Sheet(f"Probes: {report.title}", ("probe", *FLIPS),
                 tuple(Line((result.question.title, *_flip_cells(result, digits))) for result in report.results),
                 tuple(words))


def _flip_cells(result: Result, digits: int) -> tuple[str, ...]:
    """The cells under ``FLIPS``."""
    flipped, shift, other = result.overall.flipped, result.overall.shift, result.published
    return (str(result.texts), percent(flipped.share, flipped.interval), percent(other and other.label_flip),
            signed(shift.mean, shift.interval), signed(other and other.delta_prob, digits=digits), p_value(result.p_holm))


def published_digits(values: Iterable[float]) -> int:
    """How many digits a column of published ΔProb needs: four where one of them is as small as -0.0001."""
    return max((4 if 0 < abs(value) < 0.0005 else 3 for value in values), default=3)


def _expected_sheet(report: Report) -> Sheet:
    within = ("within",) if len(report.classes) > 2 else ()
    lines = []
    for result in report.results:
        it, ways = result.overall, result.directions
        lines.append(Line((result.question.title, _expected(result), str(result.texts),
                           percent(it.expected.share, it.expected.interval),
                           percent(it.expected_of_right.share, it.expected_of_right.interval),
                           str(ways["real_to_fake"]), str(ways["fake_to_real"]), *(str(ways[key]) for key in within))))
    words = ("as expected: share, in percent; if right: the same among texts whose original the victim got right",
             "→ fake, → real: flipped texts by direction" + (
                 "; within: flips among the real or among the fake classes" if within else ""))
    return Sheet("Does it behave as expected?",
                 ("probe", "expected", "n", "as expected", "if right", "→ fake", "→ real", *within),
                 tuple(lines), words, words=2)


def _expected(result: Result) -> str:
    expects = result.expects or {result.question.expects: 0}
    if len(expects) == 1:
        return _EXPECTED[next(iter(expects))]
    return ", ".join(f"{_EXPECTED[name]} {count}" for name, count in expects.items())


def _groups_sheet(report: Report) -> Sheet:
    lines = []
    for result in report.results:
        if result.groups:
            lines.append(Line(heading=result.question.title))
        for group in result.groups:
            it = group.behaviour
            lines.append(Line((f"{group.by} {group.name}", str(it.flipped.of),
                               percent(it.flipped.share, it.flipped.interval), signed(it.shift.mean, it.shift.interval),
                               percent(it.expected.share, it.expected.interval))))
    return Sheet("By gold class and by confidence", ("texts", "n", "% flip", "ΔProb", "% as expected"), tuple(lines),
                 ("confidence: the victim's probability of its own answer to the original, in thirds of the texts",
                  f"untested: many groups, each smaller than the whole; below {LEAST_FOR_THIRDS} texts none by confidence"))


def _left_out_sheet(report: Report) -> Sheet:
    lines = [Line((result.question.title, words, str(count)))
             for result in report.results for words, count in result.why.items()]
    return Sheet("Texts that were not asked about", ("probe", "why", "texts"), tuple(lines), words=2)


def _movements_sheet(report: Report, result: Result) -> Sheet:
    lines = tuple(Line((name, *map(str, row))) for name, row in zip(report.classes, result.movements, strict=True))
    return Sheet(f"Predicted classes, {result.question.title}", ("before, after →", *report.classes), lines)


def percent(share: float | None, interval: Sequence[float] | None = None) -> str:
    """``17.2``, and its interval on a second line: ``(13.2–22.1)``."""
    if share is None:
        return MISSING
    return f"{100 * share:.1f}" + ("" if interval is None else f"\n({100 * interval[0]:.1f}–{100 * interval[1]:.1f})")


def signed(value: float | None, interval: Sequence[float] | None = None, digits: int = 3) -> str:
    """``+0.039``, and its interval on a second line: ``(+0.001…+0.076)``; what rounds to zero has no sign."""
    if value is None:
        return MISSING
    value, *bounds = (_signed(number, digits) for number in (value, *(interval or ())))
    return value + (f"\n({'…'.join(bounds)})" if bounds else "")


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def p_value(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def flat(name: str, it: flips.Behaviour) -> dict[str, object]:
    """A behaviour as cells of a CSV; empty where there is no number."""
    row: dict[str, object] = {"group": name, "texts": it.flipped.of}
    for key, value, interval in (("label_flip", it.flipped.share, it.flipped.interval),
                                 ("delta_prob", it.shift.mean, it.shift.interval),
                                 ("as_expected", it.expected.share, it.expected.interval),
                                 ("as_expected_of_right", it.expected_of_right.share, it.expected_of_right.interval)):
        low, high = interval or ("", "")
        row |= {key: "" if value is None else value, f"{key}_low": low, f"{key}_high": high}
    return row
