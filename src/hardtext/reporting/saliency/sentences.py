"""The sentence view (Flores and Hao 2022, Figure 2): which texts to show, and their words with a step of the scale. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hardtext.reporting.saliency import colours
from hardtext.reporting.saliency.rows import Explained, visible

EACH = 6  # texts shown for each reason
SURE = 0.8  # the probability from which a victim counts as sure
_UNREAD = 200  # characters shown of what the victim does not read


@dataclass(frozen=True)
class Part:
    """A stretch of a segment: a word or mark with its value and step, or what stands between them (value None).
    ``changed``: the attack changed it."""

    text: str
    value: float | None = None
    step: int = 0
    changed: bool = False


@dataclass(frozen=True)
class Side:
    """A segment. ``name`` is empty for a text of one segment; ``share``: of the text's |value|, what lies on this side.
    ``unread``: the start of what the victim does not read, and ``unread_characters`` how much that is."""

    name: str
    parts: tuple[Part, ...]
    share: float
    unread: str
    unread_characters: int


@dataclass(frozen=True)
class Sentence:
    """One text to show. ``reasons``: why it was chosen; ``limit``: the value at the ends of its scale, its strongest word;
    ``strongest``: (word, value), the strongest first."""

    row: Explained
    reasons: tuple[str, ...]
    limit: float
    sides: tuple[Side, ...]
    strongest: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        return visible(self.row.id)


def sentence(row: Explained, reasons: Sequence[str] = (), changed: Iterable[tuple[int, int]] = ()) -> Sentence:
    """``changed``: (segment, start) of the words that an attack changed."""
    limit = colours.limit([value for *_, value in row.pieces])
    changed = set(changed)
    total = sum(abs(value) for *_, value in row.pieces)
    names = ("evidence", "claim") if len(row.segments) == 2 else ("",)
    sides = []
    for index, (name, segment, read) in enumerate(zip(names, row.segments, row.read)):
        pieces = [piece for piece in row.pieces if piece[0] == index]
        parts, end = [], 0
        for _, start, stop, value in pieces:
            parts += [Part(visible(segment[end:start]))] * (start > end)
            parts.append(Part(visible(segment[start:stop]), value, colours.step(value, limit), (index, start) in changed))
            end = stop
        tail = segment[max(end, read):]
        parts += [Part(visible(segment[end:read]))] * (read > end)
        sides.append(Side(name, tuple(parts), sum(abs(value) for *_, value in pieces) / total if total else 0.0,
                          visible(tail[:_UNREAD]) if tail.strip() else "", len(tail) if tail.strip() else 0))
    strongest = sorted(((visible(word.text), value) for word, value in row.words_and_marks()), key=lambda w: -abs(w[1]))
    return Sentence(row, tuple(reasons), limit, tuple(sides), tuple(strongest[:10]))


def chosen(rows: Sequence[Explained], lexicon: frozenset[str], classes: Sequence[str],
           changed: Mapping[str, set[tuple[int, int]]] | None = None) -> list[Sentence]:
    """The texts worth a look: those whose intensifier weighs most, as in the paper, and the mistakes that the victim is
    surest of; of an attack the first successes; the first texts where these are fewer than ``EACH``."""
    reasons: dict[int, list[str]] = {}
    strengths = [(max((abs(value), word.text, value) for word, value in row.words() if word.text.lower() in lexicon), index)
                 for index, row in enumerate(rows) if any(word.text.lower() in lexicon for word, _ in row.words())]
    for (_, word, value), index in sorted(strengths, key=lambda found: (-found[0][0], found[1]))[:EACH]:
        reasons.setdefault(index, []).append(f"intensifier “{word}”: {value:+.3g}")
    mistakes = [(row.probs[row.prediction], index) for index, row in enumerate(rows)
                if 0 <= row.label < len(classes) and row.prediction != row.label]
    for certainty, index in sorted(mistakes, key=lambda found: (-found[0], found[1]))[:EACH]:
        kind = "a mistake it is sure of" if certainty >= SURE else "a mistake"
        reasons.setdefault(index, []).append(f"{kind} ({certainty:.0%})")
    for index in [index for index, row in enumerate(rows) if row.id in (changed or {})][:EACH]:
        reasons.setdefault(index, []).append("fooled by the attack; the words it changed are underlined")
    for index in range(min(EACH, len(rows))):
        if len(reasons) < EACH:
            reasons.setdefault(index, ["among the first texts"])
    return [sentence(rows[index], why, (changed or {}).get(rows[index].id, ())) for index, why in reasons.items()]
