"""The diary of a run: metrics as CSV always, and Weights & Biases. The only file that imports wandb.

    logs/metrics.csv     every metric, one line per moment; a resumed run appends
    logs/<name>.csv      tables and confusion matrices
    wandb/               the same for W&B, with the config and a sample of attempts
"""

from __future__ import annotations

import csv
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from hardtext import disks, records, runs, spreadsheet, text
from hardtext.core import Attempt, InputError, Segments
from hardtext.secrecy import mask_secrets, scrubbed

if TYPE_CHECKING:
    import wandb
    from pytorch_lightning.loggers import Logger

log = logging.getLogger(__name__)

MODES = ("auto", "offline", "online", "disabled")
CONNECT_SECONDS = 8.0  # auto: no answer by then, and the run is kept offline
UPLOAD_SECONDS = 120.0  # what has not been uploaded by then stays on disk for `wandb sync`
CELL_CHARACTERS = 10_000  # of one text in a W&B table


@dataclass
class LoggerSettings:
    """``mode``: auto is online when the user is logged in to W&B (WANDB_API_KEY, netrc), else offline."""

    wandb: bool = True
    project: str = "hardtext"
    entity: Optional[str] = None
    group: Optional[str] = None
    tags: list[str] = field(default_factory=list)
    mode: str = "auto"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"logger.mode={self.mode}: expected one of {', '.join(MODES)}")


@contextmanager
def open_run(folder: Path, settings: LoggerSettings, config: Mapping[str, Any], name: str, group: str | None = None,
             *, follower: bool = False) -> Iterator[Run]:
    """The diary of one run, kept in its folder; closed on leaving, whatever happens.

    ``config`` goes to W&B with its secrets masked. ``group`` stands in where ``settings.group`` is not set.
    ``follower``: a further process of a distributed training, whose diary stays empty (``runs.is_follower``).

    Raises InputError when ``logger.mode=online`` cannot be had.
    """
    if follower:
        yield Run(None, None)
        return
    folder = Path(folder).absolute()
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    if not settings.wandb or settings.mode == "disabled" or os.environ.get("WANDB_MODE") == "disabled":
        yield Run(logs, None)
        return
    (folder / "wandb").mkdir(exist_ok=True)
    # What wandb keeps beside the run (tables waiting for upload, its own log) would otherwise go to the home folder.
    with _environment(WANDB_SILENT="true", WANDB_DATA_DIR=str(folder / "wandb" / "data"),
                      WANDB_CACHE_DIR=str(folder / "wandb" / "cache")):
        run = Run(logs, _start(folder, settings, mask_secrets(config), name, group))
        try:
            yield run
        except BaseException:
            run.finish(exit_code=1)
            raise
        run.finish(exit_code=0)


class Run:
    """The open diary; made by ``open_run``. Trouble with W&B is said once and never stops the work."""

    def __init__(self, logs: Path | None, wandb_run: wandb.Run | None) -> None:
        self._logs = logs
        self._wandb = wandb_run
        self._metrics = None if logs is None else MetricsFile(logs / "metrics.csv")
        self._defined: set[str] = set()

    @property
    def wandb_id(self) -> str | None:
        """The W&B id of the run; the same when the run is resumed."""
        return None if self._wandb is None else self._wandb.id

    def lightning_loggers(self, phase: str = "") -> list[Logger]:
        """Loggers for ``pl.Trainer(logger=…)``; ``phase`` goes before every name ("clean/train/loss")."""
        return [] if self._logs is None else [_lightning_logger(self, phase, self._logs.parent)]

    def log(self, metrics: Mapping[str, Any], step: int | None = None, phase: str = "") -> None:
        """Metrics of one moment: numbers (0-d tensors and arrays too), booleans or strings; None is left out."""
        prefix = f"{phase}/" if phase else ""
        row = {prefix + name: _plain(value) for name, value in metrics.items() if value is not None}
        if self._metrics is not None:
            self._metrics.append(row, step)
        if step is not None:
            self._to_wandb(lambda run: self._set_axis(run, row, prefix + "step"))
            row = {**row, prefix + "step": step}
        self._to_wandb(lambda run: run.log(row))

    def _set_axis(self, run: wandb.Run, names: Mapping[str, Any], axis: str) -> None:
        # Each phase counts its steps from 0: its metrics are drawn over its own steps.
        for name in names.keys() - self._defined:
            run.define_metric(name, step_metric=axis)
            self._defined.add(name)

    def summary(self, values: Mapping[str, Any]) -> None:
        """The final figures, shown in W&B's table of runs. (Their files are the pipelines' own.)"""
        self._to_wandb(lambda run: run.summary.update(dict(values)))

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """A table, as ``logs/<name>.csv`` and in W&B. A column keeps its numbers when it holds nothing else."""
        if self._logs is not None:
            _write_csv(self._logs / f"{runs.component(name)}.csv", columns, rows)
        self._to_wandb(lambda run: run.log({name: _table(columns, rows)}))

    def image(self, name: str, path: Path) -> None:
        """A picture, for W&B. (Its file is the pipeline's own.)"""

        def send(run: wandb.Run) -> None:
            import wandb

            run.log({name: wandb.Image(str(path))})

        self._to_wandb(send)

    def confusion(self, name: str, matrix: Sequence[Sequence[int]], classes: Sequence[str]) -> None:
        """A confusion matrix: rows are the true classes, columns the predicted ones; (classes, classes) counts."""
        counts = [[int(count) for count in row] for row in matrix]
        if self._logs is not None:
            _write_csv(self._logs / f"{runs.component(name)}.csv", ["true", *classes],
                       [[label, *row] for label, row in zip(classes, counts, strict=True)])

        def send(run: wandb.Run) -> None:
            import wandb

            cells = [[true, predicted, counts[i][j]] for i, true in enumerate(classes)
                     for j, predicted in enumerate(classes)]
            fields = {"Actual": "true", "Predicted": "predicted", "nPredictions": "count"}
            run.log({name: wandb.plot_table("wandb/confusion_matrix/v1", _table(list(fields.values()), cells), fields,
                                            {"title": name})})

        self._to_wandb(send)

    def attempts(self, name: str, attempts: Sequence[Attempt], limit: int = 50) -> None:
        """A sample of attempts for W&B, successes first, with the changed words marked (``word_diff``)."""
        columns = ["id", "status", "label", "queries", "before", "after", "change", "original", "adversarial"]

        def send(run: wandb.Run) -> None:
            sample = sorted(attempts, key=lambda attempt: attempt.status != "success")[:limit]
            run.log({name: _table(columns, [_attempt_row(attempt) for attempt in sample])})

        self._to_wandb(send)

    def finish(self, exit_code: int) -> None:
        """Close the diary; ``open_run`` calls it."""
        self._to_wandb(lambda run: run.finish(exit_code=exit_code))
        self._wandb = None

    def _to_wandb(self, send: Callable[[wandb.Run], object]) -> None:
        if self._wandb is None:
            return
        import wandb

        try:
            send(self._wandb)
        except (wandb.Error, OSError) as error:  # its process is gone, or its disk is full
            log.warning("W&B stopped (%s: %s); the run goes on with logs/metrics.csv only", type(error).__name__, error)
            self._wandb = None


class MetricsFile:
    """A CSV of metrics: ``step``, then one column per name; a name seen for the first time adds its column.

    Every line is on disk when ``append`` returns, and lines of an earlier process are kept. (Lightning's CSVLogger
    deletes them, and holds up to 100 lines back.)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        records.repair(path)
        rows = _read_csv(path)
        self._columns = rows[0] if rows else ["step"]

    def append(self, metrics: Mapping[str, Any], step: int | None) -> None:
        values = {"step": step, **{spreadsheet.cell(name): value for name, value in metrics.items()}}
        if new := [name for name in values if name not in self._columns]:
            self._columns += new
            if rows := _read_csv(self.path):
                _write_csv(self.path, self._columns, [row + [""] * (len(self._columns) - len(row)) for row in rows[1:]])
        with open(self.path, "a", encoding="utf-8", newline="") as file:
            if file.tell() == 0:
                file.write(spreadsheet.lines([self._columns]))
            file.write(spreadsheet.lines([[values.get(name) for name in self._columns]]))


def _lightning_logger(run: Run, phase: str, folder: Path) -> Logger:
    from pytorch_lightning.loggers import Logger
    from pytorch_lightning.utilities import rank_zero_only

    class RunLogger(Logger):
        """Hands Lightning's metrics to the diary. The config is there already, so hyperparameters are not repeated."""

        name = property(lambda self: phase or "run")
        version = property(lambda self: "")
        save_dir = property(lambda self: str(folder))

        @rank_zero_only
        def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
            run.log(metrics, step, phase)

        def log_hyperparams(self, *args: Any, **kwargs: Any) -> None:
            pass

    return RunLogger()


def word_diff(original: Segments, adversarial: Segments) -> str:
    """Both texts in one, word by word: ``[-gone-] {+new+}``.

    >>> word_diff(("the cat sat",), ("the dog sat down",))
    'the [-cat-] {+dog+} sat {+down+}'
    """
    from rapidfuzz.distance import Levenshtein

    old, new = text.join(original).split(), text.join(adversarial).split()
    marked = []
    i = j = 0
    for block in Levenshtein.editops(old, new).as_matching_blocks():  # the last block is empty, at the end of both
        if i < block.a:
            marked.append(f"[-{' '.join(old[i : block.a])}-]")
        if j < block.b:
            marked.append(f"{{+{' '.join(new[j : block.b])}+}}")
        i, j = block.a + block.size, block.b + block.size
        marked += old[block.a : i]
    return " ".join(marked)


def _attempt_row(attempt: Attempt) -> list[Any]:
    before, after = (_percent(probs, attempt.label) for probs in (attempt.original_probs, attempt.adversarial_probs))
    changed = attempt.adversarial or ()
    change = word_diff(attempt.original, changed) if changed else ""
    texts = [t[:CELL_CHARACTERS] for t in (change, text.join(attempt.original), text.join(changed))]
    return [attempt.id, attempt.status, attempt.label, attempt.queries, before, after, *texts]


def _percent(probabilities: Sequence[float] | None, label: int) -> str:
    return "" if probabilities is None else f"{probabilities[label]:.1%}"


def _plain(value: Any) -> bool | int | float | str:
    return value if isinstance(value, (bool, int, float, str)) else float(value)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> wandb.Table:
    import wandb

    cells = [list(row) for row in rows]
    for column in range(len(columns)):
        # wandb refuses a column of mixed types
        if not all(isinstance(row[column], (int, float)) and not isinstance(row[column], bool) for row in cells):
            for row in cells:
                row[column] = "" if row[column] is None else str(row[column])
    return wandb.Table(columns=list(columns), data=cells)


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    records.write_text(path, spreadsheet.lines([columns, *rows]))


def _read_csv(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# Starting W&B


def _start(folder: Path, settings: LoggerSettings, config: dict[str, Any], name: str, group: str | None) -> wandb.Run:
    try:
        import wandb
    except ImportError as error:
        raise InputError("logger=wandb needs the package wandb: install the requirements again "
                         "(python -m pip install -r requirements.txt), or set logger=csv") from error

    def init(mode: str) -> wandb.Run:
        return wandb.init(
            mode=mode, project=settings.project, entity=settings.entity,
            group=scrubbed(settings.group or group or "") or None, tags=[scrubbed(tag) for tag in settings.tags],
            name=scrubbed(name), id=_run_id(folder), resume="allow", dir=str(folder), config=config,
            settings=wandb.Settings(
                silent=True, console="off", init_timeout=CONNECT_SECONDS, finish_timeout=UPLOAD_SECONDS,
                reinit="create_new",  # a run of the caller's own is left alone
                x_disable_meta=True, disable_git=True, save_code=False))  # the command line may hold secrets

    mode = settings.mode if settings.mode != "auto" else os.environ.get("WANDB_MODE", "auto")
    try:
        if mode == "auto":
            mode = "online" if _logged_in() else "offline"
        run = init(mode)
    except wandb.Error as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if settings.mode != "auto" or mode == "offline":
            raise InputError(f"logger.mode={settings.mode}: W&B does not start ({reason}); "
                             f"set logger.mode=offline, or logger=csv") from error
        log.warning("W&B cannot be reached (%s); this run is kept offline", reason)
        wandb.teardown()  # its service still holds the run that did not start
        mode, run = "offline", init("offline")
    if mode == "offline":
        log.info("W&B offline; to upload it later: wandb sync %s/wandb/offline-run-*", disks.shown(folder))
    return run


def _logged_in() -> bool:
    import wandb
    from wandb.sdk.lib.wbauth import read_netrc_auth

    settings = wandb.setup().settings
    return bool(os.environ.get("WANDB_API_KEY") or settings.api_key or settings.identity_token_file
                or read_netrc_auth(host=settings.base_url))


def _run_id(folder: Path) -> str:
    """The W&B id of a run folder: drawn once and kept there, so that a resumed run is the same run, a run started
    again is a new one, and two machines with the same paths do not write into each other's run."""
    file = folder / "wandb" / "run_id.txt"
    if not file.exists():
        records.write_text(file, secrets.token_hex(6) + "\n")
    return file.read_text(encoding="utf-8").strip()


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Environment variables for a while; what the user has set stays."""
    new = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)
