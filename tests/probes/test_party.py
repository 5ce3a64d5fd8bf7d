import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import seeding
from hardtext.probes.base import Changed, ProbeSettings, Unchanged
from hardtext.probes.mentions import mentions
from hardtext.probes.party import probe
from hardtext.probes.party_words import party_words
from hardtext.probes.politicians import DEMOCRAT, REPUBLICAN, packaged, politicians

SIDES = {person.name: person.side for person in packaged()}
PARTY = probe(ProbeSettings())
BOTH = probe(ProbeSettings(both_parties=True))
WORDS = probe(ProbeSettings(party_words=True, both_parties=True))


def swaps(changed):
    return re.findall(r"([^; ][^;]*?) \((.)\) -> ([^;]+?) \((.)\)", changed.what)


def test_one_name_becomes_one_of_the_other_party_and_the_rest_stays():
    text = "In 2009 Barack Obama's budget, as Obama said,  was up."
    changed = PARTY.change(text, 0)
    [(old, _, new, letter)] = swaps(changed)
    assert old == "Barack Obama" and SIDES[new] == REPUBLICAN and letter == "R"
    assert changed.text == f"In 2009 {new}'s budget, as {new.split()[-1]} said,  was up."


def test_same_text_and_seed_same_change_and_seeds_differ():
    text = "Sen. Rubio met Ted Cruz."
    assert PARTY.change(text, 5) == probe(ProbeSettings()).change(text, 5)
    assert len({PARTY.change(text, seed).text for seed in range(20)}) > 5


@pytest.mark.parametrize("seed", range(10))
def test_two_people_get_two_others_of_the_other_party(seed):
    changed = PARTY.change("Marco Rubio, Ted Cruz, Mitt Romney and Sarah Palin met.", seed)
    pairs = swaps(changed)
    assert len(pairs) == 4 and len({new for _, _, new, _ in pairs}) == 4
    assert all(SIDES[new] == DEMOCRAT for _, _, new, _ in pairs)


@pytest.mark.parametrize("seed", range(10))
def test_title_gender_and_years_fit(seed):
    by_name = {person.name: person for person in packaged()}
    for text, role, gender in [("Sen. Rubio voted.", "senator", "M"), ("President Obama signed.", "president", "M"),
                               ("Gov. Nikki Haley said so.", "governor", "F"), ("Hillary Clinton said so.", None, "F")]:
        [(old, _, new, _)] = swaps(PARTY.change(text, seed))
        new = by_name[new]
        assert new.gender == gender and (role is None or role in new.roles)
        assert new.years[1] >= 1990


def test_forms_possessives_case_and_articles():
    changed = PARTY.change("SEN. RUBIO SPOKE", 1).text
    assert changed.isupper() and changed.startswith("SEN. ")
    assert PARTY.change("marco rubio's tax", 1).text.islower()
    for seed in range(30):
        after = PARTY.change("It was an Obama idea of Barack Obama; John Edwards' too.", seed).text
        article, word = re.match(r"It was (an?) (\w+)", after).groups()
        assert article == ("an" if word[0] in "AEIO" else "a"), after
        assert re.search(r"(?:s'|[^s]'s) too\.$", after), after


def test_both_parties_are_left_alone_unless_asked_for():
    text = "Barack Obama met Marco Rubio."
    assert PARTY.change(text, 0) == Unchanged("names both parties")
    pairs = swaps(BOTH.change(text, 0))
    assert [(old, SIDES[new]) for old, _, new, _ in pairs] == [("Barack Obama", REPUBLICAN), ("Marco Rubio", DEMOCRAT)]


def test_new_names_are_not_those_of_others_in_the_text():
    drawn = [PARTY.change(text, seed).what for text in ("Sen. Rubio said so.", "Sen. Rubio sued Wyden Brothers.")
             for seed in range(150)]
    assert "Wyden" in " ".join(drawn[:150]) and "Wyden" not in " ".join(drawn[150:])


@pytest.mark.parametrize("text, why", [
    ("Watch Joe Biden Take Trump’s Own Words And Tear Him To SHREDS", "names both parties"),
    ("Donald Trump is just like Reagan.", "also names somebody by one name alone"),
    ("Team Trump has accused Ted Cruz.", "also names somebody by one name alone"),
    ("Michelle Obama met Barack Obama.", "also names somebody by one name alone"),
    ("Hillary Clinton met Bernie Sanders.", "also names somebody by one name alone"),
    ("Mitt Romney met Bernie Sanders.", "names both parties"),
    ("Barack Obama changed Obamacare.", "holds the name in another word, as Obamacare does"),
    ("Democrat Maxine Waters spoke.", "says its party too: probe.party_words=true swaps that as well"),
    ("Maxine Waters (D-CA) spoke.", "says its party too: probe.party_words=true swaps that as well"),
    ("Paul Ryan left when the Democrats started their sit-in.",
     "says the other party too: probe.party_words=true probe.both_parties=true swap both"),
])
def test_what_would_contradict_the_new_name(text, why):
    assert PARTY.change(text, 0) == Unchanged(why)


def test_words_that_are_no_bare_names():
    for text in ("Mitt Romney would repeal Obamacare.", "Paul Ryan hit a trump card.", "Paul Ryan wrote to @Obama."):
        assert isinstance(PARTY.change(text, 0), Changed)


def test_independents_are_left_alone():
    assert PARTY.change("Bernie Sanders spoke.", 0) == Unchanged("names no Democrat and no Republican")
    by_name = {person.name: person for person in packaged()}
    assert by_name["Bernie Sanders"].side is None and by_name["Bernie Sanders"].leaning == DEMOCRAT


def test_why_not():
    assert PARTY.change("Taxes are up.", 0) == Unchanged("names no Democrat and no Republican")
    assert PARTY.change("Republicans raised taxes.", 0) == Unchanged("names no Democrat and no Republican")
    one_side = probe(ProbeSettings(party_words=True))
    assert one_side.change("Taxes.", 0) == Unchanged("names no Democrat, no Republican and no party")
    assert one_side.change("Republicans and Democrats agree.", 0) == Unchanged("names both parties")
    assert one_side.change("Barack Obama met Republicans.", 0) == Unchanged("names both parties")


@pytest.mark.parametrize("before, after", [
    ("Republicans and Democrats met.", "Democrats and Republicans met."),
    ("A Republican senator met a Democrat.", "A Democratic senator met a Republican."),
    ("She is a Republican.", "She is a Democrat."),
    ("Democratic Party leaders", "Republican Party leaders"),
    ("The GOP lowered taxes, a GOP plan.", "The Democratic Party lowered taxes, a Democratic plan."),
    ("Liberals like an old conservative.", "Conservatives like an old liberal."),
    ("REPUBLICANS LOST", "DEMOCRATS LOST"),
    ("republicans lost", "democrats lost"),
    ("the DNC and the RNC", "the RNC and the DNC"),
    ("He (D-Fla.) met her (R).", "He (R-Fla.) met her (D)."),
])
def test_party_words(before, after):
    assert WORDS.change(before, 0).text == after


@pytest.mark.parametrize("text", ["liberal arts", "a conservative estimate", "the Democratic Republic of Congo",
                                  "the Democratic process", "A democratic society", "conservatively", "#GOP", "D-Day",
                                  "vitamin D", ""])
def test_words_that_are_no_party(text):
    assert party_words(text) == []


def test_people_and_words_together():
    changed = probe(ProbeSettings(party_words=True)).change("The Democrat Barack Obama won.", 0)
    [(_, _, new, _)] = swaps(changed)
    assert changed.text == f"The Republican {new} won." and "Democrat -> Republican" in changed.what


def test_what_it_says_of_itself():
    assert (PARTY.name, PARTY.expects, PARTY.of) == ("party", "fake", "real")
    assert probe(ProbeSettings(rules="published")).change("Sen. Rubio voted.", 3) == PARTY.change("Sen. Rubio voted.", 3)


PIECES = ["Barack Obama", "Sen. Rubio", "obama", "BUSH", "'s ", " ", "-", ". ", "and", "President ", "Republican ", "an ",
          "\U0001f600",
          "e\u0301", "\udc80", "\u202e", "\x00", "’", "x", "Jr.", "12", "(", "Hillary Clinton", "GOP"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60))
def test_odd_texts(text):
    changed = BOTH.change(text, 0)
    if isinstance(changed, Changed):
        assert changed.text != text and changed.what
        for mention in mentions(text, politicians()):
            assert text[mention.start:mention.end].strip()
    else:
        assert changed.why


def test_replacements_on_real_statements_are_of_the_other_side(shared_data):
    with (shared_data / "liar" / "test.tsv").open(encoding="utf-8") as file:
        texts = [line.split("\t")[2] for line in file]
    changed = [PARTY.change(text, seeding.derive(0, i)) for i, text in enumerate(texts)]
    changed = [one for one in changed if isinstance(one, Changed)]
    assert 250 <= len(changed) <= 280
    for one in changed:
        pairs = swaps(one)
        assert pairs and all({SIDES[old], SIDES[new]} == {DEMOCRAT, REPUBLICAN} for old, _, new, _ in pairs), one
        assert len({new for _, _, new, _ in pairs}) == len(pairs)


@pytest.mark.parametrize("text", [
    "Senator John McCain, R-Ariz., voted.", "Nancy Pelosi (D-Calif.) voted.", "Republican Marco Rubio voted.",
    "John McCain [R-Ariz.] voted."])
def test_a_party_beside_the_name_stays_or_goes_with_it(text):
    assert PARTY.change(text, 0).why.startswith("says its party too")
    changed = WORDS.change(text, 0)
    [(_, old, _, new)] = swaps(changed)
    assert old != new and len(changed.what.split("; ")) == 2


@pytest.mark.parametrize("text", ["Mitt Romney's and Ryan's plan cuts taxes.", "Mitt Romney and Ryan met.",
                                  "Ryan and Mitt Romney met.", "Mitt Romney, Ryan and others met.",
                                  "He said Ryan and Mitt Romney met.", "“Ryan and Mitt Romney met.”"])
def test_a_surname_joined_to_a_name_is_not_left_behind(text):
    assert PARTY.change(text, 0).why == "also names somebody by one name alone"


def test_two_ways_to_name_one_of_a_family():
    for text in ("George W. Bush and his father George Bush were presidents.",
                 "President George Bush and his son George W. Bush"):
        assert PARTY.change(text, 0).why == "names one person in two ways, or two people of one name"
    assert len(swaps(PARTY.change("George W. Bush and George H.W. Bush were presidents.", 0))) == 2
    for text in ("Mitt Romney and his wife met.", "Kevin Ryan and Mitt Romney met.", "Mitt Romney and Kingston Smith met."):
        assert isinstance(PARTY.change(text, 0), Changed), text
