"""Every attack against each victim on the same texts: one table.

    OMP_NUM_THREADS=1 python benchmarks/attacks.py --victim runs/train/pr/bilstm/seed=0 --victim runs/train/pr/tiny/seed=0 \
        --texts pr/attack.tsv --domain pr --out attack_table

Rows are kept under ``--out`` as they come, so that a run that was stopped goes on. ``forwards`` are the distinct texts each
attack needed. Sentence vectors are shared by all rows, and with ``--share`` the victim's answers too: the seconds of
the rows further down (openfact and auto, whose members stand above) are then less than they would be alone.
Texts are a file of BODEGA's layout; without one, the sample domain's attack split.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from hardtext import load_victim, records, scoring
from hardtext.attacks import ATTACKS, Attack
from hardtext.attacks.masked_lm import load_masked_lm
from hardtext.attacks.rows import attack_to_file
from hardtext.attacks.victim_service import Cache
from hardtext.core import Domain, Example
from hardtext.domains import bodega_tsv
from hardtext.domains.sample import generate
from hardtext.scoring.minilm import Encoder

ROWS: dict[str, tuple[str, dict]] = {
    "bert_attack": ("bert_attack", {}),
    "bert_attack bodega": ("bert_attack", {"variant": "bodega"}),
    "bert_attack textattack": ("bert_attack", {"variant": "textattack"}),
    "deepwordbug": ("deepwordbug", {}),
    "deepwordbug bodega": ("deepwordbug", {"variant": "bodega"}),
    "homoglyph_search": ("homoglyph_search", {}),
    "homoglyph_search no_memory": ("homoglyph_search", {"variant": "no_memory"}),
    "homoglyph_rank": ("homoglyph_rank", {}),
    "homoglyph_rank substitute": ("homoglyph_rank", {"edit": "substitute"}),
    "turquaz": ("turquaz", {}),
    "turquaz hadssh": ("turquaz", {"variant": "hadssh"}),
    "pwws": ("pwws", {}),
    "textfooler": ("textfooler", {}),
    "bae": ("bae", {}),
    "genetic": ("genetic", {}),
    "glota": ("glota", {}),
    "beam_attack": ("beam_attack", {}),
    "clare": ("clare", {}),
    "openfact": ("openfact", {}),
    "auto standard": ("auto", {}),
    "auto full": ("auto", {"version": "full"}),
}
SEED = 0


class Remembering:
    """A sentence encoder that keeps its vectors, in single precision."""

    def __init__(self) -> None:
        self._encoder, self._known = Encoder(), {}

    def vectors(self, sentences: Sequence[str]) -> np.ndarray:
        fresh = [s for s in dict.fromkeys(sentences) if s not in self._known]
        self._known.update(zip(fresh, self._encoder.vectors(fresh).astype(np.float32), strict=True))
        return np.array([self._known[s] for s in sentences], dtype=float).reshape(len(sentences), -1)


def one(folder: Path, attack: Attack, victim, texts: Sequence[Example], options: dict) -> dict:
    """Attack the texts, or take what is there."""
    if not (folder / "row.json").exists():
        started = time.perf_counter()
        attempts = attack_to_file(folder / "attempts.jsonl", attack, victim, texts, seed=SEED, title=folder.name, **options)
        seconds = time.perf_counter() - started
        scores = scoring.score(attempts, semantic="minilm")
        row = {name: getattr(scores, name) for name in ("instances", "confusion", "semantic", "character", "bodega",
                                                        "queries", "errors")}
        row["bounds"] = scores.interval["bodega"]
        row["forwards"] = sum(a.forwards for a in attempts) / len(attempts)
        row["seconds"] = seconds
        records.write_json(folder / "row.json", row)
    return json.loads((folder / "row.json").read_text("utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--victim", action="append", required=True)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--domain", default="sample")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    domain = Domain(arguments.domain, ("0", "1"))
    if arguments.texts:
        rows = bodega_tsv.read_rows(arguments.texts, domain)
        texts = [Example(str(i), row.segments, row.label) for i, row in enumerate(rows)]
    else:
        texts = list(generate()["attack"])
    texts = texts[: arguments.limit]
    masked_lm, encoder = load_masked_lm("bundled"), Remembering()
    for source in arguments.victim:
        victim = load_victim(source)
        shared = Cache() if arguments.share else True
        table = Table(title=f"{victim.name} on {domain.name}, {len(texts)} texts "
                            f"(bundled masked LM and vectors; semantic: MiniLM)")
        for name in ("attack", "confusion", "semantic", "character", "BODEGA", "95 %", "queries", "forwards", "seconds"):
            table.add_column(name, justify="left" if name == "attack" else "right")
        for label in arguments.rows:
            name, settings = ROWS[label]
            row = one(arguments.out / victim.name / label.replace(" ", "-"), ATTACKS[name](**settings), victim, texts,
                      {"domain": domain.name, "masked_lm": masked_lm, "encoder": encoder, "cache": shared})
            low, high = row["bounds"]
            shown = [f"{row[n]:.3f}" if row[n] is not None else "–" for n in ("confusion", "semantic", "character", "bodega")]
            table.add_row(label, *shown, f"{low:.3f}–{high:.3f}", f"{row['queries']:.1f}", f"{row['forwards']:.1f}",
                          f"{row['seconds']:.0f}")
            print(label, *shown, f"{row['queries']:.1f}", f"{row['forwards']:.1f}", f"{row['seconds']:.0f} s",
                  f"{row['errors']} errors" if row["errors"] else "", flush=True)
        Console(width=126).print(table)


if __name__ == "__main__":
    main()
