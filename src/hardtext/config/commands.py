"""A command as a program: one line and exit code 2 for what a user can mend, a traceback without secrets for the rest."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from hardtext import disks
from hardtext.config.composing import build, in_sweep
from hardtext.config.explaining import explain
from hardtext.config.overrides import foreign_experiment, freed, of_nothing, quoted, unknown_home
from hardtext.core import InputError
from hardtext.secrecy import scrubbed
from hardtext.sweeping import jobs


def run_job(story: Callable[[Any], object], config: DictConfig) -> None:
    """Tell one job's story. Bad input, files that cannot be read among it, ends the program here, before Hydra prints its
    own lines about it; a sweep goes on, whatever becomes of the job, since it is written down."""
    if in_sweep() and jobs.is_job(folder := Path(HydraConfig.get().runtime.output_dir)):
        jobs.run(folder, lambda: story(build(config)))
        return
    try:
        story(build(config))
    except InputError as error:
        _refuse(str(error))
    except OSError as error:
        if (trouble := disks.path_trouble(error)) is None:
            _break_off()
        _refuse(trouble)
    except Exception:  # here already, since Hydra would repeat the command line with the secrets that it may hold
        _break_off()


def run_command(main: Callable[[], None]) -> None:
    """Run a ``@hydra.main`` function as a program: a config that does not compose ends in one line and exit code 2.

    Anything unexpected keeps its traceback (without secrets) and exit code 1.
    """
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # let errors reach us instead of being printed by Hydra
    sys.argv[1:] = quoted(freed(sys.argv[1:]))
    if stranger := foreign_experiment(Path(sys.argv[0]).stem, sys.argv[1:]):
        _refuse(stranger)
    if stranger := unknown_home(sys.argv[1:]):
        _refuse(stranger)
    try:
        main()
    except InputError as error:  # of a sweep
        _refuse(str(error))
    except (HydraException, OmegaConfBaseException) as error:
        _refuse(explain(error))
    except ValueError as error:  # what Hydra makes of trainer=null
        if not str(error).startswith("Config group override must be"):
            raise
        _refuse(f"{' '.join(sys.argv[1:])}: null is none of the choices of a part (trainer, model, domain, ...)")
    except AssertionError as error:  # what OmegaConf makes of a setting of a part that is null
        if not (str(error).startswith("Unexpected type for root") and (reason := of_nothing(sys.argv[1:]))):
            raise
        _refuse(reason)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on where this one stopped", file=sys.stderr)
        sys.exit(130)
    except Exception:  # unforeseen: its traceback is printed without secrets, and the exit code is 1
        _break_off()


def _refuse(message: str) -> NoReturn:
    print(f"error: {scrubbed(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(2)


def _break_off() -> NoReturn:
    """End with the traceback of the exception at hand, without what must not be shown."""
    print(scrubbed(traceback.format_exc()), file=sys.stderr, end="")
    sys.exit(1)
