"""A Ray cluster of this machine, with two actors."""

from __future__ import annotations

import sys

import pytest

from hardtext.attacks import DeepWordBug, engine
from hardtext.core import InputError
from hardtext.executors import RaySettings, runner
from hardtext.executors.ray import room

ATTACK = DeepWordBug(name="deepwordbug")


def test_results_are_those_of_one_process_though_actors_are_killed(bag, texts, with_words, facts, tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed (requirements-ray.txt)")
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))
    examples = with_words(texts, "once", "always")
    alone = facts(engine.run(ATTACK, bag(device="cpu"), examples, domain="toy", seed=0))
    run = runner(RaySettings(address="local", workers=2, chunk=4), bag)
    found, deadly = facts(run(ATTACK, bag(device="cpu"), examples, domain="toy", seed=0)), examples[4].id
    assert found[deadly]["status"] == "error" and "lost 2 times" in found[deadly]["error"]
    del found[deadly], alone[deadly]
    assert found == alone
    assert (tmp_path / "killed").exists(), "no actor was killed, so the test has shown nothing"


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_missing_cluster_is_said_in_one_line(bag, texts, monkeypatch, address):
    pytest.importorskip("ray", reason="Ray is not installed (requirements-ray.txt)")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # a port at which nobody listens
    run = runner(RaySettings(address=address), bag)
    with pytest.raises(InputError, match=rf"executor\.address={address}: no Ray cluster there.*refused.*ray_cluster"):
        list(run(ATTACK, bag(device="cpu"), texts, domain="toy", seed=0))


def test_without_ray_the_requirements_file_is_named(bag, texts, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"requirements-ray\.txt"):
        list(runner(RaySettings(), bag)(ATTACK, bag(device="cpu"), texts, domain="toy", seed=0))


@pytest.mark.parametrize(("settings", "has", "workers", "gpus"), [
    (RaySettings(), {"CPU": 8.0}, 8, 0),
    (RaySettings(), {"CPU": 8.0, "GPU": 2.0}, 2, 1),
    (RaySettings(gpus=0.5), {"CPU": 8.0, "GPU": 2.0}, 4, 0.5),
    (RaySettings(cpus=3), {"CPU": 8.0}, 2, 0),
    (RaySettings(cpus=0.1), {"CPU": 0.3}, 3, 0),
    (RaySettings(workers=3), {"CPU": 8.0}, 3, 0),
    (RaySettings(resources={"big": 1}), {"CPU": 8.0, "big": 2.0}, 2, 0),
])
def test_as_many_actors_as_there_is_room_for(settings, has, workers, gpus):
    takes, found = room(settings, has)
    assert (found, takes["num_gpus"], takes["num_cpus"]) == (workers, gpus, settings.cpus)


@pytest.mark.parametrize("settings", [RaySettings(workers=9), RaySettings(gpus=1), RaySettings(resources={"big": 1})])
def test_more_actors_than_there_is_room_for_are_refused(settings):
    with pytest.raises(InputError, match=r"has room for [08]"):
        room(settings, {"CPU": 8.0})


@pytest.mark.parametrize("wrong", [{"cpus": 0}, {"gpus": -1}, {"address": ""}, {"workers": 0}])
def test_settings_are_checked(wrong):
    with pytest.raises(InputError, match=rf"executor\.{next(iter(wrong))}"):
        RaySettings(**wrong)
