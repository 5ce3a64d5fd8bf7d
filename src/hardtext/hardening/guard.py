"""A fitted detector as a file, so that it can stand beside a victim: weights, thresholds, and the words its scores know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy

from hardtext import disks, records
from hardtext.core import InputError, Segments, Victim, listed
from hardtext.hardening.detection import SCORES, VICTIM_SCORES, Detector, Scorer

FILE = "detector.json"
FORMAT = 1


@dataclass(frozen=True)
class Guard:
    """Says which texts look attacked. ``thresholds``: by the share of clean texts that may be flagged."""

    scorer: Scorer
    detector: Detector
    thresholds: Mapping[float, float]

    def suspicion(self, texts: Sequence[Segments | str]) -> numpy.ndarray:
        """How likely each text was attacked, (texts,), where half of all texts were."""
        return self.detector(self.scorer.scores([(t,) if isinstance(t, str) else tuple(t) for t in listed(texts)]))

    def flags(self, texts: Sequence[Segments | str], false_alarms: float = 0.05) -> numpy.ndarray:
        """(texts,) bool. ``false_alarms``: one of the shares that ``task=detect`` found a threshold for."""
        if false_alarms not in self.thresholds:
            raise InputError(f"false_alarms={false_alarms}: expected one of {', '.join(map(str, self.thresholds))}")
        return self.suspicion(texts) > self.thresholds[false_alarms]


def save_guard(folder: Path, detector: Detector, thresholds: Mapping[float, float], counts: Mapping[str, int],
               masked_lm: str, victim: Victim | None, stand_ins: Sequence[str]) -> Path:
    """Write ``detector.json``. ``masked_lm``: what ``load_masked_lm`` takes; ``victim``: whose answers are looked at."""
    asked = None if victim is None else {"name": victim.name, "fingerprint": victim.fingerprint}
    records.write_json(folder / FILE, {
        "format": FORMAT, "detector": detector.to_row(), "thresholds": {str(rate): at for rate, at in thresholds.items()},
        "masked_lm": masked_lm, "victim": asked, "stand_ins": list(stand_ins), "counts": dict(counts)})
    return folder / FILE


def load_guard(source: str | Path, victim: Victim | None = None, device: str = "auto") -> Guard:
    """The detector in a folder of ``task=detect`` (or its ``detector.json``).

    ``victim``: the one that it was fitted with; a detector that was fitted without one needs none. Raises InputError for a
    damaged file, and for another victim, to whose answers the thresholds do not apply.
    """
    from hardtext.attacks.masked_lm import load_masked_lm

    file = Path(source).expanduser()
    file = file / FILE if file.is_dir() else file
    row = records.read_json(file)
    damaged = f"{disks.shown(file)}: no detector of task=detect, or a damaged one; make it again"
    try:
        if type(row["format"]) is not int or row["format"] != FORMAT:
            raise InputError(f"{disks.shown(file)}: format {row['format']!r:.40}, where this hardtext reads {FORMAT}: make "
                             f"it again with task=detect")
        detector = Detector.from_row(row["detector"])
        thresholds = {float(rate): float(at) for rate, at in row["thresholds"].items()}
        counts = {str(word): int(count) for word, count in row["counts"].items()}
        told, masked_lm = row["victim"], str(row["masked_lm"])
        name, fingerprint = (None, None) if told is None else (told["name"], told["fingerprint"])
        numbers = (*detector.centre, *detector.scale, *detector.weights, detector.bias, *thresholds.values())
        names = (*SCORES, *(VICTIM_SCORES if told else ()))
        if detector.names != names or not all(map(math.isfinite, numbers)) or min(detector.scale) <= 0:
            raise InputError(damaged)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(damaged) from error
    if told is None:
        victim = None
    elif victim is None:
        raise InputError(f"{disks.shown(file)}: this detector looks at the answers of {name}: give it as victim=")
    elif victim.fingerprint != fingerprint:
        raise InputError(f"{disks.shown(file)}: this detector was fitted to the answers of {name}, and {victim.name} is "
                         f"another victim, or one that was trained again: make a detector for it with task=detect")
    return Guard(Scorer(load_masked_lm(masked_lm, device), counts, victim), detector, thresholds)
