"""Train a victim: python train.py domain=fc model=roberta_adv"""

import hydra
from omegaconf import DictConfig

from hardtext import config

config.register()


@hydra.main(version_base="1.3", config_path="conf", config_name="train")
def main(settings: DictConfig) -> None:
    from hardtext.pipelines import train

    config.run_job(train.run, settings)


if __name__ == "__main__":
    config.run_command(main)
