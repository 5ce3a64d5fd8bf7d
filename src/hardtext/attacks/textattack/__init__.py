"""Any recipe of TextAttack (Morris et al. 2020, "TextAttack: A Framework for Adversarial Attacks, Data Augmentation, and
Adversarial Training in NLP", EMNLP demonstrations) by its class name, many examples at once.

The recipe's own code runs, one greenlet an example (``conversation.py``); where it calls its model it stops, and the
engine asks the victim for all examples together. The result is that of ``textattack.Attack.attack`` with the victim's
prediction as ground truth and the process's random generators seeded for the example.

Of the recipes of version 0.3.11 these run with nothing to download:

PWWSRen2019, LEAP2023                 WordNet comes from the packaged table, the same synonyms
DeepWordBugGao2018, Pruthi2019        as they are
BERTAttackLi2020                      attack.masked_lm=bundled attack.without=[UniversalSentenceEncoder]
BAEGarg2019                           attack.masked_lm=bundled attack.without=[UniversalSentenceEncoder,PartOfSpeech]

The others want counter-fitted vectors, HowNet, taggers or language models that TextAttack downloads; where those cannot
be had the run ends with one line that names what is missing. Recipes with another goal than a changed prediction, and
those that need the victim's gradients, are refused. (Kuleshov2017 is content with a probability below 0.7; where the
prediction stays, that is a failed attempt here.)

``queries`` holds what TextAttack reports as ``num_queries``, every text its search asks about, repeats that its own cache
would answer and its own look at the original included, and the engine's two: first prediction and final check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Optional

from hardtext import text
from hardtext.attacks.base import Attack, Target, check_choice
from hardtext.attacks.requests import Steps
from hardtext.core import InputError, Segments

MASKED_LMS = {"BAEGarg2019": "bert-base-uncased", "BERTAttackLi2020": "bert-base-uncased",
              "CLARE2020": "distilroberta-base"}
"""What the recipes that ask a masked LM load from the model hub."""

_GRADIENTS = "it needs the gradients of a model of TextAttack's own"
_OTHER_GOAL = "its goal is not a changed prediction"
_LANGUAGE = "it needs the WordNet of that language and taggers, none of which come with this package"
REFUSED = {
    "A2TYoo2021": _GRADIENTS, "HotFlipEbrahimi2017": _GRADIENTS,
    "BadCharacters2021": _OTHER_GOAL, "InputReductionFeng2018": _OTHER_GOAL, "MorpheusTan2020": _OTHER_GOAL,
    "Seq2SickCheng2018BlackBox": _OTHER_GOAL,
    "FrenchRecipe": _LANGUAGE, "SpanishRecipe": _LANGUAGE,
    "TextBuggerLi2018": "TextAttack 0.3.11 comes without the table of homoglyphs it reads",
}
_VECTORS = "the counter-fitted vectors (paragramcf)"
DOWNLOADS = {
    "CLARE2020": "flair's tagger upos-english-fast", "CheckList2020": "flair's tagger ner-english",
    "ChineseRecipe": "OpenHowNet and the masked LM xlm-roberta-base",
    "FasterGeneticAlgorithmJia2019": f"{_VECTORS} and the language model of Learning to Write",
    "GeneticAlgorithmAlzantot2018": f"{_VECTORS} and Google's language model (TensorFlow)",
    "IGAWang2019": _VECTORS, "Kuleshov2017": f"{_VECTORS} and GPT-2",
    "PSOZang2020": "its HowNet candidates and flair's tagger",
    "TextFoolerJin2019": f"{_VECTORS}, NLTK's tagger and TensorFlow Hub's sentence encoder",
}
"""What recipes want that neither this package nor TextAttack's brings along."""

RECIPES = ("BAEGarg2019", "BERTAttackLi2020", "DeepWordBugGao2018", "LEAP2023", "PWWSRen2019", "Pruthi2019", *DOWNLOADS)


@dataclass
class TextAttack(Attack):
    """Settings.

    ``recipe``: a class of ``textattack.attack_recipes``. ``masked_lm``: for recipes that ask a masked LM; null is the
    recipe's own from the model hub, else ``bundled``, ``bundled:tiny``, a folder or a hub id. ``without``: class names of
    constraints to take out of the recipe. ``max_words``: the recipe sees this many words of each segment and the rest
    stays as it is, since TextAttack spells the whole text anew for every candidate (its time grows with the square of
    the length and worse); null for no limit.
    """

    name: str = "textattack"
    recipe: str = "PWWSRen2019"
    masked_lm: Optional[str] = None
    without: list[str] = field(default_factory=list)
    max_words: Optional[int] = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant:
            raise InputError(f"attack.variant={self.variant}: this attack has no variants; choose with attack.recipe=")
        if self.recipe in REFUSED:
            raise InputError(f"attack.recipe={self.recipe}: {REFUSED[self.recipe]}; "
                             f"choose one of {', '.join(RECIPES)}")
        check_choice("attack.recipe", self.recipe, RECIPES)
        if self.masked_lm is not None and self.recipe not in MASKED_LMS:
            raise InputError(f"attack.masked_lm={self.masked_lm}: {self.recipe} asks no masked LM; leave it out, or "
                             f"choose one of {', '.join(MASKED_LMS)}")
        if self.max_words is not None and self.max_words < 1:
            raise InputError(f"attack.max_words={self.max_words}: expected a positive number, or null for no limit")

    def stand_ins(self) -> list[str]:
        lines = super().stand_ins()
        lines += [f"{self.recipe} without its constraint {name}" for name in self.without]
        if self.recipe in MASKED_LMS and self.masked_lm not in (None, MASKED_LMS[self.recipe]):
            lines.append(f"masked LM of {self.recipe}: {self.masked_lm} in place of {MASKED_LMS[self.recipe]}")
        if self.recipe in ("PWWSRen2019", "LEAP2023"):
            lines.append("WordNet: the packaged table in place of NLTK's reader (same synonyms)")
        return lines

    def steps(self, target: Target) -> Steps:
        from hardtext.attacks.textattack.conversation import conversation
        from hardtext.attacks.textattack.recipes import load

        masked_lm = self.masked_lm or MASKED_LMS.get(self.recipe)
        recipe = load(self.recipe, masked_lm, tuple(self.without))
        heads, tails = divide(target.segments, target.visible, self.max_words)
        seed = target.rng.getrandbits(32)
        found = yield from conversation(lambda ask: recipe.attack(heads, tails, target.label, ask), seed)
        return found and tuple(head + tail for head, tail in zip(found, tails))


def divide(segments: Segments, visible: Sequence[int], max_words: int | None) -> tuple[Segments, Segments]:
    """Each segment as what the recipe sees and the rest: at most ``max_words`` words, none that reaches past the first
    ``visible`` characters.

    >>> divide(("one two three",), (12,), None)
    (('one two',), (' three',))
    """
    heads, tails = [], []
    for segment, limit in zip(segments, visible):
        seen = [w.end for w in text.space_words(segment) if w.end <= limit][:max_words]
        end = len(segment) if limit >= len(segment) and (max_words is None or len(seen) < max_words) else \
            seen[-1] if seen else 0
        heads.append(text.readable(segment[:end]))
        tails.append(segment[end:])
    return tuple(heads), tuple(tails)
