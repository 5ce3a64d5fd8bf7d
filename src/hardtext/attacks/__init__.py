"""How texts are changed so that a victim changes its mind.

An attack is a generator that yields requests and holds no model (``requests.py``); the engine runs many at once
(``engine.py``). Settings are plain dataclasses: importing this loads no model and no torch.
"""

from hardtext.attacks.auto import Auto
from hardtext.attacks.bae import BAE
from hardtext.attacks.base import Attack, choose
from hardtext.attacks.beam_attack import BeamAttack
from hardtext.attacks.bert_attack import BertAttack
from hardtext.attacks.clare import CLARE
from hardtext.attacks.deepwordbug import DeepWordBug
from hardtext.attacks.genetic import Genetic
from hardtext.attacks.glota import GloTa
from hardtext.attacks.homoglyph_rank import HomoglyphRank
from hardtext.attacks.homoglyph_search import HomoglyphSearch
from hardtext.attacks.openfact import OpenFact
from hardtext.attacks.pwws import PWWS
from hardtext.attacks.rewrite import Rewrite
from hardtext.attacks.textattack import TextAttack
from hardtext.attacks.textfooler import TextFooler
from hardtext.attacks.turquaz import TurQuaz

ATTACKS: dict[str, type[Attack]] = {
    "auto": Auto,
    "bae": BAE,
    "beam_attack": BeamAttack,
    "bert_attack": BertAttack,
    "clare": CLARE,
    "deepwordbug": DeepWordBug,
    "genetic": Genetic,
    "glota": GloTa,
    "homoglyph_rank": HomoglyphRank,
    "homoglyph_search": HomoglyphSearch,
    "openfact": OpenFact,
    "pwws": PWWS,
    "rewrite": Rewrite,
    "textattack": TextAttack,
    "textfooler": TextFooler,
    "turquaz": TurQuaz,
}

__all__ = [
    "ATTACKS", "BAE", "CLARE", "PWWS", "Attack", "Auto", "BeamAttack", "BertAttack", "DeepWordBug", "Genetic", "GloTa",
    "HomoglyphRank", "HomoglyphSearch", "OpenFact", "Rewrite", "TextAttack", "TextFooler", "TurQuaz", "choose",
]
