"""Golden rows: what OpenAttack 2.1.1 makes of 60 sample texts, for tests/attacks/test_golden_openattack.py.

    pip download --no-deps OpenAttack==2.1.1 -d openattack
    python -m zipfile -e openattack/OpenAttack-2.1.1-py3-none-any.whl openattack
    python scripts/golden_openattack.py openattack [--output tests/attacks/golden]

OpenAttack is no requirement of the project: it is put on the import path from the folder it was unpacked in, and runs
beside the project's own packages (requirements.txt). It needs transformers 4, since it calls ``encode_plus``, which
transformers 5 dropped. Its code stays as it is; called as BODEGA calls it (Przybyła et al. 2023), with three additions:

* its tokenizer is NLTK's WordPunct alone, since its sentence splitter is a download (on these texts both agree:
  ``scoring/normalise.py`` has the cases where they would not);
* DeepWordBug's unstable sort of the tokens gets values without ties, so that of equal tokens the first is edited;
* NumPy's global generator is seeded before each text as ours is, and not once for the whole run.

Both victims are the same on every machine: one is whole numbers, the other a real network whose probabilities are
rounded. A text is left out where float noise could change the rows: where two candidates of the masked LM, or a
candidate and the threshold, or a probability and the edge where it would be rounded otherwise, are close together.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy
import torch
from nltk.tokenize import WordPunctTokenizer
from transformers import BertForMaskedLM

from hardtext import seeding, text
from hardtext.attacks.deepwordbug import FIRE
from hardtext.attacks.masked_lm import MaskedLM
from hardtext.core import Example, Segments
from hardtext.domains.sample import generate
from hardtext.records import write_rows
from hardtext.victims.encoder import build, load_config
from hardtext.victims.local import LocalVictim
from hardtext.victims.tokens import load_tokenizer
from hardtext.weights import bundled

TEXTS, SEED = 60, 7
K, THRESHOLD = 36, 0.3  # BERT-ATTACK's candidates and least logit, as BODEGA sets them
LOGIT_NOISE, PROBABILITY_NOISE = 2e-5, 5e-6


class Bag:
    """Each word of each segment has a whole number for a weight; the probability is a logistic function of their sum.

    The sum is exact, so equal texts are equal and others differ by far more than float noise.
    """

    name, classes = "bag", ("0", "1")

    def probabilities(self, texts: Sequence[Segments]) -> numpy.ndarray:
        sums = [sum(_weight(f"{i}{word}") for i, segment in enumerate(t) for word in re.findall(r"\w+|[^\w\s]", segment))
                for t in texts]
        second = 1 / (1 + numpy.exp(-numpy.array(sums, dtype=numpy.float64) / 250))
        return numpy.stack([1 - second, second], axis=1).astype(numpy.float32)


class Tiny:
    """The packaged 4.4M-parameter BERT under a head of arithmetic, its probabilities rounded to hundredths.

    ``nearest``: how close a probability has come to the edge where it would have been rounded the other way.
    """

    name, classes = "tiny", ("0", "1")

    def __init__(self) -> None:
        folder = bundled("tiny")
        net = build(load_config(folder, option="victim", num_labels=2), folder, fresh_head=True)
        size = net.config.hidden_size
        with torch.no_grad():
            net.bert.pooler.dense.weight.copy_(torch.eye(size))
            net.bert.pooler.dense.bias.zero_()
            net.classifier.weight.copy_(torch.tensor([[_weight(f"{c} {j}") / 250 for j in range(size)] for c in range(2)]))
            net.classifier.bias.copy_(torch.tensor([0.0, -0.8]))  # with it the sample texts lie on both sides
        self._net = LocalVictim(net, load_tokenizer("bundled:tiny", option="victim"), name=self.name,
                                classes=self.classes, max_length=512, device="cpu")
        self.nearest = 0.5

    def probabilities(self, texts: Sequence[Segments]) -> numpy.ndarray:
        exact = self._net.probabilities(texts)[:, 1].astype(numpy.float64) * 100
        self.nearest = min(self.nearest, numpy.abs(exact - numpy.floor(exact) - 0.5).min() / 100)
        second = numpy.round(exact) / 100
        return numpy.stack([1 - second, second], axis=1).astype(numpy.float32)


def _weight(name: str) -> int:
    """A whole number from -100 to 100, by the name alone."""
    return zlib.crc32(name.encode("utf-8")) % 201 - 100


def network() -> BertForMaskedLM:
    """The packaged 4.4M-parameter BERT. Its logits are raised: as they are the threshold leaves four candidates or so,
    now it cuts at one half of the places and K at the other."""
    model = BertForMaskedLM.from_pretrained(bundled("tiny"))
    with torch.no_grad():
        model.get_output_embeddings().bias.add_(1.5)
    return model


def masked_lm() -> MaskedLM:
    return MaskedLM(network(), load_tokenizer("bundled:tiny", option="masked_lm"), name="tiny", device="cpu")


def texts() -> Iterator[Example]:
    """The sample domain's pairs in three forms by turns: the pair, both segments as one text with a line break (which
    BERT-ATTACK deletes), and the claim alone."""
    for i, pair in enumerate(generate()["attack"]):
        segments = (pair.segments, ("\n".join(pair.segments),), pair.segments[1:])[i % 3]
        yield Example(pair.id, segments, pair.label)


def clear(model: MaskedLM, segments: Segments) -> bool:
    """Whether no two candidates for a word are so close that another machine could put them in another order."""
    words = text.join(segments).lower().replace("\n", "").split(" ")
    pieces = [piece for word in model.pieces(words) for piece in word]
    [(_, logits)] = model.topk([pieces], K + 1)
    return bool((-numpy.diff(logits)).min() > LOGIT_NOISE and numpy.abs(logits - THRESHOLD).min() > LOGIT_NOISE)


def attackers(folder: Path) -> dict[str, object]:
    """OpenAttack's two attacks, by our names."""
    from OpenAttack.attack_assist.filter_words import get_default_filter_words
    from OpenAttack.attackers import BERTAttacker, DeepWordBugAttacker
    from OpenAttack.tags import TAG_English
    from OpenAttack.text_process.tokenizer import Tokenizer

    class WordPunct(Tokenizer):
        TAGS = {TAG_English}

        def do_tokenize(self, x, pos_tagging=True):
            return WordPunctTokenizer().tokenize(x)

        def do_detokenize(self, x):
            return " ".join(x)

    class StableDeepWordBug(DeepWordBugAttacker):
        def scorefunc(self, *arguments):
            """Ranks for losses: they have no ties, and NumPy's default sort promises nothing about those."""
            return numpy.argsort(numpy.argsort(super().scorefunc(*arguments), kind="stable"))

    # OpenAttack wants the vocabulary as vocab.txt; the package has it in tokenizer.json only.
    network().save_pretrained(folder)
    vocabulary = load_tokenizer("bundled:tiny", option="masked_lm").get_vocab()
    (folder / "vocab.txt").write_text("".join(f"{p}\n" for p in sorted(vocabulary, key=vocabulary.get)), "utf-8")
    kept = [*get_default_filter_words(TAG_English), "~"]
    return {"bert_attack": BERTAttacker(mlm_path=str(folder), k=K, use_bpe=False, threshold_pred_score=THRESHOLD,
                                        filter_words=kept, device=torch.device("cpu")),
            "deepwordbug": StableDeepWordBug(token_unk=FIRE, tokenizer=WordPunct())}


def openattack_victim(victim: Bag | Tiny, pair: bool):
    """The victim as OpenAttack sees it: of strings, pairs joined by " ~ ". A text without the separator is read as a
    first segment without a second, one with too many likewise up to the first, as BODEGA's victims do."""
    from OpenAttack import Classifier

    class Joined(Classifier):
        def get_prob(self, strings):
            parts = [s.split(text.SEPARATOR) if pair else [s] for s in strings]
            return victim.probabilities([(p[0], p[1] if len(p) == 2 else "") if pair else (p[0],) for p in parts])

        def get_pred(self, strings):
            return self.get_prob(strings).argmax(axis=1)

    return Joined()


def attack(attacker, name: str, victim: Bag | Tiny, example: Example) -> tuple[str | None, int]:
    """The adversarial text, joined (None where there is none), and OpenAttack's own count of queries."""
    asked = openattack_victim(victim, pair=len(example.segments) == 2)
    asked.set_context({}, None)
    numpy.random.seed(seeding.generator(SEED, name, example.id).getrandbits(32))
    with torch.no_grad():
        found = attacker(asked, {"x": text.join(example.segments)})
    return found, asked.context.invoke


def main() -> None:
    parser = argparse.ArgumentParser(description="Golden rows of OpenAttack 2.1.1.")
    parser.add_argument("openattack", type=Path, help="the folder that OpenAttack's wheel was unpacked in")
    parser.add_argument("--output", type=Path, default=Path("tests/attacks/golden"))
    options = parser.parse_args()
    if not (options.openattack / "OpenAttack").is_dir():
        parser.error(f"{options.openattack}: no OpenAttack in this folder (the head of this script says how to get it)")
    sys.path.insert(0, str(options.openattack))

    torch.set_num_threads(1)
    model, kept, left_out = masked_lm(), [], 0
    rows: dict[str, list[dict]] = {"bert_attack": [], "deepwordbug": []}
    with tempfile.TemporaryDirectory() as folder:
        tools = attackers(Path(folder))
        for example in texts():
            if len(kept) == TEXTS:
                break
            victims = (Bag(), Tiny())
            found = [(name, {"victim": victim.name, "id": example.id, "adversarial": adversarial, "queries": queries})
                     for victim in victims for name, tool in tools.items()
                     for adversarial, queries in [attack(tool, name, victim, example)]]
            if victims[1].nearest < PROBABILITY_NOISE or not clear(model, example.segments):
                left_out += 1
                continue
            kept.append({"id": example.id, "segments": list(example.segments), "label": example.label})
            for name, row in found:
                rows[name].append(row)

    for name, lines in {"texts": kept, **rows}.items():
        write_rows(options.output / f"openattack_{name}.jsonl", lines)
    print(f"{len(kept)} texts, {left_out} left out for float noise")
    for name, lines in rows.items():
        for victim in ("bag", "tiny"):
            own = [line for line in lines if line["victim"] == victim]
            print(f"{name} on {victim}: {sum(r['adversarial'] is not None for r in own)} of {len(own)} found, "
                  f"{sum(r['queries'] for r in own)} queries")


if __name__ == "__main__":
    main()
