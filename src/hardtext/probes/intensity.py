"""Intensity: the adverbs that only strengthen a false claim are taken out; it stays false.

After Flores and Hao. ``rules=published`` does what their notebooks do, ``rules=sound`` (the default) reads the syntax: it
takes out adverbs of a larger list where they strengthen an adjective, an adverb or a verb, and mends the rest.
"""

from __future__ import annotations

import re
from typing import Optional

from hardtext.core import InputError
from hardtext.lexicon import articles
from hardtext.lexicon.intensifiers import DEFAULT, IN_CONTEXT, PUBLISHED
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Token, addresses, inside, parsed, upper_first

_NONE = Unchanged("holds no intensifier")
_NOT_ALONE = Unchanged("consists of intensifiers")

# With a verb these strengthen; most others then say how something was done ("performed terribly").
_OF_VERBS = frozenset("""absolutely completely considerably damn deeply enormously fucking freaking genuinely greatly highly
    hugely immensely massively profoundly radically really strongly substantially thoroughly
    totally tremendously truly utterly vastly vehemently vigorously wholeheartedly""".split())
_ALSO_AFTER_VERBS = frozenset("""absolutely completely considerably enormously greatly hugely immensely massively
    substantially totally tremendously utterly""".split())
_LIMITING = frozenset("entirely fully purely wholly".split())  # "fully funded" says more than "funded"
_COMPLETING = frozenset("completely thoroughly totally utterly".split())
_COMPLETED = frozenset("""automate ban close cover deplete empty fill finance finish fund implement insure open pay privatize
    prohibit rebuild reimburse renovate repay repeal replace restore revamp rewrite staff subsidize vaccinate""".split())
"""Verbs for what can be done in part: "completely funded" says more than "funded"."""
_REMOVED = (DEFAULT | IN_CONTEXT) - _LIMITING
_FOCUSING = frozenset("especially particularly".split())  # "especially in Ohio" picks out; only right before an adjective
_COMPARING = frozenset("far much way".split())
_LEFT_ALONE = {  # word → following words with which it says something else, or is needed
    "very": "much well first last same own next top least bottom idea end best worst".split(),
    "so": "much many far long few little called good".split(), "much": ["less"],
    "really": ["?"], "highly": ["of"], "far": ["as", "from"],
}
_KEEPS = frozenset("as even how however hardly less more most no not n't nt never nor so such than that the-more too "
                   "without".split())
_NEGATIONS = frozenset("not n't nt never no nobody none nothing neither nor hardly barely scarcely without cannot".split())
_LOST_APOSTROPHE = re.compile(r"(?:ai|are|ca|could|did|do|does|had|has|have|is|must|should|was|were|wo|would)nt")


class Intensity(Probe):
    """``rules``: ``sound`` or ``published``."""

    name = "intensity"
    expects = "stay"
    of = "fake"
    asks = "Does it still call a false claim false when its intensifying adverbs are gone?"
    few_flips = ("Few flips are what is hoped for: the claim is as false as before. They do not show that the words are "
                 "understood; a classifier that ignores adverbs flips nothing either.")
    source = "Flores and Hao (2022)"

    def __init__(self, rules: str = "sound") -> None:
        if rules not in ("sound", "published"):
            raise InputError(f"probe.rules={rules}: expected sound or published")
        self.rules = rules

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        """No draw is made; the seed changes nothing."""
        return published(text) if self.rules == "published" else sound(text)


def published(text: str) -> Changed | Unchanged:
    """The notebooks' rule: a text counts where a run of non-space characters is one of the 34 words, in lower case and
    with no mark beside it; then all such runs go, capitalised ones too, and single spaces join the rest.

    >>> published("Very  bad: a very old, really, an absolutely false claim")
    Changed(text='bad: a old, really, an false claim', what='removed Very, very, absolutely')
    """
    words = text.split()
    if not any(word in PUBLISHED for word in words):
        return _NONE
    kept = [word for word in words if word.lower() not in PUBLISHED]
    return _changed(" ".join(kept), [word for word in words if word.lower() in PUBLISHED]) if kept else _NOT_ALONE


def sound(text: str) -> Changed | Unchanged:
    """The text without its intensifying adverbs; articles, commas, spaces and the capital of a sentence are mended.

    Adverbs stay where they are negated ("not very good"), compared or asked about ("as very", "how highly"), coordinated
    ("fully and completely"), or say what happened rather than how much ("so bad that …", "speaks highly of").
    """
    low = text.lower()
    if not any(word in low for word in _REMOVED):
        return _NONE  # spares most texts the parse
    elsewhere = addresses(text)
    tokens = list(parsed(text))
    found = {token.i for token in tokens if _intensifies(token) and not inside((token.idx, token.idx + 1), elsewhere)}
    found |= _repeated(tokens, found)
    if not found:
        return _NONE if not any(t.lower_ in DEFAULT for t in tokens) else Unchanged("its intensifiers carry meaning")
    if all(token.i in found or not any(c.isalnum() for c in token.text) for token in tokens):
        return _NOT_ALONE
    changed = text
    for i in sorted(found, reverse=True):
        changed = _without(changed, tokens[i])
    return _changed(changed, [tokens[i].text for i in sorted(found)])


def _intensifies(token: Token) -> bool:
    word, head, doc = token.lower_, token.head, token.doc
    if word not in _REMOVED or token.dep_ != "advmod" and word != "literally" or token.pos_ not in ("ADV", "ADJ"):
        return False
    following = doc[token.i + 1] if token.i + 1 < len(doc) else None
    before = doc[token.i - 1].lower_ if token.i else ""
    if following is not None and following.lower_ in _LEFT_ALONE.get(word, ()):
        return False
    if before in _KEEPS or _LOST_APOSTROPHE.fullmatch(before) or _coordinated(token) or _negated(token):
        return False
    if _hyphenated(token) and word in IN_CONTEXT:
        return False
    if word in _COMPARING:
        compares = following == head and head.tag_ in ("JJR", "RBR") and before not in ("by", "very", "ago")
        return compares and not _contrasted(token)
    if word == "literally":
        return head.pos_ != "VERB"  # "literally said" means in these words
    if word in _COMPLETING and head.lemma_.lower() in _COMPLETED or _contrasted(token):
        return False
    if word == "really" and any(t.lower_ in _NEGATIONS for t in doc[token.i + 1:token.i + 3]):
        return False  # "I really do not know" says less than "I do not know"
    if head.tag_ in ("JJS", "RBS") or head.lower_ in ("more", "less") and word in IN_CONTEXT:
        return False
    describes = head.pos_ in ("ADJ", "ADV") and token.i < head.i
    if word == "so":
        described = head.tag_ == "JJ" or head.lower_.endswith("ly")  # not "and so on", "did so outside"
        return describes and following == head and described and not _so_that(token)
    if word in _FOCUSING:
        return describes and following == head and before not in (",", "(", "-", "–", "", "and", "but", "or")
    if describes or head.tag_ in ("VBN", "VBG") and following == head and head.dep_ == "amod":
        return True
    return head.pos_ in ("VERB", "AUX") and word in _OF_VERBS and (token.i < head.i or word in _ALSO_AFTER_VERBS)


def _coordinated(token: Token) -> bool:
    """Whether the adverb is one of several joined by "and", "or", …"""
    return any(child.dep_ in ("cc", "conj", "neg", "advmod") and child.lower_ not in DEFAULT for child in token.children)


def _negated(token: Token) -> bool:
    """Whether a negation stands over the adverb: in its clause, before it."""
    node = token.head
    for _ in range(4):
        for child in node.children:
            word = child.lower_
            if child.i < token.i and (word in _NEGATIONS or _LOST_APOSTROPHE.fullmatch(word)):
                return True
        if node.pos_ in ("VERB", "AUX") or node.head == node:
            return False
        node = node.head
    return False


def _contrasted(token: Token) -> bool:
    """Whether the word strengthened stands nearby without it: "lower than under Reagan, much lower than …"."""
    head = token.head
    near = token.doc[max(0, head.i - 40):head.i + 40]
    return head.pos_ in ("ADJ", "ADV") and any(
        t.lower_ == head.lower_ and not any(child.lower_ == token.lower_ for child in t.children) for t in near)


def _so_that(token: Token) -> bool:
    """Whether "so" opens a comparison or a consequence: "so bad that", "so bad they closed it", "so good as to"."""
    rest = token.doc[token.i + 2:token.sent.end]
    return any(t.lower_ in ("that", "as", "to") for t in rest[:12]) or any(
        child.dep_ in ("ccomp", "advcl", "relcl", "xcomp") for child in token.head.children)


def _repeated(tokens: list[Token], found: set[int]) -> set[int]:
    """The other ones of "very, very bad"."""
    more = set()
    for i in sorted(found, reverse=True):
        at = i
        while (at := _word_before(tokens, at)) is not None and tokens[at].lower_ == tokens[i].lower_:
            more.add(at)
    return more


def _word_before(tokens: list[Token], i: int) -> Optional[int]:
    at = i - 1
    while at >= 0 and tokens[at].text in (",", " "):
        at -= 1
    return at if at >= 0 else None


def _hyphenated(token: Token) -> bool:
    text, end = token.doc.text, token.idx + len(token.text)
    return text[end:end + 1] == "-" or text[token.idx - 1:token.idx] == "-"


def _without(text: str, token: Token) -> str:
    """``text`` without the adverb, which stands where it stood when parsed."""
    start, end = token.idx, token.idx + len(token.text)
    opens = token.is_sent_start or not any(c.isalnum() for c in token.doc.text[token.sent.start_char:start])
    if text[end:end + 1] == "-":
        end += 1
    elif after := re.compile(r",?[^\S\n]+").match(text, end):
        if after[0].startswith(",") and text[:start].rstrip().endswith(","):
            start = len(text[:start].rstrip()) - 1  # ", really, " between commas
            return text[:start] + " " + text[after.end():]
        end = after.end()
    else:
        start = len(text[:start].rstrip(" ")) or start
        return text[:start] + text[end:]
    rest = text[end:]
    if opens and token.text[0].isupper():
        rest = upper_first(rest)
    return articles.repair(text[:start] + rest, start)


def _changed(text: str, removed: list[str]) -> Changed:
    return Changed(text, "removed " + ", ".join(removed))


def probe(settings: ProbeSettings) -> Probe:
    """The probe as ``settings`` ask for it."""
    return Intensity(settings.rules)
