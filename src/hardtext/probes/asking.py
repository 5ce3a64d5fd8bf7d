"""Ask a victim: examples × probes → one row each, appended as they are answered, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path

import numpy

from hardtext import records, seeding
from hardtext.attacks import ties
from hardtext.core import Domain, Example, InputError, Segments, Victim, Windowed
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.progress import progress
from hardtext.scoring.answers import Answer

CHUNK = 64  # examples changed, asked and written together
WITH_RULES = ("negation", "intensity")
"""The probes that ``probe.rules`` matters to."""
UNREAD = "behind what the victim reads"
"""Why a changed text is not asked about whose change lies where truncation cut it off."""


def ask(path: Path, probes: Sequence[Probe], examples: Sequence[Example], victim: Victim, *, domain: Domain,
        settings: ProbeSettings, seed: int) -> list[Answer]:
    """Ask every probe about every example and leave the answers, one row each, in ``path``; returns them in input order.

    Originals are predicted once for all probes. Rows already there are kept, so that a killed run goes on where it
    stopped; a half-written last line is cut off. Rows of another run are refused.
    """
    path = Path(path)
    if repeated := [i for i, n in Counter(e.id for e in examples).items() if n > 1]:
        raise InputError(f"examples: ids must be unique, repeated: {', '.join(repeated[:5])}")
    found = _finished(path, probes, examples, victim, domain=domain, settings=settings, seed=seed)
    keys = [(example.id, probe.name) for example in examples for probe in probes]
    asked = sum(answer.changed is not None for answer in found.values())
    with records.RowWriter(path) as writer, \
            progress("probes", total=len(keys), done=sum(_complete(found, *key) for key in keys)) as bar:
        for start in range(0, len(examples), CHUNK):
            chunk = examples[start : start + CHUNK]
            if all(_complete(found, example.id, probe.name) for example in chunk for probe in probes):
                continue
            # The whole chunk, rows that are there included: the same batches as without an interruption, so that
            # float noise, or a BiLSTM whose padding is not masked, answers the same.
            for answer in _answers(probes, chunk, victim, domain=domain, settings=settings, seed=seed):
                if (key := (answer.id, answer.probe, answer.number)) not in found:
                    writer.append(answer.to_row())
                    found[key] = answer
                    asked += answer.changed is not None
                    if answer.number == answer.of:
                        bar.advance(1, show=f"{asked} changed texts")
    answers = [found[*key, number] for key in keys for number in range(1, found[*key, 1].of + 1)]
    records.write_rows(path, (answer.to_row() for answer in answers))
    return answers


def read(path: Path) -> Iterator[Answer]:
    """The answers in a file. Raises InputError, with the way out, where it is damaged or another kind of file."""
    try:
        for row in records.read_rows(path):
            yield Answer.from_row(row)
    except InputError as error:
        words = str(error) if str(path) in str(error) else f"{path}: {error}"
        raise InputError(f"{words}; overwrite=true asks everything again") from error


Found = dict[tuple[str, str, int], Answer]
"""Answers by example, probe and number."""


def _complete(found: Found, example: str, probe: str) -> bool:
    first = found.get((example, probe, 1))
    return first is not None and all((example, probe, number) in found for number in range(2, first.of + 1))


def _answers(probes: Sequence[Probe], examples: Sequence[Example], victim: Victim, *, domain: Domain,
             settings: ProbeSettings, seed: int) -> Iterator[Answer]:
    asked = [(old, probe, number, len(replies), *_seen(victim, example.segments, reply))
             for old, example in enumerate(examples) for probe in probes
             for replies in [questions(probe, example, domain, settings, seed)]
             for number, reply in enumerate(replies, 1)]
    texts = [example.segments for example in examples]
    table = _probabilities(victim, [*texts, *(changed for *_, changed in asked if changed is not None)])
    predicted = ties.predicted(table)
    after = iter(range(len(texts), len(table)))
    for old, probe, number, of, reply, truncated, changed in asked:
        example, new = examples[old], None if changed is None else next(after)
        yield Answer(id=example.id, domain=domain.name, victim=victim.name, probe=probe.name, number=number, of=of,
                     rules=rules_of(probe, settings), label=example.label, original=example.segments, changed=changed,
                     what=reply.what if isinstance(reply, Changed) else None,
                     why=reply.why if isinstance(reply, Unchanged) else None,
                     expects=(isinstance(reply, Changed) and reply.expects) or probe.expects, truncated=truncated,
                     original_probs=table[old].tolist(), changed_probs=None if new is None else table[new].tolist(),
                     flipped=None if new is None else bool(predicted[old] != predicted[new]), seed=seed)


def questions(probe: Probe, example: Example, domain: Domain, settings: ProbeSettings,
              seed: int) -> list[Changed | Unchanged]:
    """What a probe makes of an example: its last segment changed (your own pairs may change it in several ways), or why
    not.

    The change is drawn with a seed of the text, so that equal texts are changed alike. Invisible marks before the text
    (a byte order mark) stay before it.
    """
    if settings.classes != "all" and not probe.asks_about(example.label, domain):
        return [Unchanged(f"asks about {probe.of} texts only")]
    text = example.segments[-1]
    rest = text.lstrip(_MARKS)
    marks = text[: len(text) - len(rest)]
    reply = probe.change(rest, seeding.derive(seed, "probe", text))
    if isinstance(reply, Unchanged):
        return [reply]
    return [Unchanged("the text stays the same") if one.text == rest else replace(one, text=marks + one.text)
            for one in (reply, *reply.others)]


_MARKS = "\ufeff\u200b\u200e\u200f\u2060"


def _seen(victim: Victim, original: Segments,
          reply: Changed | Unchanged) -> tuple[Changed | Unchanged, bool | None, Segments | None]:
    """The reply, whether the victim reads less than all of the texts (None: it does not tell), and the changed text to ask
    about: none where the victim reads nothing of the change, so that its label would stay whatever it understands."""
    changed = (*original[:-1], reply.text) if isinstance(reply, Changed) else None
    if not isinstance(victim, Windowed):
        return reply, None, changed
    texts = [segments for segments in (original, changed) if segments is not None]
    windows = [victim.window(segments) for segments in texts]
    truncated = any(tuple(window) != tuple(map(len, segments)) for window, segments in zip(windows, texts, strict=True))
    if truncated and changed is not None \
            and _first_change(original[-1], changed[-1]) >= max(window[-1] for window in windows):
        return Unchanged(UNREAD), True, None
    return reply, truncated, changed


def _first_change(original: str, changed: str) -> int:
    """Where the texts begin to differ, upper and lower case aside (the published negation writes all in lower case) unless
    nothing else differs."""
    plain = [original.lower(), changed.lower()]
    same_places = [len(text) for text in plain] == [len(original), len(changed)]
    return len(commonprefix(plain if same_places and plain[0] != plain[1] else [original, changed]))


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
              settings: ProbeSettings, seed: int) -> Found:
    """The answers a former run left in ``path``. Refuses those of a different run."""
    records.repair(path)
    if not path.exists():
        return {}
    originals = {example.id: example.segments for example in examples}
    rules = {probe.name: rules_of(probe, settings) for probe in probes}
    found = {}
    for answer in read(path):
        row = answer.to_row()
        ours = {"domain": domain.name, "victim": victim.name, "seed": seed, "rules": rules.get(answer.probe)}
        for key, value in ours.items():
            if row[key] != value:
                raise InputError(f"{path} holds answers with {key}={row[key]}, this run has {key}={value}: "
                                 f"overwrite=true starts again, or choose another folder with out=")
        if answer.probe not in rules or originals.get(answer.id) != answer.original:
            raise InputError(f"{path} holds the answer of probe {answer.probe!r} about {answer.id!r} that this run does "
                             f"not ask: overwrite=true starts again, or choose another folder with out=")
        found[answer.id, answer.probe, answer.number] = answer
    return found
