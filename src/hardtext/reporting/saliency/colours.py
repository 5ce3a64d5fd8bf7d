"""The colours of saliency: a scale from blue through the page's own colour to orange, centred at zero. Pure.

Blue and orange differ for every common kind of colour blindness, also in how the two ends look in grey against the
middle. Every step leaves the text on it readable: a contrast of at least 4.5 (WCAG 2.2, success criterion 1.4.3), which a
test computes.
"""

from __future__ import annotations

from dataclasses import dataclass

STEPS = 10  # on each side of zero

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """``low`` and ``high``: the strongest colours; ``middle``: no influence; ``ink``: the text on all of them."""

    low: Colour
    middle: Colour
    high: Colour
    ink: Colour

    def colour(self, step: int) -> Colour:
        """The background of a step: −STEPS to STEPS."""
        end = self.high if step > 0 else self.low
        share = abs(step) / STEPS
        return tuple(round(a + (b - a) * share) for a, b in zip(self.middle, end))


LIGHT = Theme(low=(77, 160, 222), middle=(255, 255, 255), high=(240, 132, 34), ink=(17, 19, 22))
DARK = Theme(low=(0, 92, 152), middle=(30, 33, 37), high=(150, 75, 0), ink=(243, 245, 247))


def step(value: float, limit: float) -> int:
    """The step of a value on a scale that ends at ±limit: −STEPS to STEPS, 0 only for less than half a step.

    >>> step(0.5, 1.0), step(-2.0, 1.0), step(0.01, 1.0), step(0.3, 0.0)
    (5, -10, 0, 0)
    """
    if limit <= 0:
        return 0
    return round(max(-1.0, min(1.0, value / limit)) * STEPS)


def limit(values: list[float]) -> float:
    """Where the scale of a text ends: its strongest word."""
    return max((abs(value) for value in values), default=0.0)


def hexadecimal(colour: Colour) -> str:
    """
    >>> hexadecimal((255, 0, 16))
    '#ff0010'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2).

    >>> round(contrast((0, 0, 0), (255, 255, 255)), 1)
    21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
