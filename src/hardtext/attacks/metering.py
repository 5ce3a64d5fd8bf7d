"""An attack on a ration of queries, so that several can share one budget."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from hardtext.attacks import ties
from hardtext.attacks.requests import Gradient, Request, Score, Steps
from hardtext.core import Segments


class Share(NamedTuple):
    """What an attack did with its ration: the text it found, the queries it asked, whether it was stopped."""

    found: Segments | None
    used: int
    stopped: bool


def within(steps: Steps, most: int | None) -> Generator[Request, Any, Share]:
    """Run an attack that ends, with nothing found, before it asks more than ``most`` queries (None: no limit).

    Of texts asked one by one up to a flip, as many are asked as are left; any other request goes through whole or not
    at all.
    """
    used, answer = 0, None
    while True:
        try:
            request = steps.send(answer)
        except StopIteration as end:
            return Share(end.value, used, False)
        wanted = len(request.texts) if isinstance(request, Score) else int(isinstance(request, Gradient))
        left = wanted if most is None else most - used
        cut = wanted > left
        if cut:
            if left < 1 or not isinstance(request, Score) or request.until_flip is None:
                steps.close()
                return Share(None, used, True)
            request = Score(request.texts[:left], request.until_flip, request.probe)
        answer = yield request
        used += len(answer) if isinstance(request, Score) else wanted
        if cut and not ties.moved(answer[-1], request.until_flip):
            steps.close()
            return Share(None, used, True)
