"""How much faster executor=process is with more workers. Run it on an idle machine: it times the whole machine.

    python benchmarks/executors.py --victim runs/train/pr/minilm/seed=0 --texts data/pr/attack.tsv [--workers 1 2]

Each worker gets one CPU thread (``--threads``), as for one core each, or one GPU where there are some. A worker's start
(importing torch, loading models) is paid once a run, however many texts follow, so it is timed apart: no text is handed out
before all workers are ready. "no executor" is the engine in this process, its models loaded, with the same number of threads.
The ratio is that of texts a second to the run with one worker. The machine's load before each run is printed, and one that
stays above ``--busy`` ends the benchmark, as its figures would say nothing.

Texts are a file of BODEGA's layout (label, source, text); without it, sentences of the sample domain.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardtext.executors.handing import Pool
    from hardtext.executors.worker import Said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--victim", required=True)
    parser.add_argument("--texts", default="")
    parser.add_argument("--attack", default="bert_attack")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    parser.add_argument("--limit", type=int, default=100, help="texts")
    parser.add_argument("--busy", type=float, default=1.5, help="load average above which nothing is timed; 0: never mind")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # before torch is imported, here and in the workers

    from rich.console import Console
    from rich.table import Table

    from hardtext import load_victim
    from hardtext.attacks import ATTACKS, engine
    from hardtext.core import Domain, Example
    from hardtext.domains import bodega_tsv
    from hardtext.domains.sample import generate
    from hardtext.executors import ProcessSettings
    from hardtext.executors.handing import hand_out
    from hardtext.executors.worker import Job
    from hardtext.pipelines.common import masked_lm_of

    attack = ATTACKS[options.attack](name=options.attack)
    load = partial(load_victim, options.victim)
    victim, masked_lm = load(device="auto"), masked_lm_of(attack)
    if options.texts:
        rows = bodega_tsv.read_rows(Path(options.texts), Domain("benchmark", victim.classes))[: options.limit]
        examples = [Example(str(i), row.segments, row.label) for i, row in enumerate(rows)]
    else:
        examples = [Example(e.id, (" ".join(e.segments),), e.label) for e in generate()["attack"][: options.limit]]

    job = Job(load=load, attack=attack, victim=victim.name, classes=tuple(victim.classes), fingerprint=victim.fingerprint,
              domain="benchmark", seed=0, options={})

    table = Table("workers", "load before", "start, s", "texts/s", "ratio", title=f"{options.attack}, {len(examples)} texts")
    busy, started = idle_enough(options.busy), perf_counter()
    alone = list(engine.run(attack, victim, examples, domain="benchmark", seed=0, masked_lm=masked_lm))
    table.add_row("no executor", f"{busy:.2f}", "", f"{len(examples) / (perf_counter() - started):.2f}", "")
    rates = []
    for workers in options.workers:
        settings, busy, started = ProcessSettings(workers=workers), idle_enough(options.busy), perf_counter()
        pool = StartingTogether(settings.pool(job, "auto", len(examples)))
        found = list(hand_out(pool, job, examples, settings.chunk))
        rates.append(len(examples) / (perf_counter() - pool.ready))
        table.add_row(str(workers), f"{busy:.2f}", f"{pool.ready - started:.1f}", f"{rates[-1]:.2f}",
                      f"{rates[-1] / rates[0]:.2f}")
        if {a.id: a.adversarial for a in found} != {a.id: a.adversarial for a in alone}:
            sys.exit(f"{workers} workers found other texts than the engine alone")
    Console().print(table)


class StartingTogether:
    """A pool whose workers say that they are idle once all of them are. ``ready``: when that was."""

    def __init__(self, pool: Pool) -> None:
        self.size, self._pool, self.ready = pool.size, pool, 0.0
        self.start, self.give, self.close = pool.start, pool.give, pool.close

    def listen(self) -> list[tuple[int, Said]]:
        heard = self._pool.listen()
        while not self.ready:
            if len(heard) >= self.size:
                self.ready = perf_counter()
            else:
                heard += self._pool.listen()
        return heard


def idle_enough(most: float) -> float:
    """The load average, once the last run has faded from it."""
    for _ in range(18):
        if not most or os.getloadavg()[0] <= most:
            return os.getloadavg()[0]
        sleep(10)
    sys.exit(f"the machine is busy (load {os.getloadavg()[0]:.2f}, above {most}): its figures would say nothing")


if __name__ == "__main__":
    main()
