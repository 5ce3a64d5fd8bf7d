"""Which words made the decision. See ``base`` for what a method says."""

from hardtext.saliency.attribute import explain
from hardtext.saliency.base import METHODS, MOST_STEPS, Attribution, SaliencySettings
from hardtext.saliency.checks import faithfulness, shuffled

__all__ = ["METHODS", "MOST_STEPS", "Attribution", "SaliencySettings", "explain", "faithfulness", "shuffled"]
