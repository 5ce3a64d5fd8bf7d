"""Which words made the decision. See ``base`` for what a method says."""

from hardtext.saliency.attribute import explain
from hardtext.saliency.base import METHODS, Attribution, SaliencySettings
from hardtext.saliency.checks import faithfulness, shuffled

__all__ = ["METHODS", "Attribution", "SaliencySettings", "explain", "faithfulness", "shuffled"]
