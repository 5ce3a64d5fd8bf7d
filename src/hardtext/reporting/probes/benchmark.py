"""The fake-news benchmark on one page: accuracy and Tables 3–5 of one or several domains. A function of result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hardtext.reporting import leaderboard_formats
from hardtext.reporting.leaderboard_sheets import Line, Sheet
from hardtext.reporting.probes import notes, tables
from hardtext.reporting.probes.results import Report, Result
from hardtext.scoring.published import probes as published

TABLES = {"negation": "Table 3. Negation", "party": "Table 4. Party reversal", "intensity": "Table 5. Adverb intensity"}
"""The published tables, by probe."""

CONCLUSIONS = (
    "a low flip rate is bad news for negation and party (the victim did not notice) and good news for intensity (it was "
    "not misled); only beside an accuracy well above the most frequent class does either say anything",
    "a row in which the interval holds the published figure agrees with it; it does not confirm it: the published figures "
    "have no intervals, and their texts, rules and victims are not ours",
    "sound: our rules, which keep the grammar; published: what the benchmark's notebooks do, artefacts included",
    "in brackets: 95 %, Wilson for shares, bootstrap over texts for ΔProb; p: paired sign-flip permutation test of "
    "ΔProb = 0, two-sided, Holm's correction over the probes asked together",
    "party: nobody has checked that each changed statement is untrue",
)


def entry(report: Report) -> dict[str, Any]:
    """What benchmark.json holds of one run of the probes."""
    return {"domain": report.domain, "domain_stand_in": report.domain_stand_in, "victim": report.victim,
            "model": report.model, "seed": report.seed, "split": report.split, "warnings": list(report.warnings),
            "accuracy": asdict(report.accuracy), "reading": list(report.reading), "capped": report.capped}


_OF_A_RESULT = frozenset(("domain", "domain_stand_in", "victim", "model", "seed", "warnings", "accuracy", "reading",
                          "capped", "rows"))


def understood(result: Any) -> bool:
    """Whether it is what a benchmark.json of this version holds."""
    return isinstance(result, dict) and "domain" in result and "skipped" in result and (
        bool(result["skipped"]) or result.keys() >= _OF_A_RESULT)


def row(result: Result) -> dict[str, Any]:
    """One line of Tables 3–5; null where there is no number. ``why``: texts not asked about, by reason."""
    overall, other = result.overall, result.published
    return {"probe": result.question.name, "rules": result.question.rules, "texts": result.texts,
            "label_flip": overall.flipped.share, "label_flip_interval": overall.flipped.interval,
            "delta_prob": overall.shift.mean, "delta_prob_interval": overall.shift.interval, "p_holm": result.p_holm,
            "as_expected": overall.expected.share, "as_expected_interval": overall.expected.interval,
            "published_label_flip": other.label_flip if other else None,
            "published_delta_prob": other.delta_prob if other else None, "why": result.why, "truncated": result.truncated}


def sheets(results: Sequence[Mapping[str, Any]]) -> list[Sheet]:
    """Accuracy, then a table a probe. ``results``: the contents of benchmark.json files."""
    done = [result for result in results if not result.get("skipped")]
    skipped = tuple(f"{result['domain']}: left out, {result['skipped']}" for result in results if result.get("skipped"))
    found = [_accuracy_sheet(done, skipped)]
    names = dict.fromkeys(line["probe"] for result in done for line in result["rows"])
    return found + [_probe_sheet(name, done) for name in sorted(names, key=lambda name: name not in TABLES)]


def _accuracy_sheet(results: Sequence[Mapping[str, Any]], skipped: tuple[str, ...]) -> Sheet:
    lines = []
    for result in results:
        it, right = result["accuracy"], result["accuracy"]["right"]
        lines.append(Line((_name(result), str(right["of"]), tables.percent(right["share"], right["interval"]),
                           tables.percent(it["majority_share"]), tables.percent(it["published"]))))
    stand_ins = dict.fromkeys(f"{result['domain']}: stand-in data, {result['domain_stand_in']}; the published figures are "
                              f"of the real corpus" for result in results if result["domain_stand_in"])
    return Sheet("Victims, accuracy in percent", ("domain, victim", "n", "accuracy", "most frequent", "publ."),
                 tuple(lines), (f"published: {published.VICTIM}; {published.SOURCE}", *stand_ins, *_weak(results),
                                *_warnings(results), *skipped))


def _weak(results: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{_name(result)}: hardly better than always answering {result['accuracy']['majority']}, so its flips and its "
            f"steadiness say little" for result in results
            if result["accuracy"]["right"]["share"] <= result["accuracy"]["majority_share"] + notes.LEARNED]


def _warnings(results: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{_name(result)}: {words}" for result in results for words in result["warnings"]]


def _probe_sheet(name: str, results: Sequence[Mapping[str, Any]]) -> Sheet:
    lines, words = [], []
    rows = [(result, line) for result in results for line in result["rows"] if line["probe"] == name]
    digits = tables.published_digits(value for _, line in rows if (value := line["published_delta_prob"]) is not None)
    for result, line in rows:
        title = _name(result) + (f", {line['rules']}" if line["rules"] else "")
        lines.append(Line((title, *_cells(line, digits))))
        if not line["texts"]:
            words.append(f"{title}: no text to ask about ({'; '.join(f'{why}: {n}' for why, n in line['why'].items())})")
        elif line["texts"] < notes.FEW:
            words.append(f"{title}: only {notes.texts(line['texts'])}")
        if line["truncated"]:
            words.append(f"{title}: {line['truncated']} longer than the victim reads, which answers for the beginning alone")
    limit = notes.LIMITS.get(name)
    return Sheet(TABLES.get(name, f"Probe: {name}"), ("domain, victim, rules", *tables.FLIPS), tuple(lines),
                 (*words, *([limit] if limit else [])))


def _cells(line: Mapping[str, Any], digits: int) -> tuple[str, ...]:
    return (str(line["texts"]), tables.percent(line["label_flip"], line["label_flip_interval"]),
            tables.percent(line["published_label_flip"]), tables.signed(line["delta_prob"], line["delta_prob_interval"]),
            tables.signed(line["published_delta_prob"], digits=digits), tables.p_value(line["p_holm"]))


def _name(result: Mapping[str, Any]) -> str:
    """Everything that a row's figures hang on: data, how they were read, victim, seed, and how many of the texts."""
    parts = [result["domain"] + (" (stand-in)" if result["domain_stand_in"] else ""), *result["reading"], result["model"],
             f"seed {result['seed']}" if result["seed"] else "", result["capped"]]
    return ", ".join(filter(None, parts))


def markdown(results: Sequence[Mapping[str, Any]], links: Mapping[str, str], pictures: Mapping[str, str]) -> str:
    """The page. ``links`` and ``pictures``: words and path, relative to the page."""
    parts = ["# The fake-news benchmark", "", leaderboard_formats.markdown(sheets(results))]
    parts += ["### What a reader may conclude, and what not", "", *(f"- {words}" for words in CONCLUSIONS), ""]
    parts += [f"![{words}]({path})\n" for words, path in pictures.items()]
    parts += [f"- {_name(result)}: saliency left out, {left_out}\n" for result in results
              if (left_out := result.get("saliency", {}).get("left_out"))]
    if links:
        parts += ["### Files", "", *(f"- [{words}]({path})" for words, path in links.items()), ""]
    return "\n".join(parts)


