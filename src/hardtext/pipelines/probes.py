"""``task=probes``: does the classifier understand? Changed texts whose right answer is known, and what it says of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import records, runs, tracking
from hardtext.attacks import engine, sanity
from hardtext.core import Domain, InputError, Victim
from hardtext.domains import DomainSettings
from hardtext.pipelines.common import check_classes, find_victim, folder_at, load_corpus
from hardtext.probes import PROBES, Probe, ProbeSettings, asking, probes
from hardtext.reporting import leaderboard_formats
from hardtext.reporting.probes import figures, formats, tables
from hardtext.reporting.probes.results import Question, Report, report
from hardtext.victims import load_victim

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

RULES = ("sound", "published")
CLASSES = ("expected", "all")
_NOT_NAMED = ("name", "path", "download", "adversarial_batch_size", "adversarial_subset")
"""Settings of a domain that its folder's name leaves out."""


def run(config: EvaluateConfig) -> Report:
    """Ask the probes about a split, then write and print what they found."""
    if config.domain is None or (config.model is None and config.victim is None):
        raise InputError("task=probes needs domain=<domain> and model=<model> (the victim that train.py left), or "
                         "victim=<folder or hub id>")
    engine.check_options(limit=config.limit)
    settings = checked(config.probe)
    chosen = probes(settings)
    corpus = load_corpus(config.domain, config.seed)
    domain = corpus.domain
    examples = corpus.split(config.split)[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {domain.name} has no examples there")
    victim = victim_of(config, domain)
    model = config.model.name if config.model else victim.name
    folder = folder_of("probes", config, domain, model)
    rows = folder / "probes.jsonl"
    there = sum(1 for _ in records.read_rows(rows)) if rows.is_file() else 0
    if config.limit is not None and there > len(examples) * len(chosen) and not config.overwrite:
        raise InputError(f"{runs.shown(folder)} holds {there} answers already and limit={config.limit} asks for "
                         f"{len(examples) * len(chosen)}: leave the limit out, or set overwrite=true or out=<folder>")
    found = sanity.check(victim, examples, config.seed)
    for warning in found.warnings:
        log.warning("victim %s: %s", victim.name, warning)

    kept = {"task": "probes", "domain": asdict(config.domain), "model": model, "victim": config.victim,
            "split": config.split, "limit": config.limit, "probe": asdict(settings), "seed": config.seed,
            "victim_fingerprint": victim.fingerprint}
    with (runs.RunFolder.open(folder, kept, extend=("limit",), overwrite=config.overwrite) as job,
          tracking.open_run(folder, config.logger, kept, name=f"probes {domain.name} {model}", group=config.group) as diary):
        if job.done:
            log.info("%s: done before; overwrite=true asks again", runs.shown(folder))
        answers = asking.ask(rows, chosen, examples, victim, domain=domain, settings=settings, seed=config.seed)
        made = report(answers, [question_of(probe, settings) for probe in chosen], domain, model=model, split=config.split,
                      seed=config.seed, warnings=found.warnings)
        write(made, folder, kept, formats.pairs_csv(answers, domain.classes))
        diary.summary(summary_of(made))
    show(made)
    log.info("written to %s", runs.shown(folder))
    return made


def checked(settings: ProbeSettings) -> ProbeSettings:
    """The settings with the probes in the order of ``PROBES``. Raises InputError for a choice that there is not."""
    for key, choices in (("rules", RULES), ("classes", CLASSES)):
        if (value := getattr(settings, key)) not in choices:
            raise InputError(f"probe.{key}={value}: expected one of {', '.join(choices)}")
    order = list(PROBES)
    names = sorted(settings.names, key=lambda name: order.index(name) if name in PROBES else len(order))
    return replace(settings, names=names)


def victim_of(config: EvaluateConfig, domain: Domain) -> Victim:
    if config.model is not None:
        return find_victim(config.model, domain, config.seed, source=config.victim, device=config.device)
    return check_classes(load_victim(config.victim, classes=domain.classes, device=config.device), domain)


def folder_of(task: str, config: EvaluateConfig, domain: Domain, model: str) -> Path:
    """``out``, or a folder named by the choices and by every setting that is not the default one."""
    if config.out is not None:
        return folder_at(config.out)
    names = config.probe.names
    own = ["probe=" + "+".join(checked(config.probe).names)] if set(names) != set(ProbeSettings().names) else []
    own += changed("probe", config.probe, ("names",))
    own += changed("domain", config.domain, _NOT_NAMED)
    own += [f"split={config.split}"] if config.split != "attack" else []
    own += [_said("victim", config.victim)] if config.victim and config.model else []
    swept = [part for part in config.label.split(",") if part and not part.startswith("limit=")]
    name = ",".join(dict.fromkeys([f"seed={config.seed}", *own, *swept]))
    return runs.evaluate_folder(task, domain.name, model) / runs.component(name)


def changed(group: str, settings: ProbeSettings | DomainSettings, left_out: tuple[str, ...]) -> list[str]:
    """``probe.rules=published`` for each setting that is not the default one, in the order of the fields."""
    return [_said(f"{group}.{f.name}", value) for f in fields(settings)
            if f.name not in left_out and (value := getattr(settings, f.name)) != f.default]


def _said(key: str, value: Any) -> str:
    """A setting as part of a folder's name; of a path its last part and a digest of the whole."""
    text = str(value)
    if "/" in text or "\\" in text or len(text) > 40:
        digest = sha256(str(Path(text).expanduser().absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        text = f"{Path(text).name[:30]}-{digest}"
    return f"{key}={text.lower() if isinstance(value, bool) else text}"


def question_of(probe: Probe, settings: ProbeSettings) -> Question:
    return Question(name=probe.name, rules=asking.rules_of(probe, settings), expects=probe.expects, asks=probe.asks,
                    few_flips=probe.few_flips, source=probe.source)


def write(made: Report, folder: Path, settings: Mapping[str, Any], pairs: str) -> None:
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figures.save(made, folder / "figures")
    records.write_text(folder / "probes.md", formats.markdown(made, [f"figures/{name}" for name in figures.NAMES]))
    records.write_text(folder / "probes.tex", formats.latex(made))
    records.write_text(folder / "probes.csv", formats.results_csv([made]))
    records.write_text(folder / "pairs.csv", pairs)
    records.write_json(folder / "probes.json", made.to_row() | {"settings": dict(settings)})


def summary_of(made: Report) -> dict[str, float | None]:
    values: dict[str, float | None] = {"accuracy": made.accuracy.right.share}
    for result in made.results:
        values |= {f"{result.question.name}/texts": result.texts,
                   f"{result.question.name}/label_flip": result.overall.flipped.share,
                   f"{result.question.name}/delta_prob": result.overall.shift.mean,
                   f"{result.question.name}/as_expected": result.overall.expected.share}
    return values


def show(made: Report) -> None:
    from rich.console import Console

    console = Console()
    for sheet in tables.sheets(made)[:2]:
        console.print(leaderboard_formats.rich_table(sheet), "")
