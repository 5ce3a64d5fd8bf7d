"""What a reader must know before relying on an exported model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardtext.reporting.model_card.facts import Card
from hardtext.reporting.model_card.sheets import trained_sheet
from hardtext.reporting.train_table import majority
from hardtext.scoring.robustness import LEARNED


def limits(card: Card) -> list[str]:
    """What a reader must know before relying on the model."""
    said = []
    for split in ("dev", "attack"):
        found = card.metrics.get(split) or {}
        if found.get("texts"):
            answer, share = majority(found, card.domain.classes)
            if found["accuracy"] <= share + LEARNED:
                said.append(f"On the {split} split it is hardly better than always answering {answer} (accuracy "
                            f"{found['accuracy']:.3f} against {share:.3f}): figures of attacks on it mean little.")
    if not (card.attacked or trained_sheet(card) or card.matrices):
        said.append("No attack was run against this model: how robust it is, is unknown.")
    else:
        gradients = any(one.attack.startswith("textfooler") for one in card.attacked)
        said.append("The attacks asked this very model and saw its answers, its defences included (adaptive in that sense). "
                    + ("But for the gradients by which textfooler may rank words, none" if gradients else "None")
                    + " saw its weights, and none was written against these defences in particular: attacks that are may do "
                      "better.")
    if card.untested:
        said.append(f"Not attacked with: {', '.join(card.untested)}.")
    if not card.of_transformers and card.at_inference:
        said.append(f"Without hardtext {_listed(card.at_inference)} do not act, and none of these figures holds.")
    if "smooth" in card.at_inference and not card.at_inference["smooth"].get("fixed"):
        said.append("It answers by chance: the same text may get another answer, and an attacker who averages more queries "
                    "may do better.")
    if "output" in card.at_inference:
        said.append("Coarse answers hide the scores from an attacker; they do not make the model itself any better.")
    language = f"in one language ({card.language})" if card.language else "in a language that nobody noted"
    said += [f"Trained and measured on texts of one corpus, {language}. Other languages, other topics, other times and other "
             f"sources were not tested. A text is read up to {card.record['max_length']} word pieces.",
             f"One training with one seed ({card.metrics.get('seed')}); another seed gives other figures."
             + (" The matrix says how much over its seeds." if any(len(one.about["seeds"]) > 1 for one in card.matrices)
                else ""),
             "It judges how a text is worded after what it saw in training. It knows no facts; do not let it decide about "
             "people or their texts unwatched."]
    return said


def _listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " and ".join(filter(None, [", ".join(list(names)[:-1]), list(names)[-1]]))
