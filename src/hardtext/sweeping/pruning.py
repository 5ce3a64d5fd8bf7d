"""A Lightning callback through which a training of an Optuna sweep hears that it may stop."""

from __future__ import annotations

from pathlib import Path

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from hardtext.core import InputError
from hardtext.sweeping.jobs import Pruned
from hardtext.sweeping.study import load_optuna, pruner, storage


class Pruning(Callback):
    """After each epoch but the last, reports 1 − the dev score that chooses the best epoch; raises ``Pruned`` where that is
    worse than the median of the other jobs after the same epoch.

    ``where``: as ``Study.address`` gives it. Works from any process that sees the file. A training without dev texts goes on.
    """

    def __init__(self, where: str) -> None:
        path, study, number = [*where.rsplit("#", 2), "", ""][:3]
        if not number.isdigit():
            raise InputError(f"trial={where}: expected <sweep.db>#<study>#<number>, as a sweep sets it")
        optuna = load_optuna()
        kept = storage(Path(path))
        self._trial = optuna.trial.Trial(
            optuna.load_study(study_name=study, storage=kept, pruner=pruner()),
            kept.get_trial_id_from_study_id_trial_number(kept.get_study_id_from_name(study), int(number)))

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        score = trainer.callback_metrics.get(pl_module.monitored)
        epoch, last = trainer.current_epoch, trainer.current_epoch + 1 >= trainer.max_epochs
        if score is None or last:
            return
        stop = False
        if trainer.is_global_zero:
            self._trial.report(1 - float(score), epoch)
            stop = self._trial.should_prune()
        if trainer.strategy.broadcast(stop):
            raise Pruned(f"{pl_module.monitored} {float(score):.4f} after epoch {epoch + 1} is below the median of the "
                         f"other jobs")
