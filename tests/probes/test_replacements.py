import pytest

from hardtext.probes.mentions import mentions
from hardtext.probes.politicians import PRESIDENTIAL, packaged, politicians
from hardtext.probes.replacements import replacements

PEOPLE = {person.name: person for person in packaged()}


def drawn(text, seeds=60):
    """Who replaces the first politician of the text, over seeds."""
    people = politicians()
    return [next(iter(replacements(text, mentions(text, people), people, seed).values())) for seed in range(seeds)]


@pytest.mark.parametrize("text", ["Sarah Palins son", "Barack Obamas plan", "This is not (Hillary Clintons)position",
                                  "Gov. Romneys plan"])
def test_a_possessive_without_apostrophe_gets_no_name_in_s(text):
    assert not any(person.surname.endswith(("s", "x", "z")) for person in drawn(text))


def test_a_surname_alone_says_who_is_meant():
    for text in ("Sen. Obama voted.", "Gov. Romney spoke.", "Senator Clinton spoke.", "Mayor Giuliani sued."):
        surnames = {person.surname for person in drawn(text)}
        assert not surnames & {"Graham", "Dole", "Brown", "Scott", "Johnson", "Nelson", "Bush"}, text
        for surname in surnames:
            assert sum(person.surname == surname and bool(person.leaning) for person in packaged()) == 1, surname


def test_presidents_where_a_president_is_spoken_of():
    for text in ("President Obama signed it.", "No president spent more than Barack Obama.", "the Obama administration; "
                 "Barack Obama left"):
        assert {person.name for person in drawn(text)} == {"Donald Trump", "George W. Bush"}, text


def test_offices_named_elsewhere_in_the_text_count():
    assert all("governor" in person.roles for person in drawn("We had no earthquake until John Kasich was elected Governor."))
    assert all("senator" in person.roles for person in drawn("He runs for Senate if Jim Webb retires."))


@pytest.mark.parametrize("text, state", [
    ("Wisconsin Gov. Scott Walker spoke.", "WI"), ("New Jersey has had cuts since Chris Christie became governor.", "NJ"),
    ("We had no quake in Columbus until John Kasich was elected Governor.", "OH"), ("Florida loves Marco Rubio.", "FL"),
    ("Josh Mandel says Ohios fund lost.", "OH")])
def test_people_of_the_state_that_the_text_names(text, state):
    assert all(state in person.states for person in drawn(text))


def test_a_state_of_others_does_not_matter():
    assert len({person.states for person in drawn("Scott Walker spoke in Iowa.")}) > 5


@pytest.mark.parametrize("text", ["Donald Trump spoke.", "Mitt Romney spoke.", "Paul Ryan spoke.", "Hillary Clinton spoke."])
def test_no_one_name_is_drawn_most_of_the_time(text):
    names = [person.name for person in drawn(text, 200)]
    assert len(set(names)) >= 8 and max(names.count(name) for name in names) < 0.25 * len(names)


def test_nominees_come_before_others():
    assert sum(bool(PRESIDENTIAL & {*person.roles}) for person in drawn("Barack Obama spoke.", 200)) > 80


def test_times():
    assert all(person.years[1] >= 1990 for person in drawn("Barack Obama spoke in New York.", 200))
    assert all(person.years[0] <= 1978 for person in drawn("In 1968 Bobby Kennedy spoke."))
    assert all(person.years[0] <= 1927 for person in drawn("Woodrow Wilson borrowed money in 1917."))
    assert not {"George H.W. Bush"} & {person.name for person in drawn("President Obama wrote a 2013 budget.")}


def test_same_seed_same_draw():
    assert drawn("Ted Cruz spoke.", 10) == drawn("Ted Cruz spoke.", 10)
