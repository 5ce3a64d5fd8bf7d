"""Human evaluation: pairs out to Label Studio, GATE Teamware 2 or a spreadsheet, and the judgements back in."""

from hardtext.reporting.annotation.draw import Task, draw, system_names
from hardtext.reporting.annotation.exchange import FORMATS, KEY, in_the_way, read_judged, task_files, write_tasks

__all__ = ["FORMATS", "KEY", "Task", "draw", "in_the_way", "read_judged", "system_names", "task_files", "write_tasks"]
