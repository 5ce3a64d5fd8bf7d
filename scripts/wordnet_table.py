"""Write the table of single words that the attacks read WordNet from.

    apt-get install wordnet-base
    python scripts/wordnet_table.py [--wordnet /usr/share/wordnet] [--output src/hardtext/lexicon/data]

The same files give the same bytes. The table is text in three parts with an empty line between them:

    synsets    the words of one meaning, then tab-separated antonyms: ``owner opposite opposite``, owner ``*`` = each word
    lemmas     ``lemma<TAB>pos sense sense<TAB>pos sense``: line numbers of synsets, most frequent first, each with
               ``:n`` where it was tagged n times in WordNet's corpus
    irregular  ``pos written lemma``
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from pathlib import Path

from wordnet import FOLDER, Synset, WordNet

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "hardtext" / "lexicon" / "data"
# Past forms that WordNet's *.exc leave out: regular in one meaning, or the same as the lemma.
MORE_PASTS = {"lie": "lied", "hang": "hanged"} | {v: v for v in """
    bet broadcast burst bust cast cost cut forecast hit hurt let offset put quit read recast reset rid set shut slit split
    spread sublet thrust typeset undercut upset wed""".split()}
# Plurals they leave out: policemen and women, but not shamen.
PLURAL_IN_S = frozenset("""brahman caiman cayman ceriman doberman dolman human liman ottoman saman shaman soman
                          talisman""".split())
NATIONS = ("woman", "cornishman", "dutchman", "englishman", "frenchman", "irishman", "norseman", "scotchman", "scotsman",
           "welshman")  # spelled with a capital as names are


def table(wordnet: WordNet) -> str:
    """The whole table as text."""
    synsets = [s for s in wordnet.synsets.values() if any(map(_single, s.words))]
    number = {s.id: str(i) for i, s in enumerate(synsets)}
    lemmas = defaultdict(list)
    for lemma, pos in wordnet.lemmas():
        if _single(lemma):
            senses = (number[s.id] + (f":{n}" if n else "") for s, n in wordnet.senses(lemma, pos))
            lemmas[lemma].append(" ".join([pos, *senses]))
    irregular = [(pos, written, lemma) for pos, words in wordnet.irregular.items()
                 for written, of in words.items() if _single(written) for lemma in of if _single(lemma)]
    irregular += [("v", written, lemma) for lemma, written in MORE_PASTS.items()]
    irregular += [("n", lemma[:-2] + "en", lemma) for lemma, pos in wordnet.lemmas() if pos == "n" and _man(wordnet, lemma)]
    parts = [[_synset(wordnet, s) for s in synsets],
             ["\t".join([lemma, *lemmas[lemma]]) for lemma in sorted(lemmas)],
             [" ".join(row) for row in irregular]]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _synset(wordnet: WordNet, synset: Synset) -> str:
    opposites = {word: " ".join(sorted(filter(_single, wordnet.antonyms(synset, word))))
                 for word in synset.words if _single(word)}
    if len(set(opposites.values())) == 1:
        opposites = {"*": next(iter(opposites.values()))}
    return "\t".join([" ".join(filter(_single, synset.names)), *(f"{o} {a}" for o, a in opposites.items() if a)])


def _man(wordnet: WordNet, lemma: str) -> bool:
    common = any(lemma in synset.names for synset, _ in wordnet.senses(lemma, "n"))
    return (_single(lemma) and lemma.endswith("man") and lemma != "man" and lemma not in PLURAL_IN_S
            and (common or lemma.endswith(NATIONS)))


def _single(word: str) -> bool:
    return "_" not in word


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=FOLDER)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    args = parser.parse_args()
    path = args.output / "wordnet.txt.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(table(WordNet(args.wordnet)).encode("utf-8"))
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
