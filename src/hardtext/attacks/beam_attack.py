"""BeamAttack (TextTrojaners at CheckThat! 2024; arXiv 2506.23661): a beam search over replacing, keeping and deleting
words.

Rank the words once. At each word in turn every beam grows: the masked LM's candidates for that place in the beam's own
text, the word as it is, and no word at all. Texts that move the prediction are set aside; of the others the beams with
the lowest probability of the original class go on. Once enough texts are set aside, the one closest in meaning wins.
The defaults are the settings of the submission.

Importance (``attack.importance=``): ``logit``, BERT-ATTACK's score of the text without each word, or ``lime``, the
weight of each word in a linear model of the victim around the text.

Variants:

``hardtext``   (default) a beam is a set of edits by word, so that it always finds the word it means; marks, spacing and
               line breaks stay, and a deleted word takes one space with it; a candidate is a whole word in the case of
               the one it replaces; figures stay, and no segment loses its last word; a move to any other class counts;
               all texts of a step are asked, and all that succeed are compared (of very many, those nearest by
               characters).
``published``  the code of the submission: words stand between single spaces, their outer marks are cut off (all but
               ASCII letters and digits), and in a beam's text a word is the first stretch that reads like it (whatever
               the case) at or after its offset in the original, though edits have moved it since, or else anywhere: a
               word may be taken for another or for a part of one, and a mark stands for the gap before it. Pieces of
               words are candidates too. It stops at the first ``early_stop`` successes, in the middle of a step. A
               one-word text fails (an error in the ranking). Where it would break a pair's separator this one does not.

The submission's masked LM is roberta-large and its semantic scorer is BLEURT-20; here ``masked_lm`` and ``semantic``
say which.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Optional

from hardtext import text
from hardtext.attacks import lime, ties
from hardtext.attacks.base import MaskedLMAttack, SemanticAttack, Target, WordAttack, check_choice
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.importance import drop_with_flip, leave_one_out, ranking
from hardtext.attacks.joined import Joined, splits_back
from hardtext.attacks.requests import SEEN_WORDS, Context, Fill, LazyTexts, Meaning, Score, Steps, around
from hardtext.attacks.search import Edits
from hardtext.core import InputError, Segments
from hardtext.scoring.documents import character_scores

LIME_SAMPLES = 500
COMPARED = 32  # successes that are compared by meaning, which for a document costs more than finding them
DELETED = ""
OPENING, CLOSING = "([{“‘«", ",.;:!?…)]}”’»"  # marks without a space on their inner side

_LIME_WORD = re.compile(r"\w+")
_OUTER = re.compile(r"^[^a-zA-Z0-9]+|[^a-zA-Z0-9]+$")
_SPECIAL = re.compile(r"\[[A-Z]+\d*\]|</?[a-z]+>")  # [UNK], <s>


@dataclass
class BeamAttack(WordAttack, MaskedLMAttack, SemanticAttack):
    """Settings. ``beams``: how many texts go on from one word to the next. ``width``: candidates a beam and word.
    ``early_stop``: successes that end the search. ``importance``: ``logit`` or ``lime``, with ``lime_samples`` texts
    (null: 500). ``max_words``: how many words are tried at most (null: all that the victim reads)."""

    name: str = "beam_attack"
    variant: str = "hardtext"
    importance: str = "logit"
    lime_samples: Optional[int] = None
    beams: int = 10
    width: int = 30
    early_stop: int = 10
    max_words: Optional[int] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext", "published"))
        check_choice("attack.importance", self.importance, ("logit", "lime"))
        for key in ("beams", "width", "early_stop", "max_words"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise InputError(f"attack.{key}={value}: expected at least 1")
        if self.lime_samples is not None and self.lime_samples < 2:
            raise InputError(f"attack.lime_samples={self.lime_samples}: expected at least 2")
        if self.lime_samples is not None and self.importance != "lime":
            raise InputError(f"attack.lime_samples={self.lime_samples}: attack.importance={self.importance} does not "
                             f"use it; leave it out or set attack.importance=lime")
        if self.variant == "published":
            self.constraints.check_unused("attack.variant=published")

    def steps(self, target: Target) -> Steps:
        return self._sound(target) if self.variant == "hardtext" else self._published(target)

    def _lime(self, target: Target, words: Sequence[text.Word]) -> Generator[Score, Any, list[int]]:
        """Positions of the words by falling weight."""
        samples = LIME_SAMPLES if self.lime_samples is None else self.lime_samples
        return ranking((yield from lime.explain(target, words, samples)))

    def _sound(self, target: Target) -> Steps:
        segments, label = target.segments, target.label
        rules = self.constraints.over(Constraints())
        words = rules.changeable(target)
        if not words:
            return None
        if self.importance == "lime":
            order = yield from self._lime(target, words)
        else:
            masked = yield Score(leave_one_out(segments, words), probe=True)
            order = ranking(drop_with_flip(target.probabilities, masked, label))
        lines = [[w for w in text.words(segments) if w.segment == s] for s in range(len(segments))]
        limit = rules.limit(target)
        beams: list[tuple[Edits, float]] = [({}, float(target.probabilities[label]))]
        found: list[Segments] = []
        for word in [words[i] for i in order][:self.max_words]:
            line = lines[word.segment]
            growing = [edits for edits, _ in beams if len(edits) < limit]
            if not growing:
                break
            filled = yield Fill(tuple(_context(line, line.index(word), edits) for edits in growing), self.width)
            grown: list[Edits] = []
            for edits, (pieces, _) in zip(growing, filled, strict=True):
                alternatives = rules.fitting(word.text, _words(pieces, word))
                if any(w.is_word and w != word and edits.get(w, w.text) for w in line):
                    alternatives.append(DELETED)
                grown += [{**edits, word: a} for a in alternatives]
            grown = [g for g in grown if splits_back(segments, render(segments, g))]
            kept, _ = yield from rules.similar(target, grown, word)
            grown = [grown[i] for i in kept]
            if not grown:
                continue
            rows = yield Score(LazyTexts(len(grown), lambda i, grown=grown: render(segments, grown[i])))
            flipped = ties.moved(rows, label)
            found += [render(segments, g) for g, flip in zip(grown, flipped, strict=True) if flip]
            if len(found) >= self.early_stop:
                break
            # Keeping the word comes first: of equal probabilities, fewer changes win. A success is not grown further,
            # which could only cost meaning.
            beams += [(g, float(row[label])) for g, row, flip in zip(grown, rows, flipped, strict=True) if not flip]
            beams = _lowest(beams, self.beams)
        return (yield from _closest(segments, _alike(segments, found)))

    def _published(self, target: Target) -> Steps:
        segments, label = target.segments, target.label
        yield Score([segments], probe=True)  # the published code asks for the original again
        words = yield from self._published_order(target)
        beams = [(segments, float(target.probabilities[label]))]
        found: list[Segments] = []
        for core, offset in words[:self.max_words]:
            places = [_find(beam, core, offset) for beam, _ in beams]
            contexts = [_context_at(beam, place) for (beam, _), place in zip(beams, places, strict=True) if place]
            filled = iter((yield Fill(tuple(contexts), self.width)) if contexts else ())
            step: list[tuple[Segments, float | None]] = []  # without a probability: still to be asked
            for (beam, probability), place in zip(beams, places, strict=True):
                replaced, cut = _changes(beam, place, core, next(filled)[0]) if place else ([], [])
                step += [*((t, None) for t in replaced), (beam, probability), *((t, None) for t in cut)]
            step = [(t, probability) for t, probability in step if splits_back(segments, t)]
            texts = [t for t, probability in step if probability is None]
            answers: list[float | None] = []  # None: a success, which goes no further
            while len(answers) < len(texts) and len(found) < self.early_stop:
                rows = yield Score(texts[len(answers):], until_flip=label)
                answers += rows[:, label].tolist()
                if target.moved(rows[-1]):
                    answers[-1] = None
                    found.append(texts[len(answers) - 1])
            if len(found) >= self.early_stop:
                break
            asked = iter(answers)
            step = [(t, next(asked) if probability is None else probability) for t, probability in step]
            beams = _lowest([(t, probability) for t, probability in step if probability is not None], self.beams)
        return (yield from _closest(segments, found))

    def _published_order(self, target: Target) -> Generator[Score, Any, list[tuple[str, int]]]:
        """The words without their outer marks, and their offsets in the joined text, the most important first."""
        if self.importance == "lime":
            spans = [text.Word(m.group(), s, m.start(), m.end())
                     for s, segment in enumerate(target.segments) for m in _LIME_WORD.finditer(segment)]
            order = (yield from self._lime(target, spans)) if spans else []
            second = len(target.segments[0]) + len(text.SEPARATOR)
            return [(_OUTER.sub("", spans[i].text), spans[i].start + second * spans[i].segment) for i in order]
        joined = Joined(target.segments, newline=" ")
        if len(joined.words) == 1:
            return []
        masked = yield Score(LazyTexts(len(joined.words), joined.without), probe=True)
        order = ranking(drop_with_flip(target.probabilities, masked, target.label))
        offsets = [0, *accumulate(len(word) + 1 for word in joined.words)]
        order = [i for i in order if joined.words[i] and i != joined.separator]
        return [(_OUTER.sub("", joined.words[i]), offsets[i]) for i in order]


def _lowest(beams: list, count: int) -> list:
    """The ``count`` beams of lowest probability, rising."""
    order = ties.falling([-probability for _, probability in beams])
    return [beams[i] for i in order[:count]]


def _alike(original: Segments, found: Sequence[Segments]) -> list[Segments]:
    """Of more texts than are compared by meaning, those nearest to the original by characters."""
    texts = list(dict.fromkeys(found))
    if len(texts) <= COMPARED:
        return texts
    nearest = ties.falling(character_scores([(original, t) for t in texts]))[:COMPARED]
    return [texts[i] for i in sorted(nearest)]


def _closest(original: Segments, found: Sequence[Segments]) -> Steps:
    """The text closest in meaning to the original; None of none."""
    texts = tuple(dict.fromkeys(found))
    if len(texts) < 2:
        return texts[0] if texts else None
    meaning = yield Meaning(original, texts)
    return texts[ties.most(meaning)]


def _words(pieces: Sequence[str], word: text.Word) -> list[str]:
    """The masked LM's candidates that are whole words: no mark, inner piece or special token."""
    return [text.match_case(p, word.text) for p in pieces if p.isalnum()]


def _context(line: Sequence[text.Word], i: int, edits: Edits) -> Context:
    """What stands around word ``i`` of ``line``, the words of a segment, after the edits."""
    left, right = ([t for w in part if (t := edits.get(w, w.text)) != DELETED]
                   for part in (line[max(0, i - SEEN_WORDS):i], line[i + 1:i + 1 + SEEN_WORDS]))
    return tuple(left), tuple(right)


def render(segments: Segments, edits: Edits) -> Segments:
    """The text after the edits; a deleted word takes one space beside it along.

    >>> t = ("He said, very loudly, no.",)
    >>> w = text.words(t)
    >>> render(t, {w[0]: DELETED, w[1]: "Cried", w[4]: DELETED, w[6]: DELETED})
    ('Cried, very,.',)
    """
    result = list(segments)
    for word in sorted(edits, key=lambda w: (w.segment, w.start), reverse=True):
        left, right = result[word.segment][:word.start], result[word.segment][word.end:]
        if edits[word] == DELETED:
            if left.endswith(" ") and (not right or right[0].isspace() or right[0] in CLOSING):
                left = left[:-1]
            elif right.startswith(" ") and (not left or left[-1].isspace() or left[-1] in OPENING):
                right = right[1:]
        result[word.segment] = left + edits[word] + right
    return tuple(result)


def _find(segments: Segments, core: str, offset: int) -> text.Word | None:
    """Where the published code takes a word to stand: at or after its offset in the joined text, or else anywhere."""
    low = text.join(segments).lower()
    at = low.find(core.lower(), offset)
    if at < 0:
        at = low.find(core.lower())
    start = 0
    for number, segment in enumerate(segments):
        if start <= at and at + len(core) <= start + len(segment):
            at -= start
            return text.Word(segment[at:at + len(core)], number, at, at + len(core))
        start += len(segment) + len(text.SEPARATOR)
    return None  # nowhere, or on a pair's separator


def _context_at(segments: Segments, place: text.Word) -> Context:
    """What stands around a stretch of text, a pair read as one."""
    left = segments[place.segment][:place.start]
    right = segments[place.segment][place.end:]
    if len(segments) == 2:
        left, right = (left, text.SEPARATOR.join([right, segments[1]])) if place.segment == 0 else (
            text.SEPARATOR.join([segments[0], left]), right)
    before, after = ([w.text for w in text.words(part)] for part in (left, right))
    return around([*before, "", *after], len(before), len(before) + 1)


def _changes(segments: Segments, place: text.Word, core: str, pieces: Sequence[str],
             ) -> tuple[list[Segments], list[Segments]]:
    """The text with each candidate in place of a stretch, and the text without it and the spaces before it."""
    tokens = [p.removeprefix("##") for p in pieces if not _SPECIAL.fullmatch(p)]
    segment = segments[place.segment]
    shorter = segment[:place.start].rstrip() + segment[place.end:]
    return ([text.replace(segments, {place: t}) for t in tokens if t != core],
            [(*segments[:place.segment], shorter, *segments[place.segment + 1:])])
