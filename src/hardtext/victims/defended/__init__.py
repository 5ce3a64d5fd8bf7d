"""Victims that defend themselves when they are asked: a victim around another, with the same classes.

A defence is a dataclass of plain values (its config schema) with ``around(victim, learnt)``, which gives the defended victim.
``settings.apply`` puts several around one another; the victim folder keeps them in ``hardtext.json``, so that a defended
victim is loaded as such wherever hardtext loads it.
"""
