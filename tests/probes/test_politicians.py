import csv
import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.probes.politicians import DEMOCRAT, REPUBLICAN, key, packaged, politicians

ROLES = {"president", "vice-president", "nominee", "running-mate", "candidate", "senator", "representative", "governor",
         "speaker", "leader", "chair", "secretary", "attorney-general", "mayor", "lieutenant-governor", "family"}


def test_the_table_is_large_and_sound():
    people = packaged()
    swapped = [person for person in people if person.side]
    assert len(swapped) >= 300 and min(Counter(person.side for person in swapped).values()) > 250
    assert len({person.name for person in people}) == len(people)
    for person in people:
        assert person.gender in ("F", "M"), person
        assert person.party in (DEMOCRAT, REPUBLICAN, "Independent", "various", "none"), person
        assert person.name.endswith(person.surname) or person.name.endswith("Jr."), person
        assert person.years[0] <= person.years[1] and set(person.roles) <= ROLES and person.roles, person
        assert person.side in (person.party, None) and (person.side is None or person.leaning == person.side), person
        assert all(len(state) == 2 and state.isupper() for state in person.states), person
        assert all(name.isalpha() and name[0].isupper() for name in person.bare_names), person
        assert set(person.shared_titles) <= set(person.roles), person


@pytest.mark.parametrize("name, party, role", [
    ("Barack Obama", DEMOCRAT, "president"), ("Mike Pence", REPUBLICAN, "vice-president"),
    ("Sarah Palin", REPUBLICAN, "running-mate"),
    ("Nancy Pelosi", DEMOCRAT, "speaker"), ("Mitch McConnell", REPUBLICAN, "leader"),
    ("Scott Walker", REPUBLICAN, "governor"), ("Condoleezza Rice", REPUBLICAN, "secretary"),
    ("Eric Holder", DEMOCRAT, "attorney-general"), ("Rahm Emanuel", DEMOCRAT, "mayor")])
def test_offices(name, party, role):
    [person] = [p for p in packaged() if p.name == name]
    assert person.party == person.side == party and role in person.roles


def test_every_president_and_nominee_since_1948_is_there():
    names = {person.name for person in packaged() if person.years[1] >= 1945}
    assert {"Harry Truman", "Dwight Eisenhower", "John F. Kennedy", "Lyndon Johnson", "Richard Nixon", "Gerald Ford",
            "Jimmy Carter", "Ronald Reagan", "George H.W. Bush", "Bill Clinton", "George W. Bush", "Barack Obama",
            "Donald Trump", "Joe Biden", "Thomas Dewey", "Adlai Stevenson", "Barry Goldwater", "Hubert Humphrey",
            "George McGovern", "Walter Mondale", "Michael Dukakis", "Bob Dole", "Al Gore", "John Kerry", "John McCain",
            "Mitt Romney", "Hillary Clinton", "Kamala Harris"} <= names


def test_parties_and_genders_agree_with_the_legislators_files(shared_data):
    members = defaultdict(list)
    for name in ("legislators-current.csv", "legislators-historical.csv"):
        with (shared_data / "politicians" / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for first in {row["first_name"], row["nickname"], row["middle_name"]} - {""}:
                    members[key(f"{first} {row['last_name']}")].append(row)
    checked = 0
    for person in packaged():
        if person.years[1] < 1860 or not {"senator", "representative"} & set(person.roles):
            continue
        rows = [row for name in (person.name, *person.other_names) for row in members.get(key(name), ())
                if person.years[0] - 85 < int(row["birthday"][:4] or 0) < person.years[0] - 18]
        if not rows:
            continue
        checked += 1
        assert person.gender in {row["gender"] for row in rows}, person.name
        if person.side and person.name != "Abraham Lincoln":  # a Whig when he sat in Congress
            assert person.party in {row["party"] for row in rows}, (person.name, {row["party"] for row in rows})
            assert {*person.states} & {row["state"] for row in rows}, person.name
    assert checked > 350


def test_parties_agree_with_the_files_of_governors_and_presidents(shared_data):
    ours = {key(name): person for person in packaged() for name in (person.name, *person.other_names)}
    checked = 0
    with (shared_data / "politicians" / "us-governors-2021.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            person = ours.get(key("John Bel Edwards" if row["name"] == "John Edwards" else row["name"]))
            if person is not None and person.side:
                assert person.party.lower() == row["party"].replace("democratic", "democrat"), row["name"]
                assert "governor" in person.roles, row["name"]
                checked += 1
    for entry in json.loads((shared_data / "politicians" / "executive.json").read_text(encoding="utf-8")):
        person = ours.get(key(f"{entry['name'].get('nickname') or entry['name']['first']} {entry['name']['last']}"))
        if person is not None and person.side and "president" in person.roles:
            assert person.party in {term["party"] for term in entry["terms"]}, person.name
            checked += 1
    assert checked > 50


def test_bare_names_mean_people_of_one_party():
    people = politicians()
    assert {person.leaning for person in people.barely_named("clinton")} == {DEMOCRAT}
    assert {person.leaning for person in people.barely_named("bush")} == {REPUBLICAN}
    names = {name for person in packaged() for name in person.bare_names}
    assert {"Trump", "Obama", "Reagan", "Romney", "Biden", "Pelosi", "McConnell", "Chaffetz"} <= names
    assert not names & {"Ford", "Brown", "Scott", "Warren", "Paul", "Ryan", "King", "Dean", "Dole", "Graham"}
    for name in names:
        leanings = {person.leaning for person in people.barely_named(key(name)[0])}
        assert len(leanings) == 1 and leanings <= {DEMOCRAT, REPUBLICAN}, name


def test_the_script_leaves_the_table_as_it_is(shared_data, tmp_path):
    """What scripts/politicians.py computes is what is packaged."""
    root = Path(__file__).resolve().parents[2]
    table = root / "src" / "hardtext" / "probes" / "data" / "politicians.csv"
    copy = tmp_path / "src" / "hardtext" / "probes" / "data" / "politicians.csv"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(table.read_bytes())
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "politicians.py"
    script.write_bytes((root / "scripts" / "politicians.py").read_bytes())
    subprocess.run([sys.executable, str(script), str(shared_data / "politicians")], check=True, capture_output=True)
    assert copy.read_bytes() == table.read_bytes()


def test_the_full_legislators_file_adds_people(shared_data):
    more = politicians(str(shared_data / "politicians" / "legislators-current.csv"))
    [member] = more.named(key("Suzan DelBene"))
    assert member.party == DEMOCRAT and member.gender == "F" and member.roles == ("representative",)
    assert len(more.people) > len(packaged()) + 300
    assert [p for p in more.named(key("Amy Klobuchar"))] == [p for p in packaged() if p.name == "Amy Klobuchar"]


def test_a_short_file(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("\ufeffname,party\nZoe Test,Democratic\nYann Example,R\nX Y,Green\n", encoding="utf-8")
    more = politicians(str(path))
    assert [p.party for p in more.people[len(packaged()):]] == [DEMOCRAT, REPUBLICAN]


@pytest.mark.parametrize("content, message", [
    ("who,party\nA B,R\n", "expected the columns party and name"),
    ("name,party\nA B,Green\n", "no row names a Democrat or a Republican"),
    ("name,party\nA B\n", r"line 2: expected 2 fields \(name, party\), found 1"),
    ("", "found an empty file")])
def test_a_bad_file_is_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        politicians(str(path))
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_semicolons_and_capitals_in_the_header(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("Party;Name\nD;Zoe Test\n", encoding="utf-8")
    assert politicians(str(path)).named(key("Zoe Test"))[0].party == DEMOCRAT


def test_odd_rows_are_said_in_one_line(tmp_path, caplog):
    path = tmp_path / "odd.csv"
    path.write_text("name,party\nCher,D\nThe People,R\nBarack Obama,R\nAnn Twice,D\nAnn Twice,R\nZoe Test,D\n",
                    encoding="utf-8")
    more = politicians(str(path))
    assert [person.name for person in more.people[len(packaged()):]] == ["Zoe Test"]
    assert [person.party for person in more.named(key("Barack Obama"))] == [DEMOCRAT]
    [record] = caplog.records
    for words in ("since no first and last name: 2 rows (line 2: Cher, Democrat; line 3: The People, Republican)",
                  "against the packaged table, which counts: 1 row (line 4: Barack Obama, Republican, not Democrat)",
                  "since in both parties: 2 rows (line 5"):
        assert words in record.getMessage()


def test_namesakes_of_another_time_are_no_oddity(tmp_path, caplog):
    path = tmp_path / "old.csv"
    path.write_text("name,party,birthday\nAnn Twice,D,1850-01-01\nAnn Twice,R,1950-01-01\n", encoding="utf-8")
    assert politicians(str(path)).named(key("Ann Twice"))[0].party == REPUBLICAN and not caplog.records


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        politicians(str(tmp_path / "no.csv"))
    (tmp_path / "bytes.csv").write_bytes(b"name,party\n\xff\xfe,R\n")
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        politicians(str(tmp_path / "bytes.csv"))
