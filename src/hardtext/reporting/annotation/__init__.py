"""Human evaluation: pairs out to Label Studio, GATE Teamware 2 or a spreadsheet, and the judgements back in."""

from hardtext.reporting.annotation.draw import Task, draw, system_names
from hardtext.reporting.annotation.exchange import FORMATS, KEY, holds_another_draw, read_judged, write_tasks

__all__ = ["FORMATS", "KEY", "Task", "draw", "holds_another_draw", "read_judged", "system_names", "write_tasks"]
