"""Fit ``preserved``, the probability that a person says a changed text keeps its meaning; print and write its figures.

    python scripts/meaning_model.py InCrediblAE_Manual_Evaluation_Dataset.csv [--output src/hardtext/scoring/preserved.json]

The data are the manual evaluation of CheckThat! 2024, task 6 (CC0): 680 pairs of an original and an adversarial text by six
systems, from the fact-checking task, lower-cased, each judged by two people or three. Label 0, "preserves the meaning",
against 1, "changes it", and 2, "makes no sense". The pairs stay out of this project.

Every figure is of predictions for originals that the fit has not seen: 10 folds, all pairs of one original in one fold.
Intervals are 95 % percentile bootstrap over originals. The same data and versions give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from hardtext.records import write_json
from hardtext.scoring import preserved
from hardtext.scoring.documents import Change, character_scores, semantic_scores
from hardtext.scoring.flags import KINDS, flags
from hardtext.scoring.semantic import MiniLM
from hardtext.text import SEPARATOR

FOLDS = 10
SEED = 0
RESAMPLES = 1000
STRENGTH = 0.3  # C of the fit: of 0.05, 0.1, 0.2, 0.3, 1 and 3 the largest AUC with a calibration slope within 0.1 of 1
DIGITS = 4
PACKAGES = ("numpy", "scikit-learn", "rapidfuzz", "confusable-homoglyphs", "torch", "transformers", "tokenizers")
LIMITS = ("a model of 680 judged pairs of six attack systems on one English fact-checking task, lower-cased, with hardly any "
          "synonym or misspelling among them; its features were chosen on the same pairs; MiniLM similarity; other domains "
          "and languages were never checked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--output", type=Path, default=preserved.FILE)
    args = parser.parse_args()
    changes, kept, groups = read(args.data)
    table = preserved.features(changes, MiniLM(device="cpu"))
    fitted = model().fit(table, kept)
    scaler, logistic = fitted[0], fitted[-1]
    scores = predictions(changes, table, kept, groups)
    full = scores["full model"][1]
    row = {
        "what": "the probability that a person says a changed text keeps the meaning of the original",
        "limits": LIMITS,
        "features": [{"name": name, "mean": rounded(m), "scale": rounded(s), "coefficient": rounded(c)} for name, m, s, c
                     in zip(preserved.FEATURES, scaler.mean_, scaler.scale_, logistic.coef_[0], strict=True)],
        "intercept": rounded(logistic.intercept_[0]),
        "figures": {name: figures(kept, groups, score, probability) for name, (score, probability) in scores.items()},
        "full_model_within": within(table, kept, full),
        "calibration": calibration(kept, full),
        "flags": flag_counts(changes, kept),
        "cross_validation": {"folds": FOLDS, "grouped_by": "original", "seed": SEED, "resamples": RESAMPLES,
                             "strength": STRENGTH},
        "data": {"name": "manual evaluation of CheckThat! 2024, task 6 (CC0)", "pairs": len(kept),
                 "originals": int(groups.max()) + 1, "kept": int(kept.sum()),
                 "sha256": hashlib.sha256(args.data.read_bytes()).hexdigest()},
        "versions": {package: version(package).split("+")[0] for package in PACKAGES},
    }
    write_json(args.output, row)
    show(row)
    print(f"written to {args.output}")


def read(path: Path) -> tuple[list[Change], numpy.ndarray, numpy.ndarray]:
    """The pairs, 1 where the agreed label is "preserves the meaning", and the number of each pair's original."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    changes = [tuple(tuple(row[side].rsplit(SEPARATOR, 1)) for side in ("original_samples", "adversarial_samples"))
               for row in rows]
    kept = numpy.array([float(row["agreed_labels"]) == 0 for row in rows], dtype=int)
    numbers = {original: number for number, original in enumerate(dict.fromkeys(row["original_samples"] for row in rows))}
    return changes, kept, numpy.array([numbers[row["original_samples"]] for row in rows])


def model() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, solver="newton-cholesky", tol=1e-8, max_iter=1000))


def predictions(changes: list[Change], table: numpy.ndarray, kept: numpy.ndarray,
                groups: numpy.ndarray) -> dict[str, tuple[numpy.ndarray, numpy.ndarray]]:
    """(what pairs are ranked by, probability) for each way to judge them; one score is ranked by itself."""
    single = {"character score (BODEGA)": character_scores(changes),
              "stand-in similarity (MiniLM)": semantic_scores(changes, MiniLM(device="cpu"), "pair"),
              "least similarity as read": table[:, preserved.FEATURES.index("similarity_least")],
              "one flag: any changed word": -table[:, preserved.FEATURES.index("changed")]}
    found = {name: (score, held_out(score[:, None], kept, groups)) for name, score in single.items()}
    for name, columns in (("flags only", len(preserved.FLAG_FEATURES)), ("full model", table.shape[1])):
        probability = held_out(table[:, :columns], kept, groups)
        found[name] = probability, probability
    return found


def held_out(table: numpy.ndarray, kept: numpy.ndarray, groups: numpy.ndarray) -> numpy.ndarray:
    """The probability of each pair by a model that has seen no pair of its original."""
    result = numpy.empty(len(kept))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(table, kept, groups):
        result[test] = model().fit(table[train], kept[train]).predict_proba(table[test])[:, 1]
    return result


def figures(kept: numpy.ndarray, groups: numpy.ndarray, score: numpy.ndarray, probability: numpy.ndarray) -> dict[str, Any]:
    """AUC and accuracy (at 0.5) with [low, high], and the Brier score."""
    generator = numpy.random.default_rng(SEED)
    number = groups.max() + 1
    right = (probability > 0.5) == kept
    drawn: dict[str, list[float]] = {"auc": [], "accuracy": []}
    for _ in range(RESAMPLES):
        weight = numpy.bincount(generator.integers(number, size=number), minlength=number)[groups]
        drawn["auc"].append(roc_auc_score(kept, score, sample_weight=weight))
        drawn["accuracy"].append(numpy.average(right, weights=weight))
    return {"auc": rounded(roc_auc_score(kept, score)), "auc_interval": bounds(drawn["auc"]),
            "accuracy": rounded(accuracy_score(kept, probability > 0.5)), "accuracy_interval": bounds(drawn["accuracy"]),
            "brier": rounded(brier_score_loss(kept, probability))}


def within(table: numpy.ndarray, kept: numpy.ndarray, probability: numpy.ndarray) -> dict[str, Any]:
    """The AUC where the easiest distinction, whether any word became another one, does not help."""
    changed = table[:, preserved.FEATURES.index("changed")] == 1
    return {name: {"pairs": int(some.sum()), "kept": int(kept[some].sum()),
                   "auc": rounded(roc_auc_score(kept[some], probability[some]))}
            for name, some in (("a changed word", changed), ("no changed word", ~changed))}


def calibration(kept: numpy.ndarray, probability: numpy.ndarray) -> dict[str, Any]:
    """Slope and intercept of the labels on the held-out log odds (1 and 0 where calibrated), and tenths of the scale."""
    odds = numpy.log(probability / (1 - probability))[:, None]
    line = LogisticRegression(C=numpy.inf, solver="newton-cholesky", tol=1e-8).fit(odds, kept)
    tenth = numpy.minimum((probability * 10).astype(int), 9)
    return {"slope": rounded(line.coef_[0, 0]), "intercept": rounded(line.intercept_[0]),
            "reliability": [{"from": i / 10, "pairs": int((tenth == i).sum()),
                             "predicted": rounded(probability[tenth == i].mean()),
                             "observed": rounded(kept[tenth == i].mean())} for i in sorted(set(tenth.tolist()))]}


def flag_counts(changes: list[Change], kept: numpy.ndarray) -> dict[str, dict[str, int]]:
    """Of how many pairs with a flag of each kind people said that the meaning is kept: what the model could learn from."""
    kinds = [{flag.kind for flag in flags(old, new)} for old, new in changes]
    return {kind: {"pairs": sum(kind in own for own in kinds),
                   "kept": int(sum(said for own, said in zip(kinds, kept) if kind in own))} for kind in KINDS}


def rounded(value: float) -> float:
    return round(float(value), DIGITS)


def bounds(values: list[float]) -> list[float]:
    return [rounded(bound) for bound in numpy.percentile(values, [2.5, 97.5])]


def show(row: dict[str, Any]) -> None:
    print(f"{'':30} AUC                   accuracy              Brier")
    for name, found in row["figures"].items():
        cells = (f"{found[key]:.3f} ({found[f'{key}_interval'][0]:.3f}–{found[f'{key}_interval'][1]:.3f})"
                 for key in ("auc", "accuracy"))
        print(f"{name:30} {'  '.join(cells)}   {found['brier']:.3f}")
    for name, found in row["full_model_within"].items():
        print(f"full model where there is {name}: AUC {found['auc']:.3f} ({found['kept']} of {found['pairs']} kept)")
    print(f"calibration: slope {row['calibration']['slope']:.2f}, intercept {row['calibration']['intercept']:.2f}")
    for found in row["calibration"]["reliability"]:
        print(f"  from {found['from']:.1f}: {found['pairs']:4} pairs, predicted {found['predicted']:.2f}, "
              f"observed {found['observed']:.2f}")
    for feature in row["features"]:
        print(f"  {feature['name']:20} {feature['coefficient']:+.2f} per {feature['scale']:.2f}")


if __name__ == "__main__":
    main()
