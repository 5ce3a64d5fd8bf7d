"""``train.py``: a corpus and a model → a victim folder; with an adversary, before and after compared."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs, scoring, tracking, weights
from hardtext.attacks import Attack
from hardtext.core import Attempt, Corpus, Example, InputError, Victim
from hardtext.executors import runner
from hardtext.hardening.adversarial import is_adversarial, origins
from hardtext.hardening.learning import learnt, stand_ins
from hardtext.pipelines.adversarial import BEFORE, Rounds, attacks_of, augmenting, check_adversaries
from hardtext.pipelines.common import ALIKE, folder_of, load_corpus, masked_lm_of
from hardtext.reporting import train_table
from hardtext.scoring.published import probes as published_probes
from hardtext.seeding import generator
from hardtext.victims import TrainingPlan, load_victim

if TYPE_CHECKING:
    from hardtext.config import TrainConfig
    from hardtext.hardening.settings import Augment
    from hardtext.victims.losses import Loss

log = logging.getLogger(__name__)

ROBUST_METRICS = ("clean_accuracy", "robust_accuracy", "confusion", "bodega", "queries")
SECONDS = "seconds.json"
SMOOTH_COPIES = 2  # randomised copies of each training text
LEARNED = 0.02  # accuracy over that of the most frequent class from which a victim counts as one


def run(config: TrainConfig) -> dict[str, Any]:
    """Train (or, for a ready model, only evaluate) and return what ``metrics.json`` holds."""
    from hardtext.config import to_dict

    check_adversaries(config)
    corpus = gather(config)
    default = runs.train_folder(corpus.domain.name, config.model.name, config.seed)
    folder = folder_of(default, config.out, config.label)
    settings = to_dict(config)
    follower = runs.is_follower()
    with runs.RunFolder.open(folder, settings, ignore=(*ALIKE, "semantic.device", "executor"), overwrite=config.overwrite,
                             follower=follower) as folder_run:
        if folder_run.done:
            log.info("%s: done before; overwrite=true trains again", disks.shown(folder))
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


def check_mask(config: TrainConfig, mask: str | None) -> None:
    """Refuse to mask words by what the model's tokenizer does not read as its mask."""
    smooth = config.hardening.smooth
    if smooth and smooth.kind == "mask" and mask != smooth.mask:
        raise InputError(f"hardening.smooth.mask={smooth.mask}: " + (
            f"the tokenizer of model={config.model.name} writes a masked word as {mask}; set hardening.smooth.mask='{mask}'"
            if mask else f"the tokenizer of model={config.model.name} has no mask; set hardening.smooth.kind=synonyms"))


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

    @property
    def path(self) -> Path:
        return self.folder.path

    @cached_property
    def adversary(self) -> Attack | None:
        """What the victim is measured against, before and after: that of the recipe, or the attack that weighs most."""
        if (augment := self.config.hardening.augment) is None:
            return self.config.model.adversary
        return augmenting(max(augment.attacks, key=lambda name: augment.attacks[name]))

    @cached_property
    def learnt(self) -> dict[str, list[str]]:
        """What the defences take from the training texts, by name."""
        return learnt(self.config.hardening, (example.segments for example in self.corpus.train))

    def train(self) -> dict[str, Any]:
        model, corpus = self.config.model, self.corpus
        if not corpus.train:
            raise InputError(f"domain {corpus.domain.name} has no training examples")
        started = time.perf_counter()
        module = model.module(corpus.domain, self.config.seed)
        check_mask(self.config, module.tokens.tokenizer.mask_token)
        module = self._fit(module, corpus.train, model.plan, "clean", self._loss())
        rounds = self._rounds()
        for number, plan in enumerate(rounds.plans, start=1):
            self._save(module, rounds.victim(number))
            with self._phase(numbered("attack", number)):
                examples = rounds.examples(number)
            module = self._fit(module, examples, plan, numbered("adversarial", number), self._loss(rounds.augment))
        self._save(module, "victim")
        if runs.is_follower():
            return {}
        report = self._report(self.measure(self._load("victim"), "adversarial" if rounds.plans else "clean"))
        if rounds.plans:
            report["before"] = self.measure(self._load(BEFORE), "clean")
            report["adversarial"] = records.read_json(self.path / "adversarial.json") | {
                "used": sum(is_adversarial(example) for example in examples)}
            report["robustness"] = self._robustness()
        if self.config.hardening.names():
            report["hardening"] = list(self.config.hardening.names())
            report["stand_ins"] = stand_ins(self.config.hardening)
        report["training_seconds"] = round(sum(self._seconds.values()), 1)
        report["seconds"] = round(time.perf_counter() - started, 1)
        return report

    @cached_property
    def _seconds(self) -> dict[str, float]:
        """Phase → what it took; measurements of the victim are none. A phase that was killed counts from its resumption."""
        file = self.path / SECONDS
        found = records.read_json(file) if file.is_file() else {}
        if not isinstance(found, dict) or not all(isinstance(value, int | float) for value in found.values()):
            raise InputError(f"{disks.shown(file)}: damaged (expected seconds by name of phase): overwrite=true starts again")
        return found

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        self.folder.phase(name)
        started = time.perf_counter()
        yield
        if name not in self._seconds and not runs.is_follower():  # a run that goes on finds finished phases at once
            self._seconds[name] = round(time.perf_counter() - started, 1)
            records.write_json(self.path / SECONDS, self._seconds)

    def _rounds(self) -> Rounds:
        return Rounds(self.config, self.corpus, self.path, self.diary, self._loader)

    def _loss(self, augment: Augment | None = None) -> Loss:
        from hardtext.victims.losses import Loss

        added = {} if augment is None else {"label_smoothing": augment.label_smoothing, "consistency": augment.consistency,
                                            "adversarial_weight": augment.weight}
        if embedding := self.config.hardening.embedding:
            from hardtext.hardening.embedding import Perturbed

            added["perturbation"] = Perturbed(embedding)
        return Loss(**added)

    def _save(self, module: Any, name: str) -> None:
        from hardtext.victims.export import save_victim

        if not runs.is_follower():
            save_victim(module, self.path / name, self.corpus.domain, self.config.model.name,
                        self.config.hardening.at_inference(), self.learnt)

    def evaluate_ready(self) -> dict[str, Any]:
        """A ready model is not trained: its metrics on dev and attack are all there is to write."""
        log.info("model=%s is ready as it is: evaluating only", self.config.model.name)
        victim = self.config.model.victim(self.corpus.domain, "auto")
        return self._report(self.measure(victim, "clean"))

    def _prepared(self, examples: Sequence[Example], copies: int) -> list[Example]:
        """The texts as the net will read them when it is asked: rewritten, and (with smoothing) in randomised copies."""
        hardening = self.config.hardening
        for name, lines in self.learnt.items():
            rewrite = getattr(hardening, name).rewriter(lines)
            examples = [replace(e, segments=tuple(map(rewrite, e.segments))) for e in examples]
        if hardening.smooth:
            smooth, seed = hardening.smooth, self.config.seed
            examples = [replace(e, id=e.id + f"#{n}" * (n > 0),
                                segments=smooth.copy(e.segments, generator(seed, "smooth", n, e.id)))
                        for e in examples for n in range(copies)]
        return list(examples)

    def _fit(self, module: Any, examples: Sequence[Example], plan: TrainingPlan, phase: str, loss: Loss) -> Any:
        from hardtext.victims.training import fit

        if plan.keep == "best" and not self.corpus.dev:
            log.warning("there are no dev texts to choose the best epoch by: the last one is kept")
            plan = replace(plan, keep="last")
        log.info("%s phase: %d examples, %d epoch(s), learning rate %g", phase, len(examples), plan.epochs, plan.lr)
        with self._phase(phase):
            examples = self._prepared(examples, SMOOTH_COPIES)
            return fit(module, examples, self._prepared(self.corpus.dev, 1), folder=self.path / "checkpoints" / phase,
                       plan=plan, seed=self.config.seed, loss=loss, origins=origins(examples),
                       trainer=self.config.trainer, loggers=self.diary.lightning_loggers(phase),
                       callbacks=self._watchers(phase))

    def _watchers(self, phase: str) -> list[Any]:
        """What may end a job of a sweep early. Only the clean phase, whose epochs compare from job to job."""
        if self.config.trial is None or phase != "clean":
            return []
        from hardtext.sweeping.pruning import Pruning

        return [Pruning(self.config.trial)]

    def _loader(self, name: str, without: Sequence[str] = ()) -> Callable[..., Victim]:
        return partial(load_victim, str(self.path / name), name=self.config.model.name, classes=self.corpus.domain.classes,
                       without=tuple(without))

    def _load(self, name: str) -> Victim:
        return self._loader(name)()

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
        adversary, wanted = self.adversary, self.config.robustness
        examples = self.corpus.split(wanted.split)[: wanted.limit]
        result: dict[str, Any] = {"attack": adversary.name, "split": wanted.split, "examples": len(examples)}
        for name, victim in (("before", BEFORE), ("after", "victim")):
            attempts = attack_to_file(self.path / "robustness" / f"{name}.jsonl", adversary, self._load(victim), examples,
                                      domain=self.corpus.domain.name, seed=self.config.seed,
                                      max_queries=wanted.max_queries, title=f"attack, {name}",
                                      masked_lm=masked_lm_of(adversary),
                                      run=runner(self.config.executor, self._loader(victim)))
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
    defended = [f"stand-in: {said}" for said in report.get("stand_ins", ())]
    if "robustness" in report:
        robust, made = report["robustness"], report["adversarial"]
        notes = [f"before: after the clean phase; after: trained on with {made['used']} adversarial texts "
                 f"({', '.join(attacks_of(made))} fooled the victim on {made['success']} of {made['attempts']} training "
                 f"texts)",
                 f"robust figures: {robust['attack']} against each victim anew, {robust['examples']} texts of "
                 f"the {robust.get('split', 'attack')} split, "
                 f"95 % bootstrap bounds; semantic scorer {robust['after']['semantic_scorer']}",
                 *(f"stand-in: {said}" for said in (*made["stand_ins"], *robust["after"]["stand_ins"])),
                 *defended, *([beside] if beside else [])]
        before = {"clean": report["before"]["attack"], "robust": robust["before"]}
        after = {"clean": report["attack"], "robust": robust["after"]}
        train_table.show(title, train_table.before_after_table(before, after, classes, "\n".join(notes),
                                                               published))
    else:
        train_table.show(title, train_table.clean_table(report["attack"], classes, published,
                                                         "\n".join([*defended, *([beside] if beside else [])])))
    victims = {"the victim": report["attack"]}
    if "before" in report:
        victims = {"before, the victim": report["before"]["attack"], "after, the victim": report["attack"]}
    for said, metrics in victims.items():
        answer, share = train_table.majority(metrics, classes)
        if metrics["texts"] and metrics["accuracy"] <= share + LEARNED:
            log.warning("%s is hardly better than always answering %s (accuracy %.3f against %.3f): figures of attacks on "
                        "it mean little", said, answer, metrics["accuracy"], share)
    if "adversarial" in report and not report["adversarial"]["used"]:
        log.warning("no training text fooled the victim, so the adversarial phase was more training on clean texts")
    log.info("victim and figures: %s", disks.shown(folder))


def numbered(phase: str, number: int) -> str:
    """The name of a phase of one of the rounds.

    >>> numbered("attack", 1), numbered("attack", 2)
    ('attack', 'attack-2')
    """
    return phase if number == 1 else f"{phase}-{number}"
