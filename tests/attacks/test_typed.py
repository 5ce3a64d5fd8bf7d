from __future__ import annotations

import pytest

from hardtext.attacks import ATTACKS
from hardtext.attacks.constraints import Constraints
from hardtext.core import InputError


@pytest.mark.parametrize("name, settings, words", [
    ("bert_attack", {"k": "36"}, "attack.k='36': expected a whole number or null"),
    ("bert_attack", {"k": True}, "attack.k=True: expected a whole number"),
    ("bert_attack", {"max_changed": float("nan")}, "attack.max_changed=nan: expected a number"),
    ("bert_attack", {"masked_lm": 3}, "attack.masked_lm=3: expected a text"),
    ("bert_attack", {"subset": 1.5}, "attack.subset=1.5: expected a whole number or null"),
    ("pwws", {"constraints": 7}, "attack.constraints=7: expected Constraints settings or a dict"),
    ("pwws", {"constraints": {"protekt": ["names"]}}, "attack.constraints=.*expected some of stop_words, "),
    ("pwws", {"constraints": {"protect": "names"}}, "attack.constraints.protect='names': expected a list, each a text"),
    ("rewrite", {"base_url": "http://localhost/v1", "prompts": [3]}, "attack.prompts=.*expected a list, each a text"),
    ("rewrite", {"base_url": "http://localhost/v1", "send_seed": "yes"}, "attack.send_seed='yes': expected true or false"),
])
def test_values_of_another_type_are_one_line(name, settings, words):
    with pytest.raises(InputError, match=words):
        ATTACKS[name](**settings)


def test_a_dict_of_constraints_is_taken():
    assert ATTACKS["pwws"](constraints={"protect": ["names"]}).constraints == Constraints(protect=["names"])
    assert ATTACKS["textfooler"](cosine=1).cosine == 1
