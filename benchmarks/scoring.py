"""Our scoring of long texts against the published double loop: equal results, and how many times faster.

    OMP_NUM_THREADS=1 python benchmarks/scoring.py [--pairs 5] [--sentences 25] [--words 600] [--changed 0.33] [--pure]

The published loop (Przybyła et al. 2023) normalises both sentences again for every pair of sentences: lower case, NLTK's
Punkt into sentences, its WordPunct into tokens, joined; then takes the edit distance by the C++ library `editdistance`.
Punkt is used untrained here, since its English model would have to be downloaded. ``--pure`` adds the same loop with an edit
distance in Python (minutes). The semantic scorer is a stub, so only normalising, aligning and character scores are timed;
with BLEURT its time comes on top of both. Fails where a score differs or the goal of 20 times is missed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from nltk.tokenize import wordpunct_tokenize
from nltk.tokenize.punkt import PunktSentenceTokenizer
from rich.console import Console
from rich.table import Table

from hardtext.scoring.bodega import Pair, character_score, semantic_scores, sentence_pairs

GOAL = 20.0
Document = list[str]
Scores = list[tuple[float, float]]
"""(semantic, character) of each pair of documents."""


def documents(count: int, sentences: int, words: int, share: float, seed: int = 0) -> list[tuple[Document, Document]]:
    """Pairs of texts in the size of a news article: a share of the sentences changed in two words, one deleted."""
    generator = random.Random(seed)
    vocabulary = ["".join(generator.choices("etaoinshrdlucmfwypvbgk", k=generator.randint(2, 9))) for _ in range(3000)]
    result = []
    for _ in range(count):
        original = [_sentence(generator, vocabulary, words // sentences) for _ in range(sentences)]
        changed = [_change(generator, vocabulary, s) if generator.random() < share else s for s in original]
        del changed[generator.randrange(sentences)]
        result.append((original, changed))
    return result


def _sentence(generator: random.Random, vocabulary: Sequence[str], length: int) -> str:
    words = generator.choices(vocabulary, k=length)
    words[length // 2] += ","
    return " ".join(words).capitalize() + "."


def _change(generator: random.Random, vocabulary: Sequence[str], sentence: str) -> str:
    words = sentence.split(" ")
    for place in generator.sample(range(len(words) - 1), k=2):
        words[place] = generator.choice(vocabulary)
    return " ".join(words)


def stub(pairs: Sequence[Pair]) -> np.ndarray:
    """A score that depends on both texts and costs nothing."""
    return np.array([min(len(a), len(b)) / max(len(a), len(b)) for a, b in pairs])


def ours(pairs: Sequence[tuple[Document, Document]]) -> Scores:
    semantic = semantic_scores([sentence_pairs(old, new) for old, new in pairs], stub)
    character = [character_score(" ".join(old), " ".join(new)) for old, new in pairs]
    return list(zip(semantic.tolist(), character))


def published(pairs: Sequence[tuple[Document, Document]], distance: Callable[[str, str], int]) -> Scores:
    punkt = PunktSentenceTokenizer()

    def normalise(text: str) -> str:
        return " ".join(token for sentence in punkt.tokenize(text.replace("\n", " "))
                        for token in wordpunct_tokenize(sentence))

    def apart(first: str, second: str) -> float:
        first, second = normalise(first.lower()), normalise(second.lower())
        return distance(first, second) / max(len(first), len(second))

    result = []
    for old, new in pairs:
        total = 0.0
        for sentence in old:
            best, least = None, float("inf")
            for candidate in new:
                gap = apart(sentence, candidate)
                if gap < least:
                    best, least = candidate, gap
            total += min(1.0, max(0.0, stub([(normalise(sentence), normalise(best))])[0]))
        result.append((total / len(old), 1 - apart(" ".join(old), " ".join(new))))
    return result


def python_distance(first: str, second: str) -> int:
    """The Levenshtein distance, row by row."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        corner, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (a != b))
    return row[-1]


def timed(score: Callable[[], Scores], repeats: int = 1) -> tuple[Scores, float]:
    """What it gives, and its best time of several: processor seconds, which a busy machine does not stretch."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = score()
        times.append(time.process_time() - start)
    return result, min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=25)
    parser.add_argument("--words", type=int, default=600)
    parser.add_argument("--changed", type=float, default=1 / 3, help="share of the sentences that were changed")
    parser.add_argument("--pure", action="store_true", help="also with an edit distance in Python")
    arguments = parser.parse_args()
    import editdistance

    pairs = documents(arguments.pairs, arguments.sentences, arguments.words, arguments.changed)
    result, seconds = timed(lambda: ours(pairs), repeats=5)
    loops = {"published loop, editdistance (C++)": editdistance.eval}
    if arguments.pure:
        loops["the same loop, distance in Python"] = python_distance

    table = Table(title=f"{arguments.pairs} pairs of {arguments.words} words in {arguments.sentences} sentences, "
                        f"{arguments.changed:.0%} of them changed; stub in place of the semantic scorer")
    for name in ("", "ms a pair", "ratio"):
        table.add_column(name, justify="right" if name else "left")
    table.add_row("hardtext", f"{1000 * seconds / len(pairs):.2f}", "1")
    ratios = []
    for name, distance in loops.items():
        theirs, their_seconds = timed(lambda distance=distance: published(pairs, distance))
        np.testing.assert_allclose(result, theirs, rtol=0, atol=1e-12)
        ratios.append(their_seconds / seconds)
        table.add_row(name, f"{1000 * their_seconds / len(pairs):.1f}", f"{ratios[-1]:.0f}")
    Console().print(table)
    print("the scores are equal (1e-12)")
    return 0 if min(ratios) >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
