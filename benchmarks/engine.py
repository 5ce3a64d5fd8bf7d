"""How fast the attack engine runs BERT-ATTACK, and how far it is from the physical limit. One process, one run.

    OMP_NUM_THREADS=1 python benchmarks/engine.py --victim runs/train/pr/tiny/seed=0 --victim runs/train/pr/minilm/seed=0 \
        --victim runs/train/pr/bilstm/seed=0 --texts pr/attack.tsv --long hn/attack.tsv

For each victim on 100 sentences, and for the victim named by ``--long-victim`` on 40 long texts:

engine      ``hardtext.attacks.engine.run``, victim and masked LM already loaded, nothing cached.
one by one  the same algorithm asking one query at a time: the victim and the masked LM get one text a call, nothing is
            remembered and nothing sent ahead. Its answers are the engine's; the run stops at ``--naive-seconds``, and
            the rest is counted at the speed of the queries so far (marked ≈).
TextAttack  version 0.3.11's own BERT-ATTACK recipe (its 8 candidates, all of which are asked) with its
            UniversalSentenceEncoder taken out, on the same victim and masked LM, until ``--peer-seconds``.
bare        the distinct texts that the algorithm asked for, sent through the victim at once, sorted and in full batches;
            and, apart, the texts that the masked LM had to read, likewise. Engine time / bare victim is the ratio to
            the physical limit; the second ratio counts the bare masked LM into the limit too.

The second table says what the rest is: "in the victim" beyond the bare victim are texts sent ahead of a flip that were not
needed, and smaller batches; "its own" is building, hashing and handing round texts. Where the masked LM is larger than the
victim, no engine can keep the first ratio: the bare masked LM is its floor.

Texts are files of BODEGA's layout (label, source, text in tab-separated columns); without them, texts made from the
sample domain, in the lengths of the propaganda corpus or of news articles. Victims are folders that train.py made;
without them, networks with fresh heads. Such a victim is fooled at once or never: its figures say little.
"""

from __future__ import annotations

import argparse
import logging
import random
import signal
import statistics
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter as clock

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from hardtext import load_victim, seeding
from hardtext.attacks import BertAttack
from hardtext.attacks.base import Target
from hardtext.attacks.bert_attack import VARIANTS
from hardtext.attacks.engine import run
from hardtext.attacks.masked_lm import MaskedLM, load_masked_lm
from hardtext.attacks.masked_lm_service import Proposing, Rating
from hardtext.attacks.requests import Perplexity, Propose, Score
from hardtext.attacks.services import Stats, Task
from hardtext.attacks.ties import moved
from hardtext.attacks.victim_service import Cache, digest
from hardtext.core import Attempt, Domain, Example, Segments
from hardtext.domains import bodega_tsv
from hardtext.domains.sample import generate
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.local import LocalVictim, of_module

DOMAIN = Domain("benchmark", ("credible", "non-credible"))
FRESH = {"tiny": Encoder(path="bundled:tiny"), "minilm": Encoder(path="bundled:minilm"), "bilstm": BiLSTM()}
GOALS = {"tiny": 4.0, "minilm": 2.0, "bilstm": 3.5}  # engine against one by one
PEER_GOAL, LIMIT_GOAL = 20.0, 1.15
SEED = 0
SERVICES = {Propose: Proposing, Perplexity: Rating}
Answer = Callable[[Segments], np.ndarray]
"""The victim's probabilities of one text: float64, (classes,)."""


def made_texts(n: int, median: float, spread: float, most: int) -> list[Example]:
    """Running text of the sample domain cut at log-normal lengths (in words)."""
    words = cycle(w for e in generate()["attack"] for s in e.segments for w in s.split())
    lengths = np.random.default_rng(SEED).lognormal(np.log(median), spread, n).clip(3, most).astype(int)
    return [Example(str(i), (" ".join(islice(words, int(k))),), 0) for i, k in enumerate(lengths)]


def read_texts(path: Path, n: int) -> list[Example]:
    rows = bodega_tsv.read_rows(path, DOMAIN)[:n]
    return [Example(str(i), row.segments, row.label) for i, row in enumerate(rows)]


# ---- the four ways

@dataclass
class EngineRun:
    seconds: float
    stats: Stats
    attempts: list[Attempt]
    cache: Cache


def with_engine(attack: BertAttack, victim: LocalVictim, masked_lm: MaskedLM, examples: Sequence[Example]) -> EngineRun:
    stats, cache = Stats(), Cache()
    start = clock()
    attempts = list(run(attack, victim, examples, domain=DOMAIN.name, seed=SEED, cache=cache, masked_lm=masked_lm,
                        stats=stats))
    return EngineRun(clock() - start, stats, attempts, cache)


def one_by_one(attack: BertAttack, victim: LocalVictim, masked_lm: MaskedLM, example: Example, ask: Answer,
               stats: Stats, proposals: list[Propose]) -> tuple[Segments | None, int]:
    """What the attack finds, and how many queries it asked. ``stats`` and ``proposals`` are added to."""
    asked = 0

    def row(text: Segments) -> np.ndarray:
        nonlocal asked
        asked += 1
        return ask(text)

    def answer(request):
        if not isinstance(request, Score):
            if isinstance(request, Propose):
                proposals.append(request)
            SERVICES[type(request)](masked_lm, stats).serve([task := Task(request)])
            return task.answer
        rows = []
        for text in request.texts:
            rows.append(row(text))
            if request.until_flip is not None and moved(rows[-1], request.until_flip):
                break
        return np.array(rows)

    target = Target(example.segments, row(example.segments), seeding.generator(SEED, attack.name, example.id),
                    victim.window(example.segments))
    steps = attack.steps(target)
    try:
        request = next(steps)
        while True:
            request = steps.send(answer(request))
    except StopIteration as end:
        found = end.value
    if found is not None:
        row(found)  # the check that the engine ends with
    return found, asked


def textattack_recipe(victim: LocalVictim, masked_lm: MaskedLM) -> Callable[[Example], None]:
    """TextAttack's ``BERTAttackLi2020`` as its build() composes it, less UniversalSentenceEncoder (TensorFlow)."""
    from hardtext.attacks.textattack.setup import import_textattack

    textattack = import_textattack()
    from textattack.constraints.overlap import MaxWordsPerturbed
    from textattack.constraints.pre_transformation import RepeatModification, StopwordModification
    from textattack.goal_functions import UntargetedClassification
    from textattack.models.wrappers import ModelWrapper
    from textattack.search_methods import GreedyWordSwapWIR
    from textattack.transformations import WordSwapMaskedLM

    class Wrapper(ModelWrapper):
        model = victim.net

        def __call__(self, texts):
            return victim.probabilities([(t,) for t in texts])

    model, tokenizer = masked_lm.parts
    transformation = WordSwapMaskedLM(method="bert-attack", masked_language_model=model, tokenizer=tokenizer,
                                      max_candidates=8)
    attack = textattack.Attack(
        UntargetedClassification(Wrapper()),
        [RepeatModification(), StopwordModification(), MaxWordsPerturbed(max_percent=0.4)],
        transformation, GreedyWordSwapWIR(wir_method="unk"))

    def one(example: Example) -> None:
        attack.attack(example.segments[0], int(victim.probabilities([example.segments])[0].argmax()))

    return one


class OutOfTime(Exception):
    pass


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises OutOfTime when so many seconds of the clock are over."""

    def stop(*_) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- one row of the table

@dataclass
class Figures:
    name: str
    texts: str
    examples: int
    successes: int
    queries: int
    differences: int  # attempts in which the engine and the one-by-one algorithm differ
    engine: float  # seconds, as all of these
    victim: float
    masked_lm: float
    sent: int
    calls: int
    rounds: int
    needed: int
    bare_victim: float
    bare_tokenising: float
    bare_masked_lm: float
    naive: float
    naive_masked_lm: float
    naive_is_estimate: bool
    peer: float  # for all examples, at the rate of the finished ones
    peer_finished: int


def measure(options: argparse.Namespace, victim: LocalVictim, masked_lm: MaskedLM, texts: str,
            examples: Sequence[Example]) -> Figures:
    attack = BertAttack(variant=options.variant)
    with_engine(attack, victim, masked_lm, sorted(examples, key=lambda e: len(e.segments[0]))[:4])  # warms up
    runs = [with_engine(attack, victim, masked_lm, examples)]

    # The same algorithm again, answered from what the engine's victim said: which texts it needs, and whether it ends alike.
    needed: dict[Segments, None] = {}
    proposals: list[Propose] = []
    attempts = {a.id: a for a in runs[0].attempts if a.status != "skipped"}
    attacked = [e for e in examples if e.id in attempts]
    differences = 0

    def remembered(text: Segments) -> np.ndarray:
        needed[text] = None
        return runs[0].cache.get(digest(text))

    for example in attacked:
        found, queries = one_by_one(attack, victim, masked_lm, example, remembered, Stats(), proposals)
        attempt = attempts[example.id]
        differences += queries != attempt.queries or (attempt.status == "success" and found != attempt.adversarial)

    def bare() -> tuple[float, float, float]:
        start = clock()
        victim.probabilities(list(needed))
        after_victim = clock()
        victim.tokens(list(needed))
        after_tokens = clock()
        Proposing(masked_lm, Stats()).serve([Task(p) for p in dict.fromkeys(proposals)])
        return after_victim - start, after_tokens - after_victim, clock() - after_tokens

    limits = [bare()]
    for _ in range(options.repeats - 1):  # by turns, so that a slow minute of the machine hits both
        runs.append(with_engine(attack, victim, masked_lm, examples))
        limits.append(bare())
    middle = sorted(runs, key=lambda r: r.seconds)[len(runs) // 2]
    bare_victim, bare_tokenising, bare_masked_lm = (statistics.median(column) for column in zip(*limits, strict=True))

    shuffled = random.Random(SEED).sample(attacked, len(attacked))  # a run that is cut short has met all kinds
    queries = sum(a.queries for a in attempts.values())
    naive_stats = Stats()
    naive, naive_queries = _until(options.naive_seconds, shuffled, lambda e: one_by_one(
        attack, victim, masked_lm, e, lambda t: victim.probabilities([t])[0].astype(np.float64), naive_stats, [])[1])
    scale = queries / max(1, sum(naive_queries))
    peer, finished = float("nan"), []
    if options.peer_seconds:
        one = textattack_recipe(victim, masked_lm)
        one(Example("warm-up", ("A small test.",), 0))
        peer, finished = _until(options.peer_seconds, shuffled, one)
    stats = middle.stats
    return Figures(
        name=victim.name, texts=texts, examples=len(attacked), queries=queries, differences=differences,
        successes=sum(a.status == "success" for a in attempts.values()), engine=middle.seconds,
        victim=stats.victim_seconds, masked_lm=stats.masked_lm_seconds, sent=stats.sent, calls=stats.calls,
        rounds=stats.rounds, needed=len(needed), bare_victim=bare_victim, bare_tokenising=bare_tokenising,
        bare_masked_lm=bare_masked_lm, naive=naive * scale, naive_masked_lm=naive_stats.masked_lm_seconds * scale,
        naive_is_estimate=len(naive_queries) < len(attacked),
        peer=peer * len(attacked) / len(finished) if finished else float("nan"), peer_finished=len(finished))


def _until(budget: float, examples: Sequence[Example], work: Callable[[Example], object]) -> tuple[float, list]:
    """Work through the examples until ``budget`` seconds are over: the time of the finished ones, and what came of
    each."""
    results: list = []
    start = end = clock()
    try:
        with at_most(budget):
            for example in examples:
                results.append(work(example))
                end = clock()
    except OutOfTime:
        pass
    return end - start, results


# ---- tables

LEFT = ("victim", "texts")


def speed(rows: Sequence[Figures], title: str) -> Table:
    table = Table(title=title)
    for heading in (*LEFT, "success", "queries an example", "engine, examples/s", "one by one", "engine is … times as fast",
                    "… the masked LM apart", "TextAttack", "engine is … times as fast"):
        table.add_column(heading, justify="left" if heading in LEFT else "right")
    for r in rows:
        about = "≈" if r.naive_is_estimate else ""
        table.add_row(
            r.name, f"{r.examples} {r.texts}", f"{r.successes / r.examples:.2f}", f"{r.queries / r.examples:.0f}",
            f"{r.examples / r.engine:.2f}", f"{about}{r.examples / r.naive:.2f}",
            _goal(r.naive / r.engine, GOALS.get(r.name)),
            f"{(r.naive - r.naive_masked_lm) / (r.engine - r.masked_lm):.1f}",
            f"{r.examples / r.peer:.3f} (of {r.peer_finished})" if r.peer_finished else "-",
            _goal(r.peer / r.engine, PEER_GOAL) if r.peer_finished else "-")
    return table


def _goal(ratio: float, goal: float | None) -> str:
    return f"{ratio:.1f}" + (f" (goal ≥ {goal:g})" if goal else "")


def limit(rows: Sequence[Figures]) -> Table:
    table = Table(title="Where the engine's time goes (seconds), and the limit")
    for heading in (*LEFT, "engine", "bare victim", "ratio", "bare victim and masked LM", "ratio", "in the victim",
                    "in the masked LM", "its own", "bare victim: tokenising"):
        table.add_column(heading, justify="left" if heading in LEFT else "right")
    for r in rows:
        both = r.bare_victim + r.bare_masked_lm
        table.add_row(
            r.name, r.texts, f"{r.engine:.2f}", f"{r.bare_victim:.2f}",
            f"{r.engine / r.bare_victim:.2f} (goal ≤ {LIMIT_GOAL})", f"{both:.2f}", f"{r.engine / both:.2f}",
            f"{r.victim:.2f}", f"{r.masked_lm:.2f}", f"{r.engine - r.victim - r.masked_lm:.2f}", f"{r.bare_tokenising:.2f}")
    return table


def counts(rows: Sequence[Figures]) -> Table:
    table = Table(title="What the victim was asked")
    for heading in (*LEFT, "queries", "distinct texts needed", "sent beyond", "rounds", "calls", "texts a call",
                    "attempts unlike one by one"):
        table.add_column(heading, justify="left" if heading in LEFT else "right")
    for r in rows:
        table.add_row(r.name, r.texts, str(r.queries), str(r.needed), f"{r.sent / r.needed - 1:+.1%}", str(r.rounds),
                      str(r.calls), f"{r.sent / r.calls:.0f}", str(r.differences))
    return table


def victims(folders: Sequence[Path]) -> list[LocalVictim]:
    if not folders:
        return [of_module(settings.module(DOMAIN, SEED), name, device="cpu") for name, settings in FRESH.items()]
    return [load_victim(folder, device="cpu") for folder in folders]


def main() -> None:
    parser = argparse.ArgumentParser(description="BERT-ATTACK with the engine, one by one, with TextAttack, and the limit.")
    parser.add_argument("--victim", type=Path, action="append", default=[], help="a folder; may be given several times")
    parser.add_argument("--texts", type=Path, help="sentences (default: made ones)")
    parser.add_argument("--long", type=Path, help="long texts (default: made ones)")
    parser.add_argument("--examples", type=int, default=100, help="sentences to attack")
    parser.add_argument("--long-examples", type=int, default=40, help="long texts to attack; 0 for none")
    parser.add_argument("--long-victim", default="tiny", help="name of the victim of the long texts")
    parser.add_argument("--variant", choices=VARIANTS, default="hardtext")
    parser.add_argument("--masked-lm", default="bundled")
    parser.add_argument("--repeats", type=int, default=3, help="runs of the engine and of the bare models; the median counts")
    parser.add_argument("--naive-seconds", type=float, default=120, help="for each row")
    parser.add_argument("--peer-seconds", type=float, default=120, help="for each row; 0 leaves TextAttack out")
    options = parser.parse_args()
    logging.getLogger("transformers").setLevel(logging.ERROR)
    warnings.simplefilter("ignore")

    masked_lm = load_masked_lm(options.masked_lm, device="cpu")
    sentences = (read_texts(options.texts, options.examples) if options.texts
                 else made_texts(options.examples, 15.5, 0.85, 129))
    articles = (read_texts(options.long, options.long_examples) if options.long
                else made_texts(options.long_examples, 450, 0.6, 2000))
    found = victims(options.victim)
    jobs = [(v, "sentences", sentences) for v in found]
    jobs += [(v, "long texts", articles) for v in found if v.name == options.long_victim and articles]
    console = Console(width=160)
    rows = []
    for victim, texts, examples in jobs:
        console.print(f"{victim.name}: {len(examples)} {texts} …")
        rows.append(measure(options, victim, masked_lm, texts, examples))
        console.print(f"  engine {rows[-1].engine:.1f} s, one by one {rows[-1].naive:.1f} s, "
                      f"bare victim {rows[-1].bare_victim:.1f} s")
    title = (f"BERT-ATTACK ({options.variant}), masked LM {options.masked_lm}; "
             f"{'given' if options.texts else 'made'} sentences, {'given' if options.long else 'made'} long texts, "
             f"{'trained victims' if options.victim else 'victims with fresh heads'}; {torch.get_num_threads()} thread(s), "
             f"median of {options.repeats}")
    console.print(speed(rows, title))
    console.print(limit(rows))
    console.print(counts(rows))


if __name__ == "__main__":
    main()
