"""Concurrent = sequential on 200 texts of the sample domain, for every attack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardtext.attacks.engine import run
from hardtext.domains.sample import generate


@pytest.mark.slow
def test_concurrent_equals_sequential_on_200_sample_texts(attack, bag_victim, fakes):
    texts = generate()["attack"][:100]
    texts += tuple(replace(e, id=f"{e.id}-claim", segments=e.segments[1:]) for e in texts)  # as single texts too
    assert len(texts) == 200

    def rows(**options):
        found = run(attack, bag_victim(), texts, domain="sample", seed=5, **fakes(), **options)
        return {a.id: (a.status, a.adversarial, a.queries, a.original_probs, a.adversarial_probs) for a in found}

    together, alone = rows(), rows(in_flight=1, cache=False, speculate=1)
    assert together == alone
    assert len(together) == 200 and any(status == "success" for status, *_ in together.values())
