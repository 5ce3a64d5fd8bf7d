"""Hydra's ``-m`` for hardtext: a sweep that goes on where it stopped and does not end with its first failing job.

Lies in the namespace package in which Hydra looks for plugins. It only translates, overrides into a search space and
points into jobs for the launcher; the story of a sweep is ``hardtext.pipelines.sweep``.
"""

from collections.abc import Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from hardtext.config import freed
from hardtext.pipelines import sweep as story
from hardtext.sweeping import GridSettings, SweepSettings
from hardtext.sweeping.space import Choice, Interval, Space, shown

NEXT_DOOR = ("BasicLauncher", "JoblibLauncher")  # launchers on this machine, whose jobs can share a database file


class HardtextSweeper(Sweeper):
    def __init__(self) -> None:
        self.config: DictConfig | None = None
        self.launcher: Launcher | None = None
        self.hydra_context: HydraContext | None = None
        self.task_function: TaskFunction | None = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.hydra_context, self.config, self.task_function = hydra_context, config, task_function

    def sweep(self, arguments: list[str]) -> list[dict[str, Any]]:
        """Run the sweep; returns the rows of its table. Ends the program with code 1 where jobs failed."""
        preset = self.config.get("sweep")
        settings: SweepSettings = OmegaConf.to_object(preset) if preset else GridSettings()
        fixed, space = self._space(arguments, settings)
        command = self.config.hydra.job.name
        folder = story.folder_of(settings, command, fixed, space)
        with read_write(self.config), open_dict(self.config):
            self.config.hydra.sweep.dir = str(folder)  # where the launcher puts what is its own
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=self.hydra_context, task_function=self.task_function, config=self.config)
        launcher = type(self.launcher).__name__
        return story.run(story.Plan(
            folder, command, settings, fixed, space, composed=self._composed, launch=self._launch,
            one_by_one=launcher == "BasicLauncher", next_door=launcher in NEXT_DOOR,
            overwrite=bool(self.config.get("overwrite"))))

    def _space(self, arguments: list[str], settings: SweepSettings) -> tuple[list[str], Space]:
        """The overrides that every job gets, and what is varied; the command line wins over the preset."""
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        preset = parser.parse_overrides(freed([f"{key}={value}" for key, value in settings.params.items()]))
        given = [o for o in parser.parse_overrides(arguments) if not o.key_or_group.startswith("sweep.")]
        fixed, space = [], {}
        for override in {shown(o.get_key_element()): o for o in (*preset, *given)}.values():
            key = override.get_key_element()
            if override.is_sweep_override():
                space[key] = _part(override)
            elif override.is_delete() and override.value() in ("", None):
                fixed.append(key)
            else:
                fixed.append(f"{key}={override.get_value_element_as_str()}")
        return fixed, space

    def _composed(self, overrides: Sequence[str]) -> dict[str, Any]:
        """A job's whole config. One that does not compose ends the sweep before the job."""
        config = self.hydra_context.config_loader.load_sweep_config(self.config, list(overrides))
        return {key: value for key, value in OmegaConf.to_container(config, resolve=False).items() if key != "hydra"}

    def _launch(self, jobs: Sequence[tuple[str, Sequence[str]]], first: int) -> None:
        """``jobs``: the folder below the sweep's, and the overrides, of each."""
        place = f"hydra.sweep.dir={story.quoted(self.config.hydra.sweep.dir)}"
        self.launcher.launch([[*overrides, place, f"hydra.sweep.subdir={story.quoted(folder)}"]
                              for folder, overrides in jobs], initial_job_idx=first)


def _part(override: Override) -> Choice | Interval:
    value = override.value()
    if isinstance(value, IntervalSweep):
        integer = "int" in value.tags or (isinstance(value.start, int) and isinstance(value.end, int))
        return Interval(value.start, value.end, integer=integer, log="log" in value.tags)
    texts = tuple(dict.fromkeys(override.sweep_string_iterator()))
    if isinstance(value, RangeSweep) and "log" in value.tags and value.step == 1:
        return Interval(int(texts[0]), int(texts[-1]), integer=True, log=True)
    return Choice(texts)
