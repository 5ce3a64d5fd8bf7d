"""What a reader of the probes' tables may conclude, and what not."""

from __future__ import annotations

from hardtext.reporting.probes.results import Report, Result
from hardtext.scoring.published import probes as published

FEW = 30  # texts below which one text moves a share by more than three points
TOO_FEW = 10  # texts below which a bootstrap interval is too narrow to compare with
LEARNED = 0.05  # accuracy above always answering the most frequent class from which a victim has learned something

EXPECTED = {"flip": "the label flips", "fake": "it is called fake", "stay": "the label stays"}

LIMITS = {
    "negation": "a label that was wrong before is no better for having flipped; ΔProb averages true statements, which should "
                "come to look fake, and false ones, which should come to look real: see it by gold class",
    "party": "nobody has checked that each changed statement is untrue: that it becomes fake is an assumption (the "
             "published study sorted its texts by hand)",
    "intensity": "texts with an intensifier are few, and removing one may leave an odd sentence; a shift of probability "
                 "without a flip still says that the word counted",
    "file": "pairs with one original in common count one by one, though they are not independent of each other",
}
"""What limits the conclusions of single probes."""


def general(report: Report) -> list[str]:
    """Notes for the whole table."""
    accuracy = report.accuracy
    beside = "" if accuracy.published is None else f"; published, {published.VICTIM}: {accuracy.published:.1%}"
    right = accuracy.right
    notes = [f"victim {report.title}, split {report.split}: {right.count} of {_originals(right.of)} right, {right.share:.1%} "
             f"(always answering {accuracy.majority}: {accuracy.majority_share:.1%}{beside})"]
    if accuracy.right.share <= accuracy.majority_share + LEARNED:
        notes.append("this victim is hardly better than a constant answer: its flips may be noise and the labels that stay "
                     "ignorance; no row here says that it understands")
    notes += ["% flip: share of changed texts with another predicted label than the original's; ΔProb: mean of P(fake | "
              "changed) − P(fake | original), positive where the change makes texts look more fake",
              "in brackets: 95 %, Wilson for shares, bootstrap over texts for ΔProb; p: paired sign-flip permutation test of "
              "ΔProb = 0, two-sided, Holm's correction over the probes of the table",
              "figures whose intervals overlap are not shown to differ; the published ones come without intervals"]
    if any(result.published for result in report.results):
        notes.append(f"published: {', '.join(_differences(report))}; source: {published.SOURCE}, Tables 3–5")
    if report.domain_stand_in:
        notes.append(f"stand-in data: {report.domain_stand_in}; figures are not those of the published corpus")
    return notes + [f"warning: {words}" for words in report.warnings]


def _differences(report: Report) -> list[str]:
    """What keeps the published rows from being measured like ours."""
    found = [f"their victim is {published.VICTIM}" + ("" if report.model == published.SAME else f", ours {report.model}")]
    if report.domain_stand_in:
        found.append("their data is the real corpus, ours a stand-in")
    rules = {result.question.rules for result in report.results if result.published and result.question.rules}
    if "sound" in rules:
        found.append("their negation and intensity follow rules=published, ours rules=sound")
    return found


def of_probe(result: Result) -> list[str]:
    """Notes for one probe."""
    question = result.question
    if not result.texts:
        reasons = "; ".join(f"{words}: {count}" for words, count in result.why.items())
        return [f"{question.title}: no text to ask about ({reasons})"]
    expected = " or ".join(EXPECTED[name] for name in result.expects)
    notes = [f"{question.title}: {question.asks} Expected: {expected}. {question.few_flips}"]
    if question.rules == "published":
        notes.append(f"{question.title}: the published rules leave artefacts (cut words, broken grammar), so that a flip may "
                     f"answer the damage and not the meaning")
    if limit := LIMITS.get(question.name):
        notes.append(f"{question.title}: {limit}")
    if result.truncated:
        notes.append(f"{question.title}: {result.truncated} of {texts(result.texts)} longer than the victim reads, which "
                     f"answers for the beginning alone")
    if result.texts < FEW:
        low, high = result.overall.flipped.interval
        verb = "agrees" if result.texts == 1 else "agree"
        notes.append(f"{question.title}: only {texts(result.texts)}, which {verb} with anything between {low:.0%} and "
                     f"{high:.0%} flips; of so few the interval of ΔProb is too narrow: go by p")
    if result.published:
        flip = _place(result.published.label_flip, result.overall.flipped.interval)
        shift = _place(result.published.delta_prob, result.overall.shift.interval) if result.texts >= TOO_FEW else \
            f"not to be compared with that of {texts(result.texts)}"
        notes.append(f"{question.title}: published % flip {flip}, published ΔProb {shift}")
    return notes


def texts(count: int) -> str:
    """ "1 text", "2 texts"."""
    return f"{count} text" + ("" if count == 1 else "s")


def _originals(count: int) -> str:
    return f"{count} original" + ("" if count == 1 else "s")


def _place(value: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return "beside no interval of ours"
    return "inside our interval" if interval[0] <= value <= interval[1] else "outside our interval"
