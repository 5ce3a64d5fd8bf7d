"""How a fact is worded: several sentences for the evidence, several for the claim, so that no pattern decides alone.

``{s}`` is the subject (a name, or a pronoun where the evidence goes on about the same place), ``{v}`` the value.
Sentences get their capital letter when they are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hardtext.domains.sample_facts import Place

ABOUT = ("about", "around", "roughly")
CONTRASTS = ("", "By comparison, ", "Elsewhere, ", "Meanwhile, ")
ADJECTIVES = {"Africa": "an African", "Asia": "an Asian", "Europe": "a European", "North America": "a North American",
              "Oceania": "an Oceanian", "South America": "a South American"}


@dataclass(frozen=True)
class Wording:
    """Sentences for one relation.

    ``denials`` deny the value (where a place has only one), ``above`` and ``below`` compare a number with a bound.
    """

    evidence: tuple[str, ...]
    claims: tuple[str, ...]
    denials: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


WORDINGS = {
    "abbreviation": Wording(
        evidence=("{s} is shortened to {v} in addresses.", "{s} has the postal abbreviation {v}.",
                  "{s} is written {v} on letters."),
        claims=("the postal abbreviation of {s} is {v}.", "letters to {s} carry the two letters {v}.",
                "in an address {v} stands for {s}.", "the post office knows {s} as {v}."),
    ),
    "area": Wording(
        evidence=("{s} covers {v} square kilometres.", "{s} has an area of {v} square kilometres.",
                  "{s} stretches over {v} square kilometres.", "{s} is {v} square kilometres in size."),
        claims=("the area of {s} is {v} square kilometres.", "the land of {s} measures {v} square kilometres.",
                "in size {s} comes to {v} square kilometres.", "the territory of {s} takes up {v} square kilometres."),
        above=("{s} is larger than {v} square kilometres.", "{s} takes up more than {v} square kilometres."),
        below=("{s} is smaller than {v} square kilometres.", "{s} takes up less than {v} square kilometres."),
    ),
    "capital": Wording(
        evidence=("{s} has its capital in {v}.", "{s} is governed from {v}, the capital.",
                  "{s} has {v} as its capital city.", "{s} keeps its seat of government in {v}."),
        claims=("the capital of {s} is {v}.", "{v} is the capital city of {s}.",
                "the government of {s} has its seat in {v}.", "it is {v} that serves as the capital of {s}.",
                "anyone who visits the capital of {s} goes to {v}.", "the capital of {s} goes by the name of {v}."),
        denials=("{v} is not the capital of {s}.", "the government of {s} does not sit in {v}.",
                 "the capital of {s} is a city other than {v}."),
    ),
    "continent": Wording(
        evidence=("{s} lies in {v}.", "{s} is a part of {v}.", "{s} belongs to {v}.", "{s} is found in {v}."),
        claims=("{s} can be found on a map of {v}.", "travellers on their way to {s} are going to {v}.",
                "{s} is a place in {v}.", "the continent to which {s} belongs is {v}.",
                "{v} is the part of the world where {s} lies.", "{s} counts as {a} place.",
                "{s} is best described as {a} place."),
        denials=("{s} is not a place in {v}.", "{s} does not lie in {v}.", "{s} is anything but {a} place."),
    ),
    "counties": Wording(
        evidence=("{s} is divided into {v} counties.", "{s} has {v} counties.",
                  "{s} counts {v} counties within its borders."),
        claims=("there are {v} counties in {s}.", "the number of counties in {s} is {v}.",
                "{s} is a state that consists of {v} counties.", "all in all {v} counties make up {s}."),
    ),
    "country": Wording(
        evidence=("{s} is a place in {v}.", "{s} lies in {v}.", "{s} is one of the larger places of {v}.",
                  "{s} belongs to {v}."),
        claims=("{s} is situated in {v}.", "{s} is the name of a place in {v}.", "people who live in {s} live in {v}.",
                "the country in which {s} lies is {v}.", "a good map of {v} shows {s}.",
                "anyone who lands in {s} has arrived in {v}."),
        denials=("{s} is not in {v}.", "{s} is not one of the places of {v}.", "a map of {v} does not show {s}."),
    ),
    "currency": Wording(
        evidence=("{s} uses the {v} as its currency.", "{s} pays in the {v}.", "{s} has the {v} as legal tender.",
                  "{s} issues its money in the {v}."),
        claims=("people in {s} pay with the {v}.", "the currency of {s} is the {v}.",
                "shops in {s} take the {v} as money.", "in {s} the money is called the {v}.",
                "prices in {s} are given in the {v}."),
        denials=("the currency of {s} is not the {v}.", "people in {s} do not pay with the {v}."),
    ),
    "dialling": Wording(
        evidence=("{s} is reached by telephone with the prefix {v}.", "{s} has the dialling code {v}.",
                  "{s} answers calls under the country code {v}."),
        claims=("to phone {s} one dials {v} first.", "the dialling code of {s} is {v}.",
                "telephone numbers in {s} start with {v}.", "callers from abroad reach {s} under {v}."),
    ),
    "domain": Wording(
        evidence=("{s} registers websites under {v}.", "{s} has the internet ending {v}.",
                  "{s} puts {v} at the end of its web addresses."),
        claims=("the internet domain of {s} is {v}.", "web addresses in {s} end with {v}.",
                "websites from {s} use the ending {v}.", "a web page from {s} can be told by its ending, {v}."),
    ),
    "language": Wording(
        evidence=("{s} is recorded as speaking {v} only.", "{s} uses {v}; that is the whole list of its languages.",
                  "{s} has speakers of {v}, and no other language is recorded."),
        claims=("{v} is recorded as a language of {s}.", "among the recorded languages of {s} is {v}.",
                "people in {s} are on record as speaking {v}.", "the languages listed for {s} include {v}."),
    ),
    "latitude": Wording(
        evidence=("{s} lies at {v}.", "{s} sits at a latitude of {v}.", "{s} is on the map at {v}."),
        claims=("the latitude of {s} is {v}.", "on a globe {s} is at {v}.", "a map shows {s} at {v}.",
                "a pilot would look for {s} at {v}.", "the position of {s} is given as {v}."),
    ),
    "neighbour": Wording(
        evidence=("{s} shares land borders with {v} and nobody else.", "{s} borders only {v}.",
                  "{s} has no land neighbours but {v}."),
        claims=("{s} has a common border with {v}.", "{v} is a neighbour of {s}.",
                "the border of {s} touches {v}.", "there is a land border between {s} and {v}.",
                "{s} lies right next to {v}."),
    ),
    "population": Wording(
        evidence=("{s} has {v} inhabitants.", "{s} is home to {v} people.", "{s} counts {v} residents.",
                  "{s} has a population of {v}."),
        claims=("the population of {s} is {v}.", "{s} is inhabited by {v} people.", "the number of people in {s} is {v}.",
                "a count of the people in {s} comes to {v}.", "there are {v} people living in {s}."),
        above=("more than {v} people live in {s}.", "{s} has over {v} inhabitants."),
        below=("fewer than {v} people live in {s}.", "{s} has less than {v} inhabitants."),
    ),
    "state": Wording(
        evidence=("{s} is part of the state of {v}.", "{s} lies in the American state of {v}.",
                  "{s} belongs to {v} in the United States.", "{s} is one of the counties of {v}."),
        claims=("{s} is a county in {v}.", "the state in which {s} lies is {v}.",
                "people from {s} come from the state of {v}.", "{s} is situated in {v}.",
                "{v} is the state that {s} is a part of."),
        denials=("{s} is not in {v}.", "{s} is not one of the counties of {v}."),
    ),
    "zone": Wording(
        evidence=("{s} is in the time zone {v}.", "{s} goes by the time zone {v}.",
                  "{s} sets its clocks by the zone {v}.", "{s} has the time zone entry {v}."),
        claims=("the time zone of {s} is {v}.", "clocks in {s} follow the zone {v}.",
                "computers in {s} are set to the time zone {v}.", "the zone {v} gives the time in {s}.",
                "for the time in {s} one looks up {v}."),
        denials=("the time zone of {s} is not {v}.", "clocks in {s} do not follow the zone {v}."),
    ),
}


def spoken(relation: str, value: str | int) -> str:
    """A value as it stands in a sentence; numbers rounded to two figures, without a word for "about".

    >>> spoken("population", 1_352_617_328), spoken("area", 272_900), spoken("area", 1_092), spoken("latitude", -33)
    ('1.4 billion', '270,000', '1,100', '33 degrees south')
    """
    if isinstance(value, str) or relation == "counties":
        return str(value)
    if relation == "latitude":
        return f"{abs(value)} degree{'s' * (abs(value) > 1)} {'north' if value > 0 else 'south'}"
    step = 10 ** max(0, len(str(value)) - 2)
    value = (value + step // 2) // step * step
    for size, word in ((1_000_000_000, "billion"), (1_000_000, "million")):
        if value >= size:
            return f"{value / size:g} {word}"
    return f"{value:,}"


def approximate(relation: str, value: str | int, rng: Random) -> str:
    """The same, with a word for "about" before a rounded number."""
    exact = isinstance(value, str) or relation == "counties"
    return spoken(relation, value) if exact else f"{rng.choice(ABOUT)} {spoken(relation, value)}"


def listed(values: list[str]) -> str:
    """
    >>> listed(["Chad"]), listed(["Chad", "Niger", "Mali"])
    ('Chad', 'Chad, Niger and Mali')
    """
    return " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))


def state(place: Place, relation: str, subject: str, rng: Random) -> str:
    """An evidence sentence: the whole truth about one relation of a place."""
    value = listed([approximate(relation, v, rng) for v in place.facts[relation]])
    return rng.choice(WORDINGS[relation].evidence).format(s=subject, v=value)


def claim(templates: tuple[str, ...], subject: str, value: str, rng: Random) -> str:
    """A claim made from one of ``templates``."""
    return capitalised(rng.choice(templates).format(s=subject, v=value, a=ADJECTIVES.get(value, "")))


def capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
