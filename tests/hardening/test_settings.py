"""The settings of defences: what is refused, and which are in use."""

from __future__ import annotations

import pytest

from hardtext.core import InputError
from hardtext.hardening.settings import ATTACKS, HARDENING, Augment, EmbeddingSettings, HardeningSettings
from hardtext.victims.defended.settings import Canonicalise, Output, Smooth


@pytest.mark.parametrize(("values", "words"), [
    ({"attacks": {"pwws": -1.0}}, "attacks=.*weights of 0 or more"), ({"attacks": {"pwws": 0.0}}, "attacks="),
    ({"attacks": {"pwws": float("nan")}}, "attacks="),
    ({"share": 0.0}, "share=0.0"), ({"share": 1.5}, "share=1.5"), ({"rounds": 0}, "rounds=0"), ({"epochs": 0}, "epochs=0"),
    ({"max_queries": 0}, "max_queries=0"), ({"weight": 0.0}, "weight"), ({"consistency": -1.0}, "consistency"),
    ({"label_smoothing": 1.0}, "label_smoothing"), ({"lr": 0.0}, "lr=0.0"), ({"schedule": "up"}, "schedule=up"),
    ({"keep": "first"}, "keep=first"),
])
def test_augmentation_out_of_range_is_refused(values, words):
    with pytest.raises(InputError, match=f"hardening.augment.*{words}") as caught:
        Augment(**values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("values", "words"), [
    ({"kind": "pgd"}, "kind=pgd"), ({"steps": 0}, "steps >= 1"), ({"step_size": 0.0}, "step_size > 0"),
    ({"start": -1.0}, "start >= 0"), ({"bound": -1.0}, "bound >= 0"), ({"weight": 0.0}, "weight > 0"),
    ({"kind": "freelb"}, "needs hardening.embedding.bound"),
])
def test_embedding_training_out_of_range_is_refused(values, words):
    with pytest.raises(InputError, match=words):
        EmbeddingSettings(**values)


def test_attacks_that_are_named_replace_the_default_ones():
    assert Augment().attacks == ATTACKS and Augment(attacks={"genetic": 2.0}).attacks == {"genetic": 2.0}
    Augment().attacks["pwws"] = 9.0
    assert Augment().attacks == ATTACKS


def test_which_defences_are_in_use():
    none, some = HardeningSettings(), HardeningSettings(smooth=Smooth(), augment=Augment(), output=Output())
    assert none.names() == () and none.at_inference() == {}
    assert some.names() == ("augment", "output", "smooth")
    assert some.at_inference() == {"smooth": Smooth(), "output": Output()}
    assert list(HARDENING) == sorted(HARDENING) and HARDENING["canonicalise"] is Canonicalise
