"""Attack a victim: python attack.py domain=fc model=roberta_adv attack=bert_attack"""

import hydra
from omegaconf import DictConfig

from hardtext import config

config.register()


@hydra.main(version_base="1.3", config_path="conf", config_name="attack")
def main(settings: DictConfig) -> None:
    from hardtext.pipelines import attack

    config.run_job(attack.run, settings)


if __name__ == "__main__":
    config.run_command(main)
