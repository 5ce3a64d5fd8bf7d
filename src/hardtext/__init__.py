"""hardtext: measure how easily a text classifier is fooled, and make it hard to fool."""
