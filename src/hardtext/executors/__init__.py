"""Attacks spread over several workers: ``executor=process`` (cores or GPUs of one machine), ``executor=ray`` (a cluster).

    settings.py   what ``executor=`` takes
    worker.py     what a worker does: load the victim and the masked LM itself, attack what it is given, answer in text
    handing.py    what the driver does: give out examples as workers get free, take back those of lost workers
    process.py    workers as processes of this machine
    ray.py        workers as actors of Ray; the only file that imports it

Only plain settings, texts and attempts travel; models never do. One process, the driver, writes the rows. What an attempt
holds does not depend on the examples beside it (``attacks.engine``), so the rows are those of a single process, but for
``seconds``.
"""

from hardtext.executors.settings import EXECUTORS, ExecutorSettings, ProcessSettings, RaySettings, runner

__all__ = ["EXECUTORS", "ExecutorSettings", "ProcessSettings", "RaySettings", "runner"]
