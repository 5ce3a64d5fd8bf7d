"""Many jobs of one command: which points, what came of each, and what to try next.

    runs/sweeps/<name>/   jobs/<number>/job.json (error.txt where it failed)   sweep.db (Optuna)
                          sweep.json, .csv, .md   parallel_coordinates and best_so_far as .png and .svg

Knows nothing of Hydra: ``hydra_plugins/hardtext_sweeper.py`` asks here for points and has them launched.
"""

from hardtext.sweeping.settings import SWEEPS, GridSettings, OptunaSettings, SweepSettings

__all__ = ["SWEEPS", "GridSettings", "OptunaSettings", "SweepSettings"]
