"""Check the packaged table of US politicians against public lists, and fill in its column ``shared_titles``.

    python scripts/politicians.py FOLDER      # holds legislators-current.csv and legislators-historical.csv

The files are those of the congress-legislators project (CC0). The table itself is edited by hand; this script says where
party, gender or state differ from the files, and rewrites ``shared_titles``: under which titles ("senator",
"representative") a member of the other party with the same surname served in the last decades, so that title and surname
alone ("Rep. Johnson") do not say who is meant.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "src" / "hardtext" / "probes" / "data" / "politicians.csv"
FILES = ("legislators-current.csv", "legislators-historical.csv")
TITLES = {"sen": "senator", "rep": "representative"}
BORN_AFTER = 1915  # who is younger may be meant in a text of the last decades


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    members = [row for name in FILES for row in csv.DictReader((folder / name).open(encoding="utf-8", newline=""))]
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    parties = defaultdict(set)  # (surname, title) → parties of its recent bearers
    people = defaultdict(list)
    for member in members:
        born = int(member["birthday"][:4] or 0)
        for first in {member["first_name"], member["nickname"], member["middle_name"]} - {""}:
            facts = member["party"], member["gender"], born, member["state"]
            people[f"{first} {member['last_name']}".lower()].append(facts)
        if born > BORN_AFTER:
            parties[member["last_name"].lower(), TITLES[member["type"]]].add(member["party"])
    for row in rows:
        for complaint in _differences(row, people):
            print(complaint, file=sys.stderr)
        row["shared_titles"] = "|".join(
            title for title in TITLES.values() if title in row["roles"].split("|")
            and parties[row["surname"].lower(), title] - {row["party"]} & {"Democrat", "Republican"})
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{TABLE}: {len(rows)} people, {sum(bool(row['shared_titles']) for row in rows)} of them share a titled surname")


def _differences(row: dict[str, str], people: dict[str, list[tuple[str, str, int, str]]]) -> list[str]:
    """Where the files know nobody of this name and time with the table's party, gender or state."""
    found = [person for name in (row["name"], *row["other_names"].split("|")) for person in people.get(name.lower(), ())
             if not person[2] or int(row["first_year"]) - 85 < person[2] < int(row["first_year"]) - 18]
    said = []
    if found and row["party"] in ("Democrat", "Republican") and row["party"] not in {person[0] for person in found}:
        said.append(f"{row['name']}: {row['party']} in the table, {sorted({p[0] for p in found})} in the files")
    if found and row["gender"] not in {person[1] for person in found}:
        said.append(f"{row['name']}: {row['gender']} in the table, not in the files")
    if found and row["party"] != "none" and not {*row["states"].split("|")} & {person[3] for person in found}:
        said.append(f"{row['name']}: states {row['states']} in the table, {sorted({p[3] for p in found})} in the files")
    return said


if __name__ == "__main__":
    main()
