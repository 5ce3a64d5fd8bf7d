"""The three commands as stories: what happens in which order."""
