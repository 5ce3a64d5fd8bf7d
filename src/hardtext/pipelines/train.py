"""``train.py``: a corpus and a model → a victim folder; with an adversary, before and after compared."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import records, runs, scoring, tracking, weights
from hardtext.attacks import choose
from hardtext.core import Attempt, Corpus, Example, InputError, Victim
from hardtext.hardening.adversarial import is_adversarial, union
from hardtext.pipelines.common import ALIKE, folder_of, load_corpus, masked_lm_of, summary_of
from hardtext.reporting import train_table
from hardtext.scoring.published import probes as published_probes
from hardtext.victims import TrainingPlan, load_victim

if TYPE_CHECKING:
    from hardtext.attacks.masked_lm import MaskedLM
    from hardtext.config import TrainConfig

log = logging.getLogger(__name__)

ROBUST_METRICS = ("clean_accuracy", "robust_accuracy", "confusion", "bodega", "queries")
LEARNED = 0.02  # accuracy over that of the most frequent class from which a victim counts as one


def run(config: TrainConfig) -> dict[str, Any]:
    """Train (or, for a ready model, only evaluate) and return what ``metrics.json`` holds."""
    from hardtext.config import to_dict

    corpus = gather(config)
    default = runs.train_folder(corpus.domain.name, config.model.name, config.seed)
    folder = folder_of(default, config.out, config.label)
    settings = to_dict(config)
    follower = runs.is_follower()
    with runs.RunFolder.open(folder, settings, ignore=(*ALIKE, "semantic.device"), overwrite=config.overwrite,
                             follower=follower) as folder_run:
        if folder_run.done:
            log.info("%s: done before; overwrite=true trains again", runs.shown(folder))
            report = records.read_json(folder / "metrics.json")
        else:
            name = f"train {corpus.domain.name} {config.model.name} seed={config.seed}"
            with tracking.open_run(folder, config.logger, settings, name=name, group=config.group,
                                   follower=follower) as diary:
                work = Work(config, corpus, folder_run, diary)
                report = work.train() if config.model.trainable else work.evaluate_ready()
            if not follower:
                records.write_json(folder / "metrics.json", report)
    if not follower:
        show(report, folder)
    return report


def gather(config: TrainConfig) -> Corpus:
    """The corpus, once it is known that the weights can be had too; what is missing is said all at once."""
    missing = []
    for option, source in config.model.sources().items():
        try:
            weights.resolve(source, option=option)
        except InputError as error:
            missing.append(str(error))
    try:
        corpus = load_corpus(config.domain, config.seed)
    except InputError as error:
        missing.insert(0, str(error))
    if missing:
        raise InputError("; and ".join(missing))
    return corpus


@dataclass
class Work:
    """One run of ``train.py`` at work: its settings, data, folder and diary."""

    config: TrainConfig
    corpus: Corpus
    folder: runs.RunFolder
    diary: tracking.Run

    @cached_property
    def masked_lm(self) -> MaskedLM | None:
        return masked_lm_of(self.config.model.adversary)

    @property
    def path(self) -> Path:
        return self.folder.path

    def train(self) -> dict[str, Any]:
        model, corpus = self.config.model, self.corpus
        if not corpus.train:
            raise InputError(f"domain {corpus.domain.name} has no training examples")
        from hardtext.victims.export import save_victim

        started = time.perf_counter()
        module = model.module(corpus.domain, self.config.seed)
        module = self._fit(module, corpus.train, model.plan, "clean")
        if model.adversary is None:
            if runs.is_follower():
                return {}
            save_victim(module, self.path / "victim", corpus.domain, model.name)
            report = self._report(self.measure(self._load("victim"), "clean"))
        else:
            before = self.path / "clean" / "victim"
            if not runs.is_follower():
                save_victim(module, before, corpus.domain, model.name)
            attempts = self._attack_training_set()
            examples = union(corpus.train, attempts)
            module = self._fit(module, examples, model.adversarial, "adversarial")
            if runs.is_follower():
                return {}
            save_victim(module, self.path / "victim", corpus.domain, model.name)
            report = self._report(self.measure(self._load("victim"), "adversarial"))
            report["before"] = self.measure(self._load("clean/victim"), "clean")
            report["adversarial"] = records.read_json(self.path / "adversarial.json") | {
                "used": sum(is_adversarial(example) for example in examples)}
            report["robustness"] = self._robustness()
        report["seconds"] = round(time.perf_counter() - started, 1)
        return report

    def evaluate_ready(self) -> dict[str, Any]:
        """A ready model is not trained: its metrics on dev and attack are all there is to write."""
        log.info("model=%s is ready as it is: evaluating only", self.config.model.name)
        victim = self.config.model.victim(self.corpus.domain, "auto")
        return self._report(self.measure(victim, "clean"))

    def _fit(self, module: Any, examples: Sequence[Example], plan: TrainingPlan, phase: str) -> Any:
        from hardtext.victims.training import fit

        if plan.keep == "best" and not self.corpus.dev:
            log.warning("there are no dev texts to choose the best epoch by: the last one is kept")
            plan = replace(plan, keep="last")
        self.folder.phase(phase)
        log.info("%s phase: %d examples, %d epoch(s), learning rate %g", phase, len(examples), plan.epochs, plan.lr)
        return fit(module, examples, self.corpus.dev, folder=self.path / "checkpoints" / phase, plan=plan,
                   seed=self.config.seed, trainer=self.config.trainer, loggers=self.diary.lightning_loggers(phase))

    def _load(self, name: str) -> Victim:
        return load_victim(self.path / name, name=self.config.model.name, classes=self.corpus.domain.classes)

    def _attack_training_set(self) -> list[Attempt]:
        """The attempts on the training set in ``adversarial.jsonl``; a killed run goes on with the rows it has."""
        from hardtext.attacks.rows import attack_to_file

        rows, done = self.path / "adversarial.jsonl", self.path / "adversarial.json"
        if runs.is_follower():
            while not done.is_file():
                time.sleep(1)
            return [Attempt.from_row(row) for row in records.read_rows(rows)]
        self.folder.phase("attack")
        adversary = self.config.model.adversary
        chosen = choose(self.corpus.train, adversary.subset, self.config.seed)
        log.info("attack phase: %s on %d of %d training examples", adversary.name, len(chosen), len(self.corpus.train))
        started = time.perf_counter()
        attempts = attack_to_file(rows, adversary, self._load("clean/victim"), chosen, domain=self.corpus.domain.name,
                                  seed=self.config.seed, title="attack training set", masked_lm=self.masked_lm)
        summary = summary_of(attempts, adversary, self.masked_lm, self.corpus.domain, time.perf_counter() - started)
        if not done.is_file():
            records.write_json(done, summary)
        self.diary.log({key: value for key, value in summary.items() if isinstance(value, (int, float))},
                       phase="adversarial examples")
        self.diary.attempts("adversarial examples", attempts)
        return attempts

    def measure(self, victim: Victim, phase: str) -> dict[str, Any]:
        """Clean metrics of a victim on dev and attack, also in the diary."""
        from hardtext.victims.metrics import metrics

        measured = {}
        for split in ("dev", "attack"):
            examples = self.corpus.split(split)
            probabilities = victim.probabilities([example.segments for example in examples])
            measured[split] = metrics(probabilities, [example.label for example in examples], self.corpus.domain)
            values = {key: value for key, value in measured[split].items() if isinstance(value, (int, float))}
            self.diary.log({f"{split}/{key}": value for key, value in values.items()}, phase=f"{phase} victim")
            self.diary.confusion(f"{phase} confusion {split}", measured[split]["confusion"], self.corpus.domain.classes)
        return measured

    def _robustness(self) -> dict[str, Any]:
        """The adversary against the attack split, before and after: the adaptive view, each victim attacked anew."""
        from hardtext.attacks.rows import attack_to_file

        self.folder.phase("robustness")
        adversary, wanted = self.config.model.adversary, self.config.robustness
        examples = self.corpus.attack[: wanted.limit]
        result: dict[str, Any] = {"attack": adversary.name, "examples": len(examples)}
        for name, victim in (("before", "clean/victim"), ("after", "victim")):
            attempts = attack_to_file(self.path / "robustness" / f"{name}.jsonl", adversary, self._load(victim), examples,
                                      domain=self.corpus.domain.name, seed=self.config.seed,
                                      max_queries=wanted.max_queries, title=f"attack, {name}",
                                      masked_lm=self.masked_lm)
            scores = scoring.score(attempts, semantic=self.config.semantic, seed=self.config.seed)
            result[name] = scores.to_row() | accuracies(attempts)
            self.diary.log({key: result[name][key] for key in ROBUST_METRICS},
                           phase=f"robustness {name}")
            self.diary.attempts(f"attempts {name}", attempts)
        return result

    def _report(self, measured: dict[str, Any]) -> dict[str, Any]:
        domain, corpus = self.corpus.domain, self.corpus
        report = {"domain": domain.name, "classes": list(domain.classes), "domain_stand_in": domain.stand_in,
                  "model": self.config.model.name, "seed": self.config.seed,
                  "examples": {"train": len(corpus.train), "dev": len(corpus.dev), "attack": len(corpus.attack)},
                  **measured}
        self.diary.summary({f"{split}/{key}": value for split in measured for key, value in measured[split].items()
                            if isinstance(value, (int, float))})
        return report


def accuracies(attempts: Sequence[Attempt]) -> dict[str, float | None]:
    """The share of texts that the victim gets right, and of those that the attack could not move besides.

    Errors, and texts with nothing to attack, are left out.
    """
    judged = [a for a in attempts if a.status not in ("error", "skipped")]
    right = [a for a in judged if a.original_probs.index(max(a.original_probs)) == a.label]
    held = [a for a in right if a.status != "success"]
    count = len(judged)
    return {"clean_accuracy": len(right) / count if count else None,
            "robust_accuracy": len(held) / count if count else None}


def show(report: dict[str, Any], folder: Path) -> None:
    domain = report["domain"] + (f" ({report['domain_stand_in']})" if report["domain_stand_in"] else "")
    title = f"{report['model']} on {domain}, attack split, {report['attack']['texts']} texts"
    classes = report["classes"]
    published = published_probes.published_accuracy(report["domain"])
    beside = ("" if published is None else f"published: {published_probes.VICTIM}, {published_probes.SOURCE}"
              + (f"; on the real corpus, not on {report['domain_stand_in']}" if report["domain_stand_in"] else ""))
    if "robustness" in report:
        robust, made = report["robustness"], report["adversarial"]
        notes = [f"before: after the clean phase; after: trained on with {made['used']} adversarial texts "
                 f"({robust['attack']} fooled the victim on {made['success']} of {made['attempts']} training texts)",
                 f"robust figures: {robust['attack']} against each victim anew, {robust['examples']} texts, "
                 f"95 % bootstrap bounds; semantic scorer {robust['after']['semantic_scorer']}",
                 *(f"stand-in: {words}" for words in (*made["stand_ins"], *robust["after"]["stand_ins"])),
                 *([beside] if beside else [])]
        before = {"clean": report["before"]["attack"], "robust": robust["before"]}
        after = {"clean": report["attack"], "robust": robust["after"]}
        train_table.show(title, train_table.before_after_table(before, after, classes, "\n".join(notes),
                                                               published))
    else:
        train_table.show(title, train_table.clean_table(report["attack"], classes, published, beside))
    victims = {"the victim": report["attack"]}
    if "before" in report:
        victims = {"before, the victim": report["before"]["attack"], "after, the victim": report["attack"]}
    for words, metrics in victims.items():
        answer, share = train_table.majority(metrics, classes)
        if metrics["texts"] and metrics["accuracy"] <= share + LEARNED:
            log.warning("%s is hardly better than always answering %s (accuracy %.3f against %.3f): figures of attacks on "
                        "it mean little", words, answer, metrics["accuracy"], share)
    if "adversarial" in report and not report["adversarial"]["used"]:
        log.warning("no training text fooled the victim, so the adversarial phase was more training on clean texts")
    log.info("victim and figures: %s", runs.shown(folder))
