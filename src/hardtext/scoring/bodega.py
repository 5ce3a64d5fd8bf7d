"""The BODEGA score of one attempt and the average over many (Przybyła et al. 2023). Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from hardtext.scoring.normalise import for_characters, for_meaning

NOT_GENERATED = "NOT_GENERATED"
"""What BODEGA hands to the semantic scorer where an original sentence has no counterpart at all."""

Pair = tuple[str, str]
"""(reference, candidate): an original sentence and its counterpart, as ``for_meaning`` forms them."""


def character_score(original: str, adversarial: str) -> float:
    """1 − Levenshtein distance in code points / length of the longer text, both as ``for_characters`` forms them.

    Two texts without any word or mark score 1 (the published formula divides by zero there).

    >>> character_score("Fake news", "Fаke news")  # one Cyrillic letter
    0.8888888888888888
    """
    first, second = for_characters(original), for_characters(adversarial)
    longest = max(len(first), len(second))
    return 1.0 - Levenshtein.distance(first, second) / longest if longest else 1.0


def align(originals: Sequence[str], adversarials: Sequence[str]) -> list[int | None]:
    """For each original sentence the index of the nearest adversarial one, None where there is none.

    Nearest: least Levenshtein distance / length of the longer, as ``for_characters`` forms them; the first wins ties;
    two empty sentences have distance 0. One sentence may serve several originals; one that serves none costs nothing.
    """
    if not adversarials:
        return [None] * len(originals)
    choices = [for_characters(sentence) for sentence in adversarials]
    first_index: dict[str, int] = {}
    for index, choice in enumerate(choices):
        first_index.setdefault(choice, index)
    result: list[int | None] = []
    for sentence in originals:
        wanted = for_characters(sentence)
        index = first_index.get(wanted)  # an unchanged sentence has distance 0: nothing to search
        if index is None:
            _, _, index = process.extractOne(wanted, choices, scorer=Levenshtein.normalized_distance)
        result.append(index)
    return result


def sentence_pairs(originals: Sequence[str], adversarials: Sequence[str]) -> list[Pair]:
    """What the semantic scorer is asked about a document: one pair for each original sentence."""
    forms = [for_meaning(sentence) for sentence in adversarials]
    return [(for_meaning(sentence), NOT_GENERATED if index is None else forms[index])
            for sentence, index in zip(originals, align(originals, adversarials))]


def semantic_scores(documents: Sequence[Sequence[Pair]],
                    score_pairs: Callable[[list[Pair]], numpy.ndarray]) -> numpy.ndarray:
    """The semantic score of each document: the mean over its pairs, each clipped to [0, 1]. Float, (documents,).

    ``score_pairs`` is called once, with all pairs of all documents. Every document holds at least one pair.
    """
    if not documents:
        return numpy.zeros(0)
    values = numpy.clip(score_pairs([pair for document in documents for pair in document]), 0.0, 1.0)
    sizes = numpy.array([len(document) for document in documents])
    of_document = numpy.repeat(numpy.arange(len(documents)), sizes)
    return numpy.bincount(of_document, weights=values, minlength=len(documents)) / sizes


def columns(success: numpy.ndarray, semantic: numpy.ndarray, character: numpy.ndarray) -> dict[str, numpy.ndarray]:
    """The four measures of each instance; every average is the mean of a column without its nan.

    Takes three (n,) arrays; ``semantic`` and ``character`` count only where ``success`` is true. Returns (n,) float
    arrays: confusion 0 or 1; semantic and character, nan where the attack did not succeed; bodega, their product and
    0 where the attack did not succeed. So confusion and bodega are means over all instances, semantic and character
    over successes, and BODEGA is not the product of the other three averages.
    """
    success = numpy.asarray(success, dtype=bool)
    semantic = numpy.where(success, semantic, numpy.nan)
    character = numpy.where(success, character, numpy.nan)
    return {"confusion": success.astype(float), "semantic": semantic, "character": character,
            "bodega": numpy.where(success, semantic * character, 0.0)}


def mean(column: numpy.ndarray) -> float | None:
    """The mean of a column without its nan; None where nothing is left."""
    values = column[~numpy.isnan(column)]
    return float(numpy.mean(values)) if len(values) else None
