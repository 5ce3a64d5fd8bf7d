from __future__ import annotations

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.entity import probe
from hardtext.probes.places import places
from hardtext.probes.politicians import politicians

PROBE = probe(ProbeSettings())
PEOPLE = {person.name: person for person in politicians().people}


def new_name(changed):
    assert isinstance(changed, Changed), changed
    return changed.what.split(" -> ")[1]


def test_a_place_becomes_one_of_its_kind_in_all_its_mentions():
    text = "Texas has the highest rate. More people in Texas than in Ohio pay Texas’s taxes."
    for seed in range(20):
        new = new_name(changed := PROBE.change(text, seed))
        assert places()[new].kind == "state" and new not in ("Texas", "Ohio")
        assert changed.text == text.replace("Texas", new)


def test_a_city_takes_its_state_along():
    changed = PROBE.change("He was born in Austin, Texas, and lived there.", 1)
    new = places()[new_name(changed)]
    assert new.kind == "US city" and changed.text == f"He was born in {new.name}, {new.region}, and lived there."


def test_a_country_and_the_article():
    changed = [PROBE.change("They signed a deal with Iran last year.", seed) for seed in range(20)]
    assert all(places()[new_name(c)].kind == "country" for c in changed) and len({c.text for c in changed}) > 5
    for seed in range(30):
        changed = PROBE.change("He is from Texas, and a Texas judge knows him.", seed)
        article = "an" if new_name(changed)[0] in "AIO" else "a"
        assert changed.text.split(", and ")[1].startswith(f"{article} {new_name(changed)}")


def test_a_politician_becomes_another_of_the_same_party_gender_and_office():
    text = "Gov. Scott Walker cut taxes. Walker's budget passed, and he won."
    for seed in range(20):
        person = PEOPLE[new_name(changed := PROBE.change(text, seed))]
        assert person.side == "Republican" and person.gender == "M" and "governor" in person.roles
        assert changed.text == text.replace("Scott Walker", person.name).replace("Walker", person.surname)


def test_what_stays():
    for text in ("", "He is Iranian.", "The University of Texas won.", "the U.S. economy", "He wrote to www.texas.gov.",
                 "They ate turkey in china.", "He lives in Portland, Me."):
        assert isinstance(PROBE.change(text, 0), Unchanged), (text, PROBE.change(text, 0))


def test_another_name_is_left_alone():
    changed = PROBE.change("Virginia is growing, unlike West Virginia.", 0)
    assert changed.text.endswith("unlike West Virginia.")


def test_the_table():
    table = places()
    assert len(table) > 300 and {place.kind for place in table.values()} == {"state", "country", "US city", "city"}
    states = [place for place in table.values() if place.kind == "state"]
    assert len(states) == 48  # all but Washington and New York, which are as often cities
    assert all(bool(place.region) == ("city" in place.kind) for place in table.values())


def test_rivers_stay():
    for text in ("George Washington crossed the Delaware.", "He sailed the Missouri.", "Along the Colorado, nobody lives."):
        assert isinstance(PROBE.change(text, 0), Unchanged), text
    assert new_name(PROBE.change("The Texas law is bad in Texas.", 0)) != "Texas"
