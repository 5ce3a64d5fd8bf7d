"""How texts are changed so that a victim changes its mind.

An attack is a generator that yields requests and holds no model (``requests.py``); the engine runs many at once
(``engine.py``). Settings are plain dataclasses: importing this loads no model and no torch.
"""

from hardtext.attacks.base import Attack, choose
from hardtext.attacks.bert_attack import BertAttack
from hardtext.attacks.deepwordbug import DeepWordBug

ATTACKS: dict[str, type[Attack]] = {
    "bert_attack": BertAttack,
    "deepwordbug": DeepWordBug,
}

__all__ = ["ATTACKS", "Attack", "BertAttack", "DeepWordBug", "choose"]
