"""Which words made the decision. See ``base`` for what a method says."""
