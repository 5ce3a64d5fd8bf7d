"""Texts that break attack toolkits: every attack ends on them, cleanly and after a bounded number of questions."""

from __future__ import annotations

import subprocess
import sys
import zlib

import numpy as np
import pytest
from omegaconf import OmegaConf

from hardtext.attacks import ATTACKS, Attack, BertAttack
from hardtext.attacks.engine import run
from hardtext.core import Example

TEXTS = {
    "empty": "", "blank": "   ", "line ends": "\n\n", "marks": "!!!", "emoji": "🔥", "one word": "vote", "Fake": "Fake",
    "separators": " ~ " * 50, "separators and words": "tax ~ war ~ law ~ ~ peace",
    "right to left": "قال الرئيس إن الضرائب", "combining": "e\u0301a\u0308 n\u0303o\u0308 x\u0301\u0301\u0301",
    "long words": "antidisestablishmentarianism hydroxychloroquine", "joined": "he said\u200bthat\u00a0the\ttax",
    "quotes": "'CCC' slovakia_slota well-known e.g. 3.5%", "backslashes": "\\1 \\g<0> [UNK] ##s {x}",
    "surrogate": "a broken \ud83d text", "zero": "null\x00byte tax", "capital I with dot": "İstanbul İ ß ŉ",
}


NEEDED = {"rewrite": {"base_url": "http://localhost/v1"}}
"""Settings without which an attack cannot be made."""


BOUNDS = {"turquaz": 420, "genetic": 20 * 60 * 5, "beam_attack": 4000, "clare": 4000, "openfact": 12_000, "auto": 20_000}
"""Queries of attacks whose searches do not end with the words."""


class Steady:
    """Never changes its mind, so that attacks run to their end; quick on long texts."""

    name, classes = "steady", ("0", "1")

    def probabilities(self, texts):
        noise = np.array([zlib.crc32("\0".join(t).encode("utf-8", "replace")[:2000]) % 1000 / 1e4 for t in texts])
        return np.stack([0.8 + noise, 0.2 - noise], axis=1)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("pair", [False, True], ids=["single", "pair"])
def test_every_attack_ends_cleanly(attack, victim, models, text, pair):
    segments = (text, "the claim of a state") if pair else (text,)
    for judge in (victim, Steady()):
        [a] = run(attack, judge, [Example("1", segments, 0)], domain="d", seed=0, **models)
        assert a.error is None
        if any(c.isalnum() for s in segments for c in s):
            assert a.status in ("success", "failed")
            words = sum(len(s.split(" ")) + len(s) for s in segments)
            assert 1 <= a.queries <= 3 + max(words * 40, BOUNDS.get(attack.name, 0))
        else:
            assert (a.status, a.queries) == ("skipped", 0)
        if a.adversarial and pair:
            assert len(a.adversarial) == 2 and a.adversarial[0].count(" ~ ") == text.count(" ~ ")


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_very_long_texts(attack, models, count):
    """Each word is ranked at most once, and the masked LM's window bounds the places that are tried."""
    text = " ".join(["state", "tax", "lie", "party", "claim"] * (count // 5))
    [a] = run(attack, Steady(), [Example("1", text, 0)], domain="d", seed=0, **models)
    assert a.error is None and a.status == ("budget" if attack.name == "auto" else "failed")  # auto has a ration
    assert a.queries <= 5 * count + 510 * 48


def test_the_registry():
    assert list(ATTACKS) == sorted(ATTACKS)
    for name, kind in ATTACKS.items():
        assert issubclass(kind, Attack) and kind(**NEEDED.get(name, {})).name == name


@pytest.mark.parametrize("name", ATTACKS)
def test_settings_are_their_own_schema(name):
    """What the config gives back is the same object; an unknown key is refused."""
    schema = OmegaConf.structured(ATTACKS[name])
    given = {"subset": 5, **NEEDED.get(name, {})}
    assert OmegaConf.to_object(OmegaConf.merge(schema, given)) == ATTACKS[name](**given)
    with pytest.raises(Exception, match="subsett"):
        OmegaConf.merge(schema, {"subsett": 5})


def test_a_group_typed_as_attack_takes_any_of_them():
    schema = OmegaConf.structured(BertAttack)
    assert isinstance(OmegaConf.to_object(schema), Attack)


def test_importing_attacks_loads_nothing_heavy():
    code = ("import sys, hardtext.attacks, hardtext.attacks.engine, hardtext.attacks.rows; "
            "print([m for m in ('torch', 'transformers', 'pandas', 'nltk', 'rich') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
