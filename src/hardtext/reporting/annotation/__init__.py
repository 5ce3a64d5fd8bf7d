"""Human evaluation: pairs out to Label Studio, GATE Teamware 2 or a spreadsheet, and the judgements back in."""

from hardtext.reporting.annotation.draw import Task, draw, system_names
from hardtext.reporting.annotation.exchange import (
    FORMATS,
    KEY,
    WRITTEN,
    drawn_ids,
    in_the_way,
    read_judged,
    task_files,
    write_tasks,
)

__all__ = ["FORMATS", "KEY", "WRITTEN", "Task", "draw", "drawn_ids", "in_the_way", "read_judged", "system_names",
           "task_files", "write_tasks"]
