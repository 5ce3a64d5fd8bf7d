"""Evaluate what was written: python evaluate.py task=score attempts=<folder> semantic=minilm"""

import hydra
from omegaconf import DictConfig

from hardtext import config

config.register()


@hydra.main(version_base="1.3", config_path="conf", config_name="evaluate")
def main(settings: DictConfig) -> None:
    from hardtext.pipelines import evaluate

    config.run_job(evaluate.run, settings)


if __name__ == "__main__":
    config.run_command(main)
