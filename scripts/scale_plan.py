"""The paper plan of docs/scale.md: hours and GPU-hours of BERT-ATTACK on published corpora, from costs for one text.

    python scripts/scale_plan.py [--teraflops 10] [--price 2.0]

No GPU was measured. A forward of a transformer costs 2 × parameters × tokens operations; ``--teraflops`` is what a GPU is
assumed to sustain, start to end of a round. All else is measured on one CPU core or published, and said so below.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from hardtext.scoring.published import published_rows

BODY = 85e6  # parameters of BERT-base and RoBERTa-base that every token meets (embeddings are looked up)
TOKENISE = 0.127e-3 / 59  # seconds a token, one core: fast tokenizer, FC's attack texts (measured)
OWN = 0.033e-3 / 59  # likewise: the engine's building, hashing and handing round of a text (measured)
RECURRENT = 0.27e-3 / 59  # likewise: the BiLSTM's forward on a core; on a GPU it is assumed to be no faster
START = 60.0  # seconds until a worker has imported torch and loaded its models (2 to 10 measured here, larger models)
EFFICIENCY = 0.85  # what the ends of chunks leave of a worker's time (assumed)
GPUS = (1, 8, 64)
VICTIMS = ("bilstm", "bert", "roberta_adv")


@dataclass(frozen=True)
class Texts:
    """``tokens``: of a text as the victim reads it; ``whole``: as the tokenizer and the engine do."""

    attack: int
    tokens: int
    whole: int


CORPORA = {
    "pr": Texts(416, 29, 29),  # measured
    "fc": Texts(405, 59, 59),  # measured
    "c19": Texts(595, 90, 90),  # assumed
    "rd": Texts(415, 400, 400),  # assumed
    "hn": Texts(400, 512, 1000),  # cut at the victim's window; the whole article assumed
}
FC_TRAIN = 172_763


def seconds(domain: str, victim: str, teraflops: float) -> float:
    """One text on one worker: forwards (published queries; here they differ by 3 %) × the cost of one."""
    (cell,) = published_rows(domain, victim, "bert_attack")
    texts = CORPORA[domain]
    computing = RECURRENT * texts.tokens if victim == "bilstm" else 2 * BODY * texts.tokens / (teraflops * 1e12)
    return cell.queries * (computing + (TOKENISE + OWN) * texts.whole)


def wall(work: float, gpus: int) -> float:
    """Seconds for ``work`` seconds of one worker on ``gpus``; one worker a GPU."""
    return START + work / gpus / EFFICIENCY


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teraflops", type=float, default=10.0, help="sustained by one GPU")
    parser.add_argument("--price", type=float, default=2.0, help="of a GPU-hour")
    options = parser.parse_args()
    jobs = {"BERT-ATTACK over FC's training set (BERT-sized victim)": FC_TRAIN * seconds("fc", "bert", options.teraflops)}
    for domain, texts in CORPORA.items():
        jobs[f"attack set of {domain}, three victims"] = texts.attack * sum(
            seconds(domain, victim, options.teraflops) for victim in VICTIMS)
    jobs["all 15 scenarios"] = sum(list(jobs.values())[1:])
    table = Table("what", "work, GPU-hours", *(f"wall, {n} GPU{'s' * (n > 1)}" for n in GPUS), "cost",
                  title=f"at {options.teraflops:g} TFLOP/s a GPU, {options.price:g} a GPU-hour")
    for name, work in jobs.items():
        table.add_row(name, f"{work / 3600:.2f}", *(f"{wall(work, n) / 60:.0f} min" for n in GPUS),
                      f"{work / 3600 / EFFICIENCY * options.price:.2f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
