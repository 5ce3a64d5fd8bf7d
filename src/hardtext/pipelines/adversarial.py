"""The adversarial rounds of ``train.py``: the victim attacked on its training set, and what each round trains on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import records, runs, tracking
from hardtext.attacks import ATTACKS, Attack, choose
from hardtext.core import STATUSES, Attempt, Corpus, Example, InputError, Victim
from hardtext.executors import runner
from hardtext.hardening.adversarial import union
from hardtext.hardening.rounds import dealt, easiest
from hardtext.pipelines.common import masked_lm_of, summary_of
from hardtext.victims import TrainingPlan

if TYPE_CHECKING:
    from hardtext.config import TrainConfig
    from hardtext.hardening.settings import Augment

log = logging.getLogger(__name__)

BEFORE = "clean/victim"  # the victim that the first round attacks

Jobs = dict[str, tuple[Attack, list[Example]]]
"""Name of an attack → it, and the training examples it attacks."""


@dataclass
class Rounds:
    """The rounds of one run of ``train.py``: the published recipe's one, those of ``hardening=[augment]``, or none.

    ``path``: the run's folder. ``loader(name, without)``: a function that loads the victim saved there under this name,
    without some of its defences.
    """

    config: TrainConfig
    corpus: Corpus
    path: Path
    diary: tracking.Run
    loader: Callable[..., Callable[..., Victim]]

    @property
    def augment(self) -> Augment | None:
        return self.config.hardening.augment

    @cached_property
    def plans(self) -> list[TrainingPlan]:
        """How each round trains; none where the victim is not trained on attacks."""
        model, augment = self.config.model, self.augment
        if augment is None:
            return [] if model.adversary is None else [model.adversarial]
        plan = replace(model.plan, epochs=augment.epochs, lr=augment.lr or model.plan.lr, schedule=augment.schedule,
                       keep=augment.keep)
        return [plan] * augment.rounds

    def victim(self, number: int) -> str:
        """The name of the victim that round ``number`` (from 1) attacks."""
        return BEFORE if number == 1 else f"rounds/{number}/victim"

    def examples(self, number: int) -> list[Example]:
        """What round ``number`` trains on: the training set with what fooled the victim in ``adversarial.jsonl`` (of the
        recipe) or ``rounds/``; a killed run goes on with the rows it has."""
        jobs = self._jobs(number)
        files = {name: self.path / ("adversarial.jsonl" if self.augment is None else f"rounds/{number}/{name}.jsonl")
                 for name in jobs}
        done = self.path / ("adversarial.json" if self.augment is None else f"rounds/{number}/attacks.json")
        if runs.is_follower():
            while not done.is_file():
                time.sleep(1)
        else:
            self._run(number, jobs, files, done)
        attempts = [Attempt.from_row(row) for file in files.values() for row in records.read_rows(file)]
        if self.augment is None:
            return union(self.corpus.train, attempts)
        if self.augment.keep_earlier:
            attempts = self._earlier(number) + attempts
        if not runs.is_follower():
            self._keep(number)
        if self.augment.curriculum:
            attempts = easiest(attempts, number, self.augment.rounds)
        return union(self.corpus.train, attempts)

    def _jobs(self, number: int) -> Jobs:
        train, seed = self.corpus.train, self.config.seed
        if self.augment is None:
            adversary = self.config.model.adversary
            return {adversary.name: (adversary, choose(train, adversary.subset, seed))}
        return {name: (augmenting(name), chosen)
                for name, chosen in dealt(train, self.augment.attacks, self.augment.share, seed, number).items()}

    def _run(self, number: int, jobs: Jobs, files: dict[str, Path], done: Path) -> None:
        """Attack the victim as it is before round ``number``: as its defender sees it, scores not yet made coarse and texts
        not yet masked."""
        from hardtext.attacks.rows import attack_to_file

        load = self.loader(self.victim(number), without=("output", "smooth"))
        victim = load()
        summaries = {}
        for name, (attack, chosen) in jobs.items():
            log.info("attack phase: %s on %d of %d training examples", name, len(chosen), len(self.corpus.train))
            started = time.perf_counter()
            files[name].parent.mkdir(parents=True, exist_ok=True)
            lm = masked_lm_of(attack)
            limits = {} if self.augment is None or self.augment.max_queries is None else {
                "max_queries": self.augment.max_queries}
            attempts = attack_to_file(files[name], attack, victim, chosen, domain=self.corpus.domain.name,
                                      seed=self.config.seed, title="attack training set", masked_lm=lm,
                                      run=runner(self.config.executor, load), **limits)
            summaries[name] = summary_of(attempts, attack, lm, self.corpus.domain,
                                         time.perf_counter() - started, victim)
            self.diary.attempts(f"adversarial examples {number} {name}", attempts)
        summary = summaries[next(iter(summaries))] if self.augment is None else together(summaries)
        if not done.is_file():
            records.write_json(done, summary)
        self.diary.log({key: value for key, value in summary.items() if isinstance(value, (int, float))},
                       phase="adversarial examples" if number == 1 else f"adversarial examples {number}")

    def _earlier(self, number: int) -> list[Attempt]:
        return [Attempt.from_row(row) for n in range(1, number) for row in self._rows(n)]

    def _rows(self, number: int) -> list[dict[str, Any]]:
        return [row for file in sorted((self.path / "rounds" / str(number)).glob("*.jsonl")) if file.stem in ATTACKS
                for row in records.read_rows(file)]

    def _keep(self, number: int) -> None:
        """``adversarial.jsonl`` and ``adversarial.json`` of all rounds so far."""
        numbers = range(1, number + 1)
        records.write_rows(self.path / "adversarial.jsonl", [row for n in numbers for row in self._rows(n)])
        parts = {f"round {n}": records.read_json(self.path / "rounds" / str(n) / "attacks.json") for n in numbers}
        records.write_json(self.path / "adversarial.json", together(parts))


def check_adversaries(config: TrainConfig) -> None:
    """Refuse attacks on the training set that cannot be made, before any training."""
    if (augment := config.hardening.augment) is None:
        return
    if config.model.adversary is not None:
        name = config.model.name.partition("+")[0]
        raise InputError(f"model={name} has an adversary of its own; take the plain model with hardening=[augment], or "
                         f"leave augment out")
    for name in augment.attacks:
        augmenting(name)


def augmenting(name: str) -> Attack:
    """An attack of the augmentation, with its own settings."""
    if name not in ATTACKS:
        raise InputError(f"hardening.augment.attacks: {name}: expected attacks among {', '.join(ATTACKS)}")
    return ATTACKS[name](name=name)


def together(summaries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One summary of several: counts added up, the parts kept."""
    counted = ("attempts", *STATUSES, "queries", "forwards")
    return {**{key: sum(summary[key] for summary in summaries.values()) for key in counted},
            "wall_seconds": round(sum(summary["wall_seconds"] for summary in summaries.values()), 1),
            "stand_ins": sorted({said for summary in summaries.values() for said in summary["stand_ins"]}),
            "parts": summaries}


def attacks_of(summary: dict[str, Any]) -> list[str]:
    """The names of the attacks behind ``adversarial.json``: of one attack, or of rounds of several.

    >>> attacks_of({"parts": {"round 1": {"parts": {"pwws": {"attack": "pwws"}, "bae": {"attack": "bae"}}}}})
    ['bae', 'pwws']
    """
    parts = summary.get("parts")
    return sorted({name for part in parts.values() for name in attacks_of(part)}) if parts else [summary["attack"]]
