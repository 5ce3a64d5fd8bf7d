"""Make the bundled word vectors: MiniLM's, counter-fitted on WordNet (Mrkšić et al. 2016).

    python scripts/counter_fit.py [--output src/hardtext/attacks/data]

A few minutes on one core; the same versions and thread count give the same vectors. Words: the whole-word pieces of
MiniLM's vocabulary that WordNet knows, and every form of a lemma tagged at least three times in WordNet's corpus. Start:
the sentence encoding of the word alone beside the mean of its pieces' input embeddings (which know better what can stand
for what), both centred, reduced by principal components. Then three terms, as in the paper:

    attract   synonyms in the same form; weighed by how much of the less typical word's use that meaning is
    repel     antonyms in every form
    preserve  the cosines of near words; here also of random ones, and in both directions: the paper keeps the space from
              collapsing by stopping early

Beside the vectors it writes vectors.json: neighbours before and after, for all words and (fitted apart, without their
pairs) for a tenth of the words; and how the threshold was chosen.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy
import torch
from safetensors.numpy import save_file
from sentence_transformers import SentenceTransformer
from torch.nn.functional import normalize

from hardtext.attacks.vectors import PUBLISHED_THRESHOLD, Vectors
from hardtext.lexicon import wordnet
from hardtext.lexicon.inflection import FORMS, POS
from hardtext.records import write_text
from hardtext.seeding import derive, generator
from hardtext.weights import bundled

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "hardtext" / "attacks" / "data"
SIZE, TAGGED = 128, 3
STEPS, RATE, NEAREST, PRESERVED = 40, 0.005, 10, 60_000
ATTRACT, REPEL, PRESERVE = 1.0, 1.0, 1.0  # weight of each term's mean per pair
PROBES = 1_000
RELATED = 1 / 3
RULE = ("the smallest cosine, in steps of 0.05, above which a third of the neighbours are synonyms or forms of the word in "
        "WordNet; the published vectors were not at hand, so that their 0.5 could not be matched by measurement")
Pairs = dict[tuple[int, int], float]


def vocabulary(pieces: list[str]) -> list[str]:
    """The words, those of the masked LM's vocabulary first (which is in order of frequency)."""
    frequent = [p for p in pieces if _plain(p) and wordnet.known(p)]
    table = wordnet.table()
    tagged = [written for lemma in table.lemmas() for pos in POS
              if sum(s.count for s in table.senses(lemma, pos)) >= TAGGED for written in _forms(lemma, pos)]
    return list(dict.fromkeys(frequent + sorted(filter(_plain, tagged))))


def start(words: list[str], encoder: SentenceTransformer) -> numpy.ndarray:
    """Vectors before counter-fitting: float, (words, SIZE), of length 1."""
    encoded = encoder.encode(words, batch_size=256, normalize_embeddings=True, show_progress_bar=False)
    table = encoder[0].auto_model.embeddings.word_embeddings.weight.detach().numpy()
    ids = encoder.tokenizer(words, add_special_tokens=False)["input_ids"]
    both = numpy.hstack([_unit(m - m.mean(0)) for m in (encoded, numpy.stack([table[i].mean(0) for i in ids]))])
    _, directions = numpy.linalg.eigh(both.T @ both)
    return _unit(both @ directions[:, ::-1][:, :SIZE])


def pairs(words: list[str]) -> tuple[Pairs, Pairs]:
    """Synonyms and antonyms as (row, row) with a weight in 0..1; the first row is the smaller."""
    index = {word: i for i, word in enumerate(words)}
    meanings: dict[tuple, dict[tuple[int, str], float]] = defaultdict(dict)
    # (pos, form, words of the synset): {(row, lemma): how much of the word's use this is}
    repel: Pairs = {}
    for word, row in index.items():
        table = wordnet.table()
        senses = [(r, s) for r in wordnet.readings(word) for s in table.senses(r.lemma, r.pos)]
        total = sum(s.count + 0.5 for _, s in senses)
        for reading, sense in senses:
            key, share = (reading.pos, reading.form, tuple(sense.names)), (sense.count + 0.5) / total
            meanings[key][row, reading.lemma] = meanings[key].get((row, reading.lemma), 0.0) + share
            for other in (index[f] for a in sense.antonyms for f in _forms(a, reading.pos) if f in index):
                pair = (min(row, other), max(row, other))
                repel[pair] = max(repel.get(pair, 0.0), share)
    attract: Pairs = defaultdict(float)
    for shares in meanings.values():
        for a, b in combinations(sorted(shares), 2):
            if a[0] != b[0] and a[1] != b[1]:  # lied and lay are forms of one lemma, and no synonyms
                attract[a[0], b[0]] += min(shares[a], shares[b])
    return {p: min(w, 1.0) for p, w in attract.items() if p not in repel}, repel


def counter_fit(before: numpy.ndarray, attract: Pairs, repel: Pairs, seed: int) -> numpy.ndarray:
    """The vectors after fitting: float, (words, SIZE), of length 1."""
    torch.manual_seed(seed)
    old = torch.from_numpy(before)
    new = old.clone().requires_grad_(True)
    near, far = _tensors(attract), _tensors(repel)
    close = torch.from_numpy(_nearest(before, NEAREST))
    optimizer = torch.optim.Adam([new], lr=RATE)
    for _ in range(STEPS):
        kept = close[torch.randint(len(close), (PRESERVED,))]
        kept = torch.cat([kept, torch.randint(len(old), (PRESERVED, 2))])
        unit = normalize(new)
        loss = (ATTRACT * (near[1] * (1 - _cosines(unit, near[0]))).sum() / near[1].sum()
                + REPEL * (far[1] * _cosines(unit, far[0]).clamp(min=0)).sum() / far[1].sum()
                + PRESERVE * (_cosines(unit, kept) - _cosines(old, kept)).abs().mean())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return normalize(new).detach().numpy()


class Judge:
    """What WordNet says about neighbours, for a sample of the words that have synonyms."""

    def __init__(self, words: list[str], seed: int) -> None:
        index = {word: i for i, word in enumerate(words)}
        with_synonyms = [w for w in words if any(s in index for s in wordnet.synonyms(w))]
        self.words = words
        self.probes = generator(seed, "probes").sample(with_synonyms, PROBES)
        self.held_out = [w for w in self.probes if held_out(w)]
        self.synonyms = {w: [s for s in wordnet.synonyms(w) if s in index] for w in self.probes}
        self.antonyms = {w: sorted(a for a in wordnet.antonyms(w) if a in index) for w in self.probes}
        self.own = {w: {f for r in wordnet.readings(w) for f in _forms(r.lemma, r.pos)} for w in self.probes}

    def neighbours(self, vectors: Vectors, probes: list[str]) -> dict[str, float]:
        """Shares of the 10 and 50 nearest words, and of the synonyms found among them."""
        shown = {}
        for k in (10, 50):
            near = {w: [n for n, _ in vectors.neighbours(w, k)] for w in probes}
            shown |= {f"{name} in {k}": _share(sum(n in of[w] for n in near[w]) for w in probes) / k
                      for name, of in (("synonyms", self.synonyms), ("antonyms", self.antonyms), ("own forms", self.own))}
            shown[f"synonyms found in {k}"] = _share(
                len({*self.synonyms[w]} & {*near[w]}) / len(self.synonyms[w]) for w in probes)
        return {name: round(value, 4) for name, value in shown.items()}

    def cosines(self, vectors: Vectors, probes: list[str], seed: int) -> dict[str, list[float]]:
        """Deciles 10, 50 and 90 of the cosine of each kind of pair."""
        rng = generator(seed, "random pairs")
        kinds = {"first synonym": [vectors.cosine(w, self.synonyms[w][0]) for w in probes],
                 "synonym": [vectors.cosine(w, s) for w in probes for s in self.synonyms[w]],
                 "antonym": [vectors.cosine(w, a) for w in probes for a in self.antonyms[w]],
                 "random": [vectors.cosine(w, rng.choice(self.words)) for w in probes]}
        return {kind: [round(float(q), 3) for q in numpy.quantile(values, (0.1, 0.5, 0.9))] for kind, values in kinds.items()}


    def thresholds(self, vectors: Vectors) -> dict[str, dict[str, float]]:
        """What each threshold leaves of the 50 nearest words: how many a word, how many of them synonyms or forms of the
        word; and of all synonyms and antonyms."""
        near = [(cosine, n in self.synonyms[w] or n in self.own[w])
                for w in self.probes for n, cosine in vectors.neighbours(w, 50)]
        pairs = {name: [vectors.cosine(w, o) for w in self.probes for o in of[w]]
                 for name, of in (("synonyms kept", self.synonyms), ("antonyms kept", self.antonyms))}
        shown = {}
        for least in (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
            left = [related for cosine, related in near if cosine >= least]
            shown[f"{least:.2f}"] = {"neighbours a word": round(len(left) / len(self.probes), 1),
                                     "synonyms or forms": round(_share(left), 3),
                                     **{n: round(_share(c >= least for c in cs), 3) for n, cs in pairs.items()}}
        return shown


def held_out(word: str) -> bool:
    """Whether a word's pairs are left out of the fit that is made to see what carries over to words without pairs."""
    return any(derive(0, "held out", lemma) % 10 == 0
               for lemma in sorted({word, *(r.lemma for r in wordnet.readings(word))}))


def _plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and len(word) > 1


def _forms(lemma: str, pos: str) -> list[str]:
    return list(dict.fromkeys(w for form in ("base", *FORMS[pos]) for w in wordnet.inflect(lemma, pos, form)))


def _unit(matrix: numpy.ndarray) -> numpy.ndarray:
    return (matrix / numpy.linalg.norm(matrix, axis=1, keepdims=True)).astype(numpy.float32)


def _nearest(unit: numpy.ndarray, k: int) -> numpy.ndarray:
    """Each word with each of its k nearest: int64, (words * k, 2)."""
    found = []
    for begin in range(0, len(unit), 2_000):
        part = unit[begin : begin + 2_000] @ unit.T
        part[numpy.arange(len(part)), numpy.arange(begin, begin + len(part))] = -1
        columns = numpy.argpartition(-part, k, axis=1)[:, :k]
        found.append(numpy.stack([numpy.repeat(numpy.arange(begin, begin + len(part)), k), columns.ravel()], axis=1))
    return numpy.concatenate(found)


def _tensors(found: Pairs) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(list(found)), torch.tensor(list(found.values()), dtype=torch.float32)


def _cosines(unit: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return (unit[rows[:, 0]] * unit[rows[:, 1]]).sum(1)


def _share(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def _packed(unit: numpy.ndarray) -> numpy.ndarray:
    """int8: each vector as long as fits, since cosines ask nothing of the length."""
    return numpy.round(unit / numpy.abs(unit).max(1, keepdims=True) * 127).astype(numpy.int8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    encoder = SentenceTransformer(str(bundled("minilm")), device="cpu")
    words = vocabulary(encoder.tokenizer.convert_ids_to_tokens(range(len(encoder.tokenizer))))
    before = start(words, encoder)
    attract, repel = pairs(words)
    left_out = {i for i, word in enumerate(words) if held_out(word)}
    without = [{p: w for p, w in kind.items() if not left_out & {*p}} for kind in (attract, repel)]
    after = counter_fit(before, attract, repel, args.seed)
    save_file({"vectors": _packed(after), "words": numpy.frombuffer("\n".join(words).encode(), dtype=numpy.uint8)},
              args.output / "vectors.safetensors")
    apart = counter_fit(before, *without, args.seed)
    judge, sets = Judge(words, args.seed), {}
    for name, unit in (("before", before), ("after", after), ("held out", apart)):
        vectors = Vectors(words, _packed(unit), name, PUBLISHED_THRESHOLD)
        probes = judge.held_out if name == "held out" else judge.probes
        sets[name] = judge.neighbours(vectors, probes) | {"cosines": judge.cosines(vectors, probes, args.seed)}
        if name == "before":
            sets["before, held-out words"] = judge.neighbours(vectors, judge.held_out)
    thresholds = judge.thresholds(Vectors(words, _packed(after), "after", PUBLISHED_THRESHOLD))
    least = next(t for t, left in thresholds.items() if left["synonyms or forms"] >= RELATED)
    report = {"words": len(words), "size": SIZE, "synonym pairs": len(attract), "antonym pairs": len(repel),
              "seed": args.seed, "threshold": {"value": float(least), "rule": RULE}, "thresholds": thresholds, **sets}
    write_text(args.output / "vectors.json", json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
