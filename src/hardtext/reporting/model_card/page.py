"""``README.md``: the front matter that the hub reads, and the card below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import yaml

from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import Sheet
from hardtext.reporting.model_card.facts import Card
from hardtext.reporting.model_card.limits import limits
from hardtext.reporting.model_card.sheets import clean_sheet, sheets_of
from hardtext.reporting.model_card.training import base_of, command, of_domain, shareable
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
CONTENTS = {
    "words.txt": "words of the training texts (each stands in them twice or more), which the clean-up takes for known",
    "synonyms.txt": "the table of the defence encode: words of the training texts and their synonyms",
    "hardtext.json": "what hardtext needs to load the model defended",
}
"""Files that are not transformers' own."""
_MARKS = str.maketrans({mark: "\\" + mark for mark in "\\|*_<>`[]"})


def render(card: Card) -> str:
    """``README.md``: front matter and the card."""
    import jinja2

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                                     keep_trailing_newline=True)
    environment.filters |= {"plain": plain, "settings": _settings}
    template = environment.from_string((files(__package__) / "page.md.jinja").read_text(encoding="utf-8"))
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
    results = [EvalResult(task_type="text-classification", dataset_type=card.domain.name, dataset_name=card.corpus,
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
