"""``task=agreement``: what annotators returned: how far they agree, what they say together, and of which system."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs, tracking
from hardtext.core import InputError
from hardtext.pipelines.common import folder_of
from hardtext.reporting import annotation
from hardtext.reporting.annotation import agreement_table
from hardtext.results import result_folder
from hardtext.scoring import agreement
from hardtext.scoring.agreement import LABELS, Judged
from hardtext.scoring.published import SOURCE

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

FILES = ("agreement.json", "agreement.md")


def run(config: EvaluateConfig) -> dict[str, Any]:
    if not config.annotations:
        raise InputError("task=agreement needs annotations=<JSON export of Label Studio | JSON, CSV or zip export of "
                         "Teamware | CSV with annotator1_stance, …>")
    source = Path(config.annotations).expanduser()
    pairs = annotation.read_judged(source)
    result = {"annotations": str(source)} | measure(pairs, annotation.drawn_ids(source, pairs))

    folder = folder_of(runs.evaluate_folder("agreement", place(source)), config.out, config.label)
    settings = {"task": "agreement", "annotations": str(source.resolve())}
    with (result_folder(folder, settings, FILES, overwrite=config.overwrite) as folder, disks.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, name=f"agreement {source.stem}", group=config.group) as diary):
        diary.summary({name: result[name] for name in ("pairs", "judgements", "cohen_kappa", "krippendorff_alpha")})
        records.write_json(folder / "agreement.json", result)
        records.write_text(folder / "agreement.md", agreement_table.markdown(result))
    agreement_table.show(result)
    if result["missing"] or result["unjudged"] or result["judged_once"]:
        log.warning("%s is not complete: %d pairs of the draw are missing, %d have no judgement, %d have one", source,
                    len(result["missing"]), result["unjudged"], result["judged_once"])
    log.info("written to %s", disks.shown(folder / "agreement.json"))
    return result


def place(source: Path) -> str:
    """The name of the result's folder: the file's, with what tells it from others of that name (every draw for a
    spreadsheet is a ``tasks.csv``)."""
    path = source.resolve()
    return f"{path.stem[:60]},{path.parent.name[:40]}-{sha256(os.fsencode(path)).hexdigest()[:8]}"


def measure(pairs: Sequence[Judged], drawn: Sequence[str] = ()) -> dict[str, Any]:
    """Everything ``agreement.json`` holds but the file's name. ``drawn``: the ids of all pairs of the draw, empty where
    they are unknown."""
    names = agreement.annotators(pairs)
    first_two = names[:2] if len(names) > 1 else []
    labels = agreement.both(pairs, *first_two) if first_two else []
    resolved = [agreement.resolve(pair.judgements) for pair in pairs]
    given = Counter(resolution.label for resolution in resolved)
    how = Counter(resolution.how for resolution in resolved)
    return {
        "pairs": len(pairs),
        **_missing(pairs, drawn),
        "judgements": sum(len(pair.judgements) for pair in pairs),
        "annotators": names,
        "first_two": first_two,
        "both": len(labels),
        "cohen_kappa": agreement.cohen_kappa(labels),
        "krippendorff_alpha": agreement.krippendorff_alpha(pairs),
        "labels": {label: given[index] for index, label in enumerate(LABELS)},
        "how": {name: how[name] for name in agreement.HOW},
        "tie_rule": agreement.TIE_RULE,
        "against_file": _against_file(pairs, resolved),
        "no_majority": _no_majority(pairs, resolved),
        "ranking": [_beside(share) for share in agreement.rank(pairs)],
        "published_ranking": agreement.published_ranking(),
        "published_source": SOURCE,
    }


def _missing(pairs: Sequence[Judged], drawn: Sequence[str]) -> dict[str, Any]:
    """What a cut or half-filled sheet lacks: pairs of the draw, and the judgements of pairs that two people were to judge."""
    there = {pair.id for pair in pairs}
    times = Counter(min(len(pair.judgements), 2) for pair in pairs)
    missing = [key for key in drawn if key not in there]
    return {"drawn": len(drawn) or None, "missing": missing, "unjudged": times[0], "judged_once": times[1]}


def _against_file(pairs: Sequence[Judged], resolved: Sequence[agreement.Resolution]) -> dict[str, Any] | None:
    """How our labels compare with those the file holds; None where it holds none."""
    both = [(pair.id, resolution.label, pair.agreed) for pair, resolution in zip(pairs, resolved, strict=True)
            if pair.agreed is not None]
    different = [{"id": key, "ours": ours, "file": theirs} for key, ours, theirs in both if ours != theirs]
    counts = Counter(theirs for _, _, theirs in both)
    return {"compared": len(both), "equal": len(both) - len(different), "different": different,
            "labels": {label: counts[index] for index, label in enumerate(LABELS)}} if both else None


def _no_majority(pairs: Sequence[Judged], resolved: Sequence[agreement.Resolution]) -> list[dict[str, Any]]:
    """The pairs whose votes gave no majority (all three differ): the votes as (label, confidence), and the outcome."""
    return [{"id": pair.id, "votes": [[judgement.label, judgement.confidence] for judgement in pair.judgements],
             "label": resolution.label, "how": resolution.how, "file": pair.agreed}
            for pair, resolution in zip(pairs, resolved, strict=True)
            if resolution.how in (agreement.CONFIDENCE, agreement.TIE)]


def _beside(share: agreement.Share) -> dict[str, Any]:
    """A system's share with the published one of its team."""
    team = agreement.published_team(share.system)
    return asdict(share) | {"published_team": team,
                            "published_share": None if team is None else agreement.published_ranking()[team]}
