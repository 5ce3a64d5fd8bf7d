"""The tables of a model card: on clean text, under attack, before and after hardening, beside the plain model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardtext.reporting.leaderboard_sheets import MISSING, Line, Sheet
from hardtext.reporting.model_card.facts import Attacked, Card
from hardtext.reporting.train_table import majority
from hardtext.scoring.robustness import accuracy_interval, f1_interval

LEAST = 2  # texts: a single one has no interval and says nothing


def clean_sheet(card: Card) -> Sheet:
    """The metrics without any attack, on dev and attack."""
    lines = []
    for split in ("dev", "attack"):
        found = card.metrics.get(split) or {}
        if found.get("texts"):
            lines.append(Line((split, str(found["texts"]), _number(found["accuracy"]), _bounds(accuracy_interval(found)),
                               _number(found["f1"]), _bounds(f1_interval(found, card.domain.positive)),
                               *(_number(found.get(key)) for key in ("macro_f1", "auroc", "ece")),
                               _number(majority(found, card.domain.classes)[1]))))
    return Sheet(f"Clean text: {card.corpus}",
                 ("split", "texts", "accuracy", "95 %", "F1", "95 %", "macro F1", "AUROC", "calibration error",
                  "always one answer"), tuple(lines),
                 (f"F1: of {' and '.join(card.domain.classes[i] for i in card.domain.positive)}; 95 %: Wilson for accuracy, "
                  f"bootstrap over texts for F1; always one answer: accuracy of always giving the most frequent one",
                  *([f"stand-in: domain: {card.domain.stand_in}"] if card.domain.stand_in else [])))


def attacked_sheet(card: Card) -> Sheet:
    """One line an attack run, the strongest attack first."""
    ordered = sorted(card.attacked, key=lambda one: (-(one.scores["bodega"] or 0), -one.scores["confusion"]))
    lines: list[Line] = []
    said: dict[str, list[str]] = {}
    for one in ordered:
        scores, interval = one.scores, one.scores["interval"]
        lines.append(Line((
            one.attack, str(scores["instances"]), _number(scores["confusion"]), _bounds(interval.get("confusion")),
            _number(scores["bodega"]), _bounds(interval.get("bodega")), _number(one.robust_accuracy),
            _number(scores["queries"], 1), one.cap, scores["semantic_scorer"])))
        for words in _notes(one):
            said.setdefault(words, []).append(one.attack)
    notes = [words if len(whose) == len(ordered) else f"{', '.join(dict.fromkeys(whose))}: {words}"
             for words, whose in said.items()]
    return Sheet(f"Robustness: {card.corpus}, every attack asked this very model",
                 ("attack", "texts", "success", "95 %", "BODEGA", "95 %", "robust acc.", "queries", "cap", "scorer"),
                 tuple(lines),
                 ("success: share of the texts whose answer the attack changed; BODEGA: that × meaning kept × characters "
                  "kept; lower is better for the model; robust acc.: right before the attack and not moved by it; queries: "
                  "mean of a text; cap: the most an attack may ask about one text; scorer: of the meaning; 95 %: bootstrap "
                  "over texts", *notes))


def _notes(one: Attacked) -> list[str]:
    """What a reader must know beside the figures of an attack run."""
    notes = [*(f"stand-in: {words}" for words in one.stand_ins), *one.marks]
    if one.repeats > 1:
        notes.append(f"the model answers by chance, and a success needs most of {one.repeats} queries; a single query would "
                     f"have called {_number(one.single_query)} of the attempts a success")
    if one.scores.get("errors"):
        notes.append(f"{one.scores['errors']} attempts ended in an error and are left out")
    return notes


def trained_sheet(card: Card) -> Sheet | None:
    """The attack that the training was measured with, before and after hardening; None where there was none."""
    robust = card.metrics.get("robustness") or {}
    if robust.get("examples", 0) < LEAST or not all(isinstance(robust.get(key), Mapping) for key in ("before", "after")):
        return None
    cap = (card.settings.get("robustness") or {}).get("max_queries")
    lines = [Line((words, _number(one["confusion"]), _bounds(one["interval"].get("confusion")), _number(one["bodega"]),
                   _bounds(one["interval"].get("bodega")), _number(one["robust_accuracy"]), _number(one["queries"], 1)))
             for words, one in (("before", robust["before"]), ("this model", robust["after"]))]
    after = robust["after"]
    queries = "any number of queries" if cap is None else f"at most {cap} queries"
    return Sheet(f"Before and after hardening: {robust['attack']} on {card.corpus}",
                 ("", "success", "95 %", "BODEGA", "95 %", "robust acc.", "queries"), tuple(lines),
                 (f"{robust['examples']} texts of the {robust.get('split', 'attack')} split, each model attacked anew, "
                  f"{queries} a text; before: after the first phase of the training; "
                  f"semantic scorer {after['semantic_scorer']}", *(f"stand-in: {words}" for words in dict.fromkeys(
                      ([f"domain: {card.domain.stand_in}"] if card.domain.stand_in else []) + list(after["stand_ins"])))))


def matrix_sheets(card: Card) -> list[Sheet]:
    """Beside the plain model, from each robustness matrix that holds this model: over all attacks, and by attack."""
    sheets = []
    for one in card.matrices:
        about, cap = one.about, one.cap
        seeds = ", ".join(map(str, about["seeds"]))
        notes = (f"{about['asked']} of {about['whole']} texts of the {about['split']} split, at most {cap} queries a text, "
                 f"semantic scorer {about['semantic']}", *(f"stand-in: {words}" for words in about["marks"]))
        rows = [one.plain] if one.name == one.plain["victim"] else [one.plain, one.own]
        lines = [Line((row["victim"], _number(row["mean"]), _bounds(row["interval"]), _number(row["ratio"], 2),
                       _bounds(row["ratio_interval"]), _number(row["robust_accuracy"]), _number(row["queries"], 1),
                       _number(row["clean"]["f1"]))) for row in rows]
        warned = tuple(f"{row['victim']}: {words}" for row in rows for words in row["warnings"])
        sheets.append(Sheet(
            f"Beside the plain model: {about['model']} on {card.corpus}",
            ("model", "BODEGA", "95 %", "× plain", "95 %", "robust acc.", "queries", "clean F1"), tuple(lines),
            (f"mean over {', '.join(about['attacks'])} and seeds {seeds}; this model is {one.name}, seed {one.seed}",
             *warned, *notes)))
        by_attack = [Line((name, _number(plain[f"bodega_{cap}"]), _number(own[f"bodega_{cap}"]),
                           _ratio(own[f"bodega_{cap}"], plain[f"bodega_{cap}"]))) for name, plain, own in one.attacks]
        sheets.append(Sheet(f"BODEGA of each attack, seed {one.seed}: {about['model']} on {card.corpus}",
                            ("attack", "plain", "this model", "× plain"), tuple(by_attack), notes))
    return sheets


def sheets_of(card: Card) -> list[Sheet]:
    """The tables of the card."""
    robust = [attacked_sheet(card)] if card.attacked else []
    trained = trained_sheet(card)
    return [clean_sheet(card), *robust, *([trained] if trained else []), *matrix_sheets(card)]


def _number(value: float | None, digits: int = 3) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _ratio(own: float, plain: float) -> str:
    return f"{own / plain:.2f}" if plain else MISSING


def _bounds(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.2f}–{bounds[1]:.2f}"
