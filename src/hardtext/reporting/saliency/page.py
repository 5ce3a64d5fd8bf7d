"""``saliency.html``: every view on one page that needs nothing from outside, and no script."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from markupsafe import Markup

from hardtext.reporting.saliency import colours, tables
from hardtext.reporting.saliency.views import Views

_WORDY = ("", "value", "by gold class")


def render(views: Views, corpus_png: bytes, attack_png: bytes = b"") -> str:
    """``corpus_png`` and ``attack_png``: the figures, which the page holds itself."""
    import jinja2

    here = files(__package__)
    style = (here / "saliency.css").read_text(encoding="utf-8") + _scale()
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((here / "saliency.html.jinja").read_text(encoding="utf-8"))
    classes = views.about.domain.classes
    return template.render(
        style=Markup(style), style_hash=_hash(style), about=views.about, title=views.title, notes=tables.marks(views),
        number=tables.number, ends=tables.ends, overview=tables.overview(views),
        extremes=tables.extremes(views), intensifiers=tables.intensifiers(views),
        agreement=None if views.agreement is None else tables.agreement(views), sentences=views.sentences,
        corpus_png=base64.b64encode(corpus_png).decode("ascii"), attack_png=base64.b64encode(attack_png).decode("ascii"),
        verdict=lambda sentence: tables.verdict(sentence, classes), step_class=step_class, wordy=_WORDY.__contains__,
        steps=range(-colours.STEPS, colours.STEPS + 1))


def step_class(step: int) -> str:
    """
    >>> step_class(3), step_class(-10), step_class(0)
    ('up3', 'down10', 'zero')
    """
    return f"up{step}" if step > 0 else f"down{-step}" if step < 0 else "zero"


def _scale() -> str:
    """The rules of every step, for light and for dark pages."""
    return (_rules(colours.LIGHT) + "@media (prefers-color-scheme: dark) {\n" + _rules(colours.DARK) + "}\n")


def _rules(theme: colours.Theme) -> str:
    steps = [step for step in range(-colours.STEPS, colours.STEPS + 1) if step]
    ink = colours.hexadecimal(theme.ink)
    return "".join(f".{name}, .text mark.{name} {{ background: {colours.hexadecimal(theme.colour(step))}; color: {ink}; }}\n"
                   for step in steps for name in [step_class(step)])


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
