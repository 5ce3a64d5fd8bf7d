"""Ask a victim: examples × probes → one row each, appended as they are answered, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy

from hardtext import records, seeding
from hardtext.attacks import ties
from hardtext.core import Domain, Example, InputError, Segments, Victim
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.progress import progress
from hardtext.scoring.answers import Answer

CHUNK = 64  # examples changed, asked and written together
WITH_RULES = ("negation", "intensity")
"""The probes that ``probe.rules`` matters to."""


def ask(path: Path, probes: Sequence[Probe], examples: Sequence[Example], victim: Victim, *, domain: Domain,
        settings: ProbeSettings, seed: int) -> list[Answer]:
    """Ask every probe about every example and leave one row each in ``path``; returns them in input order.

    Originals are predicted once for all probes. Rows already there are kept, so that a killed run goes on where it
    stopped; a half-written last line is cut off. Rows of another run are refused.
    """
    path = Path(path)
    if repeated := [i for i, n in Counter(e.id for e in examples).items() if n > 1]:
        raise InputError(f"examples: ids must be unique, repeated: {', '.join(repeated[:5])}")
    found = _finished(path, probes, examples, victim, domain=domain, settings=settings, seed=seed)
    total, asked = len(examples) * len(probes), sum(answer.changed is not None for answer in found.values())
    with records.RowWriter(path) as writer, progress("probes", total=total, done=len(found)) as bar:
        for start in range(0, len(examples), CHUNK):
            chunk = examples[start : start + CHUNK]
            if all((example.id, probe.name) in found for example in chunk for probe in probes):
                continue
            # The whole chunk, rows that are there included: the same batches as without an interruption, so that
            # float noise, or a BiLSTM whose padding is not masked, answers the same.
            for answer in _answers(probes, chunk, victim, domain=domain, settings=settings, seed=seed):
                if (key := (answer.id, answer.probe)) not in found:
                    writer.append(answer.to_row())
                    found[key] = answer
                    asked += answer.changed is not None
                    bar.advance(1, show=f"{asked} changed texts")
    answers = [found[example.id, probe.name] for example in examples for probe in probes]
    records.write_rows(path, (answer.to_row() for answer in answers))
    return answers


def _answers(probes: Sequence[Probe], examples: Sequence[Example], victim: Victim, *, domain: Domain,
             settings: ProbeSettings, seed: int) -> Iterator[Answer]:
    said = [question(probe, example, domain, settings, seed) for example in examples for probe in probes]
    texts = [example.segments for example in examples]
    pairs = [(example, probe) for example in examples for probe in probes]
    changed = [(*example.segments[:-1], reply.text) if isinstance(reply, Changed) else None
               for (example, _), reply in zip(pairs, said, strict=True)]
    table = _probabilities(victim, [*texts, *(segments for segments in changed if segments is not None)])
    predicted = ties.predicted(table)
    before = {example.id: index for index, example in enumerate(examples)}
    after = iter(range(len(texts), len(table)))
    for (example, probe), reply, segments in zip(pairs, said, changed, strict=True):
        old, new = before[example.id], None if segments is None else next(after)
        yield Answer(id=example.id, domain=domain.name, victim=victim.name, probe=probe.name,
                     rules=rules_of(probe, settings), label=example.label, original=example.segments, changed=segments,
                     what=reply.what if isinstance(reply, Changed) else None,
                     why=reply.why if isinstance(reply, Unchanged) else None,
                     expects=(isinstance(reply, Changed) and reply.expects) or probe.expects,
                     original_probs=table[old].tolist(), changed_probs=None if new is None else table[new].tolist(),
                     flipped=None if new is None else bool(predicted[old] != predicted[new]), seed=seed)


def question(probe: Probe, example: Example, domain: Domain, settings: ProbeSettings, seed: int) -> Changed | Unchanged:
    """What a probe makes of an example: its last segment changed, or why not.

    The change is drawn with a seed of the text, so that equal texts are changed alike.
    """
    if settings.classes != "all" and not probe.asks_about(example.label, domain):
        return Unchanged(f"asks about {probe.of} texts only")
    text = example.segments[-1]
    reply = probe.change(text, seeding.derive(seed, "probe", text))
    return Unchanged("the text stays the same") if isinstance(reply, Changed) and reply.text == text else reply


def rules_of(probe: Probe, settings: ProbeSettings) -> str | None:
    """By which rules a probe changes texts; None for one that has no choice of them."""
    return settings.rules if probe.name in WITH_RULES else None


def _probabilities(victim: Victim, texts: Sequence[Segments]) -> numpy.ndarray:
    """(texts, classes), float64; refuses what are no probabilities."""
    table = numpy.asarray(victim.probabilities(texts), dtype=numpy.float64)
    if table.shape != (len(texts), len(victim.classes)):
        raise InputError(f"victim {victim.name}: expected probabilities of shape {(len(texts), len(victim.classes))} "
                         f"(texts, classes), got {table.shape}")
    if not numpy.isfinite(table).all():
        raise InputError(f"victim {victim.name}: a probability is not finite")
    return table


def _finished(path: Path, probes: Sequence[Probe], examples: Sequence[Example], victim: Victim, *, domain: Domain,
              settings: ProbeSettings, seed: int) -> dict[tuple[str, str], Answer]:
    """The answers a former run left in ``path``, by (id, probe). Refuses those of a different run."""
    records.repair(path)
    if not path.exists():
        return {}
    originals = {example.id: example.segments for example in examples}
    rules = {probe.name: rules_of(probe, settings) for probe in probes}
    found = {}
    for row in records.read_rows(path):
        answer = Answer.from_row(row)
        ours = {"domain": domain.name, "victim": victim.name, "seed": seed, "rules": rules.get(answer.probe)}
        for key, value in ours.items():
            if row[key] != value:
                raise InputError(f"{path} holds answers with {key}={row[key]}, this run has {key}={value}: remove the "
                                 f"file or choose another folder")
        if answer.probe not in rules or originals.get(answer.id) != answer.original:
            raise InputError(f"{path} holds the answer of probe {answer.probe!r} about {answer.id!r} that this run does "
                             f"not ask: remove the file or choose another folder")
        found[answer.id, answer.probe] = answer
    return found
