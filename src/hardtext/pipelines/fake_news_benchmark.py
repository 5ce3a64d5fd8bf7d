"""``experiment=fake_news_benchmark``: Tables 3–5 and Figures 1–2 of the benchmark for one domain and victim."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs
from hardtext.core import Domain, InputError
from hardtext.domains import DomainSettings
from hardtext.domains.published import PublishedDomain
from hardtext.pipelines import probes
from hardtext.pipelines.common import data_root, load_corpus
from hardtext.probes import ProbeSettings
from hardtext.probes.asking import WITH_RULES
from hardtext.reporting import leaderboard_formats
from hardtext.reporting.probes import benchmark
from hardtext.reporting.probes.results import Report
from hardtext.saliency.base import SaliencySettings

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

TASK = "fake_news_benchmark"
FIGURES = {"Figure 1. Saliency of words by document frequency": "saliency/figures/corpus.png",
           "Figure 2. Saliency in sentences": "saliency/figures/sentences.png"}


def run(config: EvaluateConfig) -> dict[str, Any]:
    """The probes by sound and by published rules, saliency, and one page about them: ``benchmark.md`` and ``.json``.

    A domain that there is no data of is left out, with the reason in the result. Each part lies in a folder of its own
    below, is resumed where it was stopped, and is not made again once it is done.
    """
    if config.domain is None or config.model is None:
        raise InputError("task=fake_news_benchmark needs domain=<domain> and model=<model>; "
                         "experiment=fake_news_benchmark names liar2 and minilm")
    probes.refuse_unread(config, probes.READ | {"saliency"})
    if config.probe.rules != ProbeSettings().rules:
        raise InputError(f"probe.rules={config.probe.rules}: the benchmark follows both sets of rules; leave it out")
    try:
        domain = load_corpus(config.domain, config.seed).domain
    except InputError as error:
        if not _absent(config.domain):
            raise
        return leave_out(config, str(error))
    folder = probes.folder_of(TASK, config, domain, config.model.name)
    found = {rules: ask(config, rules, folder) for rules in probes.RULES}
    made = found["sound"]
    result = benchmark.entry(made) | {
        "skipped": None, "limit": config.limit,
        "rows": [benchmark.row(each) for report in found.values() if report for each in report.results],
        "saliency": explain(config, folder)}
    records.write_json(folder / "benchmark.json", result)
    records.write_text(folder / "benchmark.md", benchmark.markdown([result], *there(folder)))
    show([result])
    log.info("written to %s", disks.shown(folder / "benchmark.md"))
    merge(config)
    return result


def ask(config: EvaluateConfig, rules: str, folder: Path) -> Report | None:
    """The probes by one set of rules; None where none of those asked for has published ones."""
    names = [name for name in config.probe.names if rules == "sound" or name in WITH_RULES]
    if not names:
        return None
    log.info("probes, %s rules: %s", rules, ", ".join(names))
    settings = replace(config.probe, names=names, rules=rules)
    return probes.run(replace(config, task="probes", out=str(folder / f"probes-{rules}"), saliency=SaliencySettings(),
                              probe=probes.without_idle(settings) if rules == "published" else settings))


def explain(config: EvaluateConfig, folder: Path) -> dict[str, Any]:
    """Saliency towards the fake class; of a victim that cannot be looked into, why not."""
    from hardtext.pipelines import saliency

    try:
        saliency.run(replace(config, task="saliency", method="gradient_x_input", out=str(folder / "saliency"),
                             probe=ProbeSettings()))
    except InputError as error:
        log.warning("saliency left out: %s", error)
        return {"left_out": str(error)}
    return {"left_out": None}


def _absent(domain: DomainSettings) -> bool:
    """Whether none of a published corpus's files lies where it belongs; a folder that the user names is another matter."""
    if not isinstance(domain, PublishedDomain) or domain.path is not None:
        return False
    folder = data_root() / domain.name
    names = (*domain.source.files, "train.tsv", "attack.tsv")
    return not folder.is_file() and not any(True for depth in ("", "*/", "*/*/") for name in names
                                            for _ in folder.glob(depth + name))


def leave_out(config: EvaluateConfig, reason: str) -> dict[str, Any]:
    """Say why a domain is left out; an earlier result of it is kept."""
    result = {"domain": config.domain.name, "model": config.model.name, "seed": config.seed, "skipped": reason}
    folder = probes.folder_of(TASK, config, Domain(config.domain.name, ()), config.model.name)
    if not (folder / "benchmark.json").is_file():
        records.write_json(folder / "benchmark.json", result)
    print(f"{config.domain.name}: left out, {reason}")
    merge(config)
    return result


def there(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The links and the pictures of a benchmark folder: those whose file exists."""
    links = {"Probes, sound rules": "probes-sound/probes.md", "Probes, published rules": "probes-published/probes.md",
             "Saliency": "saliency/saliency.html", "Saliency, tables": "saliency/saliency.md"}
    return tuple({words: path for words, path in group.items() if (folder / path).is_file()} for group in (links, FIGURES))


def merge(config: EvaluateConfig) -> None:
    """One page over every benchmark under the runs folder: ``benchmark.md`` above the domains."""
    root = runs.evaluate_folder(TASK)
    found = {file.parent: records.read_json(file) for file in sorted(root.glob("*/*/*/benchmark.json"))}
    found = {folder: result for folder, result in found.items() if benchmark.understood(result)}
    made = [result for result in found.values() if not result["skipped"]]
    if config.out is not None or len(found) < 2 or not made:
        return
    links = {f"{folder.relative_to(root)}": f"{folder.relative_to(root)}/benchmark.md" for folder in found
             if (folder / "benchmark.md").is_file()}
    records.write_text(root / "benchmark.md", benchmark.markdown(list(found.values()), links, {}))
    left_out = [result["domain"] for result in found.values() if result["skipped"]]
    log.info("%d benchmark%s on one page%s: %s", len(made), "s" * (len(made) > 1),
             f" (left out for lack of data: {', '.join(left_out)})" if left_out else "", disks.shown(root / "benchmark.md"))


def show(results: list[dict[str, Any]]) -> None:
    from rich.console import Console

    console = Console()
    for sheet in benchmark.sheets(results):
        console.print(leaderboard_formats.rich_table(sheet), "")
