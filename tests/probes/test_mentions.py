import pytest

from hardtext.probes.mentions import mentions
from hardtext.probes.politicians import politicians


def found(text):
    return [(text[m.start:m.end], m.person.name, m.form) for m in mentions(text, politicians())]


@pytest.mark.parametrize("text, who", [
    ("Barack Obama was born in Hawaii.", "Barack Obama"),
    ("A bill by Joseph R. Biden Jr. passed.", "Joe Biden"),
    ("John F. Kennedy said so.", "John F. Kennedy"),
    ("George H. W. Bush and taxes", "George H.W. Bush"),
    ("George W. Bush and taxes", "George W. Bush"),
    ("Hillary Rodham Clinton's mail", "Hillary Clinton"),
    ("hillary clinton's mail", "Hillary Clinton"),
    ("HILLARY CLINTON'S MAIL", "Hillary Clinton"),
    ("Rep. Alexandria Ocasio-Cortez voted.", "Alexandria Ocasio-Cortez"),
    ("Beto O’Rourke lost.", "Beto O'Rourke"),
    ("Julián Castro ran.", "Julian Castro"),
    ("Mitchell? No: Mitch McConnell.", "Mitch McConnell"),
    ("Barack H. Obama signed it.", "Barack Obama"),
    ("Barack Obamas plan cost more.", "Barack Obama"),
])
def test_full_names(text, who):
    [(_, name, form)] = found(text)
    assert (name, form) == (who, "full")


@pytest.mark.parametrize("text, who", [
    ("Sen. Rubio voted.", "Marco Rubio"),
    ("President Obama’s plan", "Barack Obama"),
    ("president obama signed it", "Barack Obama"),
    ("Gov. Walker cut taxes.", "Scott Walker"),
    ("House Speaker Pelosi", "Nancy Pelosi"),
    ("Vice President Pence spoke", "Mike Pence"),
    ("Secretary of State Clinton resigned", "Hillary Clinton"),
    ("Senator Clinton voted", "Hillary Clinton"),
    ("President Clinton signed", "Bill Clinton"),
    ("President Bush signed", "George W. Bush"),
    ("Senate Majority Leader McConnell said", "Mitch McConnell"),
    ("President-elect Trump said", "Donald Trump"),
])
def test_titled_surnames(text, who):
    [(surname, name, form)] = found(text)
    assert (name, form) == (who, "surname") and surname.lower() in name.lower()


@pytest.mark.parametrize("text", [
    "A bush grew by the Ford.", "Bush is a plant, Ford is a car.", "Obama said no.", "Sen. Brown voted.",
    "state Sen. Cruz voted", "Sen. Scott Fitzgerald voted", "Rep. Johnson", "Ronald Reagan Washington National Airport",
    "John F. Kennedy International Airport closed.", "Michelle Obama spoke.", "Donald Trump Jr. spoke.", "the obamas",
    "@BarackObama #MarcoRubio www.barackobama.com", "Senate President Clinton", "", " ", "\ud800", "Charlie Crist ran.",
    "Bush, George", "Barack. Obama", "12Marco Rubio34"])
def test_nobody(text):
    assert found(text) == []


def test_surnames_count_once_the_full_name_stands_in_the_text():
    text = "Obama spoke. Barack Obama's Obama-era rule, the Obama-Biden plan, Obamacare and anti-Obama ads."
    assert [(part, form) for part, _, form in found(text)] == [
        ("Obama", "surname"), ("Barack Obama", "full"), ("Obama", "surname"), ("Obama", "surname"), ("Biden", "surname"),
        ("Obama", "surname")]


def test_other_peoples_surnames_do_not():
    assert len(found("Barack Obama and Michelle Obama danced.")) == 1
    assert len(found("Later John McCain said that Meghan McCain left the McCain-Feingold bill alone.")) == 1
    assert len(found("george bush grew a bush")) == 1


def test_couples_first_names_and_the_longest_name():
    assert found("Bill and Hillary Clinton came") == [
        ("Bill", "Bill Clinton", "full"), ("Hillary Clinton", "Hillary Clinton", "full")]
    assert [form for *_, form in found("Hillary Clinton lost. Hillary won before.")] == ["full", "first"]
    assert found("George W. Bush") == [("George W. Bush", "George W. Bush", "full")]


def test_namesakes_are_told_apart_by_what_is_said():
    text = "Bill Clinton was president. Clinton won. Then Hillary Clinton ran, and Clinton lost."
    assert [name for _, name, _ in found(text)] == ["Bill Clinton", "Bill Clinton", "Hillary Clinton", "Hillary Clinton"]
    assert found("John Kennedy spoke.") == []  # of Massachusetts, or of Louisiana


def test_titles():
    [mention] = mentions("Former U.S. Sen. Marco Rubio ran.", politicians())
    assert mention.title == "senator"
    [mention] = mentions("state Sen. Scott Walker ran.", politicians())
    assert mention.title is None


def test_a_long_text_is_read_in_time():
    text = "President Obama met Marco Rubio in Ohio. " * 1_500
    assert len(mentions(text, politicians())) == 3_000
