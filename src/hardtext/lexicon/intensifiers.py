"""Adverbs that strengthen what they stand beside, in lower case."""

from __future__ import annotations

PUBLISHED = frozenset("""
absolutely amazingly awfully barely completely considerably decidedly deeply enormously entirely especially
exceptionally exclusively extremely fully greatly hardly hella highly hugely incredibly intensely majorly
overwhelmingly really remarkably substantially thoroughly totally tremendously unbelievably unusually utterly very
""".split())
"""The 34 words that the notebooks of Flores and Hao's benchmark remove (fake-news-adversarial-benchmark,
polarity_preprocessing.ipynb): most of VADER's one-word boosters (Hutto and Gilbert 2014), and two more. "barely" and
"hardly" weaken, "exclusively" limits, "overwhelmingly" says how many, and "unusually" compares with what is usual: removing
those turns a claim into another one."""

_NO_INTENSIFIERS = frozenset("barely exclusively hardly overwhelmingly unusually".split())

DEFAULT = (PUBLISHED - _NO_INTENSIFIERS) | frozenset("""
fabulously particularly purely effing flippin flipping frackin fricking frickin friggin frigging fuckin fucking
fuggin fugging
absurdly acutely amply astonishingly astoundingly astronomically bitterly bloody colossally crazily damn damned
desperately disgracefully disgustingly distinctly downright dreadfully eminently exceedingly excessively exorbitantly
extraordinarily exquisitely extensively fantastically fiercely freakin freaking frightfully genuinely grossly
horrendously horribly horrifically immeasurably immensely incomparably inordinately insanely intensively literally
ludicrously madly markedly massively mightily monumentally notoriously obscenely outrageously painfully perfectly
phenomenally preposterously profoundly radically ridiculously scandalously sensationally shamelessly shockingly
singularly sorely spectacularly staggeringly strikingly strongly stunningly stupendously super superbly supremely
surpassingly terribly terrifically terrifyingly truly unabashedly uncommonly unconscionably unimaginably unspeakably
vastly vehemently vigorously vitally wholly wholeheartedly wildly woefully wonderfully
""".split())
"""Words that seldom do anything but strengthen: those of VADER's booster dictionary that are adverbs and do not weaken,
and more amplifiers and maximisers in the sense of Quirk et al. (1985, section 8.104). "uber" is a company more often."""

IN_CONTEXT = frozenset("far much so way".split())
"""Words that strengthen in some places only ("far more", "so expensive", but "so far"); no list of words settles these.
"pretty" and "quite" are not among them: they weaken as often ("pretty high" is less than "high")."""
