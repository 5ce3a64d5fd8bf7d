"""How far is the new text from the old, and how good was the attack. Importing this loads no model library."""

from hardtext.scoring.published import PublishedRow, published_rows, rows_beside
from hardtext.scoring.scores import Scores, score
from hardtext.scoring.semantic import SEMANTIC, SemanticSettings, semantic_from_name
from hardtext.scoring.submission import load_attempts, read_submission, write_submission

__all__ = ["SEMANTIC", "PublishedRow", "Scores", "SemanticSettings", "load_attempts", "published_rows",
           "read_submission", "rows_beside", "score", "semantic_from_name", "write_submission"]
