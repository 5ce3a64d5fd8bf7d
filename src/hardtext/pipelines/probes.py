"""``task=probes``: does the classifier understand? Changed texts whose right answer is known, and what it says of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs, tracking
from hardtext.attacks import engine, sanity
from hardtext.core import Domain, InputError
from hardtext.domains import DomainSettings
from hardtext.pipelines import trained_on
from hardtext.pipelines.common import digest_of_texts, folder_at, load_corpus, named_victim
from hardtext.probes import PROBES, Probe, ProbeSettings, asking, probes
from hardtext.probes.file import File
from hardtext.reporting import leaderboard_formats
from hardtext.reporting.probes import figures, formats, tables
from hardtext.reporting.probes.results import Question, Report, report

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

RULES = ("sound", "published")
CLASSES = ("expected", "all")
READ = frozenset(("seed", "out", "overwrite", "logger", "label", "group", "task", "domain", "model", "victim", "device",
                  "semantic", "split", "limit", "probe"))
"""What the task reads of its command (``semantic`` is there by default)."""
READERS = {"rules": asking.WITH_RULES, "path": ("file",),
           **dict.fromkeys(("politicians", "party_words", "both_parties"), ("party",))}
"""The probes that read a setting."""
_NOT_NAMED = ("name", "path", "download", "adversarial_batch_size", "adversarial_subset")
"""Settings of a domain that its folder's name leaves out."""


def run(config: EvaluateConfig) -> Report:
    """Ask the probes about a split, then write and print what they found."""
    if config.domain is None or (config.model is None and config.victim is None):
        raise InputError("task=probes needs domain=<domain> and model=<model> (the victim that train.py left), or "
                         "victim=<folder or hub id>")
    engine.check_options(limit=config.limit)
    refuse_unread(config, READ)
    settings = checked(config.probe)
    chosen = probes(settings)
    if useless := idle(settings, chosen):
        raise InputError(f"{useless[0]}: no probe of probe={','.join(settings.names)} reads it; leave it out, or name one "
                         f"that does")
    corpus = load_corpus(config.domain, config.seed)
    domain, split = corpus.domain, corpus.split(config.split)
    examples = split[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {domain.name} has no examples there")
    strangers = [words for probe in chosen if isinstance(probe, File) and (
        words := probe.strangers((example.segments[-1] for example in split), f"split {config.split} of {domain.name}"))]
    victim = named_victim(config, domain)
    model = config.model.name if config.model else victim.name
    folder = folder_of("probes", config, domain, model)
    kept = {"task": "probes", "domain": trained_on.reading(config.domain), "texts": digest_of_texts(split), "model": model,
            "victim": config.victim, "split": config.split, "limit": config.limit, "probe": with_contents(settings),
            "seed": config.seed, "victim_fingerprint": victim.fingerprint}
    rows = folder / "probes.jsonl"
    if not config.overwrite:
        runs.refuse_other_config(folder, kept, ("limit",))
        there = len({answer.id for answer in asking.read(rows)}) if rows.is_file() else 0
        if there > len(examples):
            raise InputError(f"{disks.shown(folder)} holds the answers about {there:,} texts already and limit="
                             f"{config.limit} asks about {len(examples):,}: leave the limit out, or set overwrite=true or "
                             f"out=<folder>")
    found = sanity.check(victim, examples, config.seed)
    warnings = (*trained_on.warnings(config), *strangers, *found.warnings)
    for warning in warnings:
        log.warning("%s", warning)

    with (runs.RunFolder.open(folder, kept, extend=("limit",), overwrite=config.overwrite) as job,
          tracking.open_run(folder, config.logger, kept, name=f"probes {domain.name} {model}", group=config.group) as diary):
        if job.done:
            log.info("%s: done before; overwrite=true asks again", disks.shown(folder))
        answers = asking.ask(rows, chosen, examples, victim, domain=domain, settings=settings, seed=config.seed)
        made = report(answers, [question_of(probe, settings) for probe in chosen], domain, model=model, split=config.split,
                      seed=config.seed, warnings=warnings, reading=changed("domain", config.domain, _NOT_NAMED),
                      capped=f"first {len(examples):,} of {len(split):,} texts" if len(examples) < len(split) else "")
        write(made, folder, kept, formats.pairs_csv(answers, domain.classes))
        diary.summary(summary_of(made))
    show(made)
    log.info("written to %s", disks.shown(folder))
    return made


def checked(settings: ProbeSettings) -> ProbeSettings:
    """The settings with the probes in the order of ``PROBES``. Raises InputError for a choice that there is not."""
    for key, choices in (("rules", RULES), ("classes", CLASSES)):
        if (value := getattr(settings, key)) not in choices:
            raise InputError(f"probe.{key}={value}: expected one of {', '.join(choices)}")
    order = list(PROBES)
    names = sorted(settings.names, key=lambda name: order.index(name) if name in PROBES else len(order))
    return replace(settings, names=names)


def refuse_unread(config: EvaluateConfig, read: frozenset[str]) -> None:
    """Raise InputError for a setting of the command that the task does not read: it would look as if it did something."""
    for field in fields(config):
        if field.name in read:
            continue
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if (value := getattr(config, field.name)) != default:
            names = [f.name for f in fields(value) if getattr(value, f.name) != getattr(default, f.name)] \
                if is_dataclass(value) else []
            shown = f"{field.name}.{names[0]}={getattr(value, names[0])}" if names else f"{field.name}={value}"
            raise InputError(f"{shown}: task={config.task} does not read it; leave it out")


def idle(settings: ProbeSettings, chosen: Sequence[Probe]) -> list[str]:
    """The settings that are not the default ones and that no probe of ``chosen`` reads, as "probe.rules=published"."""
    names = {probe.name for probe in chosen}
    readers = READERS | {"classes": tuple(probe.name for probe in chosen if probe.of != "any")}
    return changed("probe", settings, tuple(f.name for f in fields(settings)
                                            if f.name not in readers or names & {*readers[f.name]}), whole=True)


def without_idle(settings: ProbeSettings) -> ProbeSettings:
    """The same with the default of each setting that none of its probes reads."""
    useless = {words.partition("=")[0].removeprefix("probe.") for words in idle(settings, probes(settings))}
    return replace(settings, **{f.name: f.default for f in fields(settings) if f.name in useless})


def with_contents(settings: ProbeSettings) -> dict[str, Any]:
    """The settings as a dict; files by their names and a digest of what they hold."""
    return {name: f"{Path(value).name} ({sha256(Path(value).expanduser().read_bytes()).hexdigest()[:12]})"
            if name in ("path", "politicians") and value is not None else value for name, value in asdict(settings).items()}


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


def changed(group: str, settings: ProbeSettings | DomainSettings, left_out: tuple[str, ...],
            whole: bool = False) -> list[str]:
    """``probe.rules=published`` for each setting that is not the default one, in the order of the fields; ``whole``: paths
    as they are."""
    return [f"{group}.{f.name}={value}" if whole else _said(f"{group}.{f.name}", value) for f in fields(settings)
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
