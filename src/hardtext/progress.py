"""One progress bar for everything that takes long; silent when the output is not a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """Counts work done; ``show`` sets the words at the end of the line ("12 successes, 830 queries")."""

    def __init__(self, bar=None, task=None) -> None:
        self._bar, self._task = bar, task

    def advance(self, amount: float = 1, show: str | None = None) -> None:
        if self._bar is not None:
            extra = {} if show is None else {"show": show}
            self._bar.update(self._task, advance=amount, **extra)


_shown: list[str] = []  # the title of the bar on the terminal: there is room for one


@contextmanager
def progress(title: str, total: int | None, done: int = 0) -> Iterator[Progress]:
    """A bar with rate and time left on standard error, when that is a terminal and no other bar is on it."""
    from rich.console import Console

    console = Console(stderr=True)
    if _shown or not console.is_terminal:
        yield Progress()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Rate(ProgressColumn):
        def render(self, task):
            return f"{task.speed:.1f}/s" if task.speed else "–/s"

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(),
               TimeRemainingColumn(elapsed_when_finished=True), TextColumn("{task.fields[show]}"))
    _shown.append(title)
    try:
        with RichProgress(*columns, console=console) as bar:
            yield Progress(bar, bar.add_task(title, total=total, completed=done, show=""))
    finally:
        _shown.clear()
