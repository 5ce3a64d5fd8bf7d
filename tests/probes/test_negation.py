"""Sound negation: the grammar, what stays as it is, and the way back."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.domains.liar import Liar2Domain
from hardtext.domains.text_files import records
from hardtext.probes.base import Changed, ProbeSettings, Unchanged
from hardtext.probes.negation import probe
from hardtext.probes.quotations import quotations, unwrapped

SOUND = probe(ProbeSettings())

BOTH_WAYS = [
    ("They know the answer.", "They do not know the answer."),
    ("He won.", "He did not win."),
    ("She knows.", "She does not know."),
    ("They went.", "They did not go."),
    ("Walker cut taxes.", "Walker did not cut taxes."),
    ("He lied.", "He did not lie."),
    ("The law is bad.", "The law is not bad."),
    ("He can go.", "He cannot go."),
    ("He should have gone.", "He should not have gone."),
    ("He was elected.", "He was not elected."),
    ("He is to leave.", "He is not to leave."),
    ("They have to go.", "They do not have to go."),
    ("He used to smoke.", "He did not use to smoke."),
    ("You had better leave.", "You had better not leave."),
    ("There is a plan.", "There is not a plan."),
    ("Let's go.", "Let's not go."),
    ("Go there now.", "Do not go there now."),
    ("Please go home.", "Please do not go home."),
    ("Did he win?", "Did he not win?"),
    ("Is it true?", "Is it not true?"),
    ("All senators voted.", "Not all senators voted."),
    ("Everyone knows it.", "Not everyone knows it."),
    ("Some people think so.", "No people think so."),
    ("Nobody came.", "Somebody came."),
    ("None of the polls have us on top.", "Some of the polls have us on top."),
    ("Only 12 percent of Americans trust it.", "It is not true that only 12 percent of Americans trust it."),
    ("Most voters agree.", "It is not true that most voters agree."),
    ("He still supports it.", "He no longer supports it."),
    ("He took some money.", "He did not take any money."),
    ("She just voted.", "It is not true that she just voted."),
    ("She also voted.", "She also did not vote."),
    ("He cut taxes and raised fees.", "He did not cut taxes and raise fees."),
    ("If he wins, we lose.", "If he wins, we do not lose."),
    ("Says the economy is growing.", "Says the economy is not growing."),
    ("Says 80 journalists were killed.", "Says it is not true that 80 journalists were killed."),
    ("Polls show he is ahead.", "Polls do not show he is ahead."),
    ('"He won."', '"He did not win."'),
    ('He said "we won" and left.', 'He did not say "we won" and left.'),
    ("The  law   is  bad .", "The  law   is not  bad ."),
    ("He won. They know it.", "He did not win. They do not know it."),
]


@pytest.mark.parametrize("positive, negative", BOTH_WAYS)
def test_a_claim_is_denied_and_the_denial_taken_back(positive, negative):
    assert SOUND.change(positive, 0).text == negative
    assert SOUND.change(negative, 0).text == positive


@pytest.mark.parametrize("text, changed", [
    ("He can't go.", "He can go."), ("He can’t go.", "He can go."), ("He can not go.", "He can go."),
    ("We won't go.", "We will go."), ("It isn't true.", "It is true."), ("He isn’t here.", "He is here."),
    ("They werent minors at all.", "They were minors."), ("Don't go there!", "Go there!"),
    ("Isn't he here?", "Is he here?"), ("Don’t you know?", "Do you know?"), ("He needn't go.", "He must go."),
    ("We've seen it.", "We have not seen it."), ("He'd be happy.", "He would not be happy."),
    ("He'd won.", "He had not won."), ("We'll go.", "We will not go."), ("It's bad.", "It's not bad."),
    ("youre likely to win", "youre not likely to win"), ("Theres a plan.", "Theres not a plan."),
    ("He has never lied.", "He has lied."), ("Never trust him.", "Trust him."),
    ("No one has a plan.", "Someone has a plan."), ("There is no plan.", "There is some plan."),
    ("Trump is no conservative.", "Trump is a conservative."),
    ("Not one tax has been raised.", "One tax has been raised."),
    ("He was the only no vote.", "He was not the only no vote."),
    ("The vast majority of them take effect.", "It is not true that the vast majority of them take effect."),
    ("$5 billion was lost.", "It is not true that $5 billion was lost."),
    ("But most voters agree.", "But it is not true that most voters agree."),
    ("[O]ver 200 people came.", "It is not true that [o]ver 200 people came."),
    ("I do not think he ever paid.", "I think he paid."), ("He did not take any money.", "He took some money."),
    ("She has never held a job nor run a business.", "She has held a job or run a business."),
    ("HE DID NOT GO", "HE WENT"), ("Mitt Romney flip-flopped on it.", "Mitt Romney did not flip-flop on it."),
    ("Donald Trumps been consistent about it.", "Donald Trumps not been consistent about it."),
    ("Its always Trump.", "Its not always Trump."),
    ('Huckabee "was one of the best governors."', 'It is not true that Huckabee "was one of the best governors."'),
])
def test_what_a_sentence_becomes(text, changed):
    assert SOUND.change(text, 0).text == changed


@pytest.mark.parametrize("text", [
    "He ain't here.", "How dishonest are they.", "On a cap-and-trade plan.", "On whether he had a plan.",
    '"We won," said Obama.', "", " ", "😀", "שלום עולם", "22 Countries Invaded by the U.S. in 20 Years."])
def test_what_is_left_alone(text):
    assert isinstance(SOUND.change(text, 0), Unchanged)


IN_DOUBT = [
    "When (Joe Kyrillos) had an opportunity to vote for women, not once, but six times, he voted against it.",
    "On the day that (the Republican) state leader resigned in disgrace, a truck rolled up to Republican headquarters.",
    "Obamas net neutrality proposalputs the government in charge of what types of products and services can be delivered.",
    "Mitt Romney told university students in Ohio that to start a business, they should borrow money if you have to.",
    "Donald Trumps plan to repeal the estate tax would mean the Walton family would get a tax break.",
    "Winning enough pledged delegates is not impossible.",
    "Obama was in New York City the same day as Benjamin Netanyahu but went on a TV show instead of meeting with him.",
    "Obama could have expanded Medicaid after the law passed but didnt.",
    "Obama voted to add $3 trillion to the debt, voted to raise the debt ceiling four times and voted for the act.",
    "The board ignored their duties and did not regularly audit voters.",
    "There are fewer wars, there are fewer people dying in wars.",
    "You cant rely on (the retirement fund for public employees), its not funded.",
    "We actually dont have that many public employeesWe are well below average in the number of public employees.",
    "The church Barack Obama belongs to only admits black people.",
    "It is senior citizens, not Hispanics, who are growing fastest.",
    "About a dozen of them hit middle-income taxpayers.",
    "Franklin Roosevelt (was) the last president to come to Congress.",
    "Boston Marathon bombing suspect Tamerlan Tsarnaev is buried not far from President Kennedys grave.",
    "North Koreas missiles are not going to reach us anytime soon.",
    "Eleven states complete their sessions within three months.",
    "Nearly one in four people in their prime working years are not working.",
    "Sixteen thousand new agents will be empowered to enforce the law.",
    "Schools do not even have to teach sex education.",
    "The American people will not support it until the law is enforced.",
    "The climate has not warmed in quite a few years.",
    "A planned repair will only increase that percentage.",
    "The companies have now repaid taxpayers every dime.",
    "More than once, Obama had a conversation with the protesters.",
    "Every year, Congress passed a budget.",
    "Texas legislators in 2011 increased state spending on education.",
    "93 percent of the time John Boccieri voted with Nancy Pelosi.",
    "It would still leave workers better off.",
    "In Ferguson, Mo.,youve got threeblack officers and 50 white officers.",
]


@pytest.mark.parametrize("text", IN_DOUBT)
def test_where_the_place_of_not_is_in_doubt_the_sentence_is_denied_and_comes_back(text):
    changed = SOUND.change(text, 0).text
    assert changed.startswith("It is not true that ") and changed.lower().endswith(text.lower())
    assert SOUND.change(changed, 0).text == text


@pytest.mark.parametrize("text, changed", [
    ("Its expressly prohibited that you read it.", "Its not expressly prohibited that you read it."),
    ("Its funded solely by stamps and postage.", "Its not funded solely by stamps and postage."),
    ("We understand that it is coming from Mexico.", "We understand that it is not coming from Mexico."),
    ("Betty Sutton and House Democrats gutted Medicare.", "Betty Sutton and House Democrats did not gut Medicare."),
    ("Says that, unlike us, most states ranked well.", "Says it is not true that, unlike us, most states ranked well."),
    ("Says it is not true that, unlike us, most states ranked well.", "Says that, unlike us, most states ranked well."),
    ("We know that he is here.", "We know that he is not here."),
    ("We know that he is not here.", "We know that he is here."),
    ("We do not know that he is here.", "We know that he is here."),
    ("I'm proud of the fact that I've raised money.", "I'm proud of the fact that I have not raised money."),
    ("Do you know that we have pipes made of wood?", "Do you know that we do not have pipes made of wood?"),
    ("Oregon has never before tried to create a plan.", "Oregon has tried to create a plan."),
    ("Smith has never once appeared at a debate.", "Smith has appeared at a debate."),
    ("Nobodys invited us to the events.", "Somebodys invited us to the events."),
    ("Not one person has ever come forward.", "One person has come forward."),
    ("The law is probably a tax.", "The law is probably not a tax."),
    ("The law is probably not a tax.", "The law is probably a tax."),
    ("Money is allegedly behind the groups.", "Money is allegedly not behind the groups."),
    ("America is No. 1 in wind power.", "America is not No. 1 in wind power."),
    ("I balanced the budget, paid off $405 billion in debt.", "I did not balance the budget, pay off $405 billion in debt."),
    ("Says that 93 percent of the time Obama voted with us.",
     "Says that it is not true that 93 percent of the time Obama voted with us."),
    ("On weapons: More than 12 ducks have rights.", "On weapons: It is not true that more than 12 ducks have rights."),
    ("We need a tax. Break up the banks. Cory Booker doesnt support any of these ideas.",
     "We do not need a tax. Break up the banks. Cory Booker supports some of these ideas."),
    ("The law is bad. That's a fact.", "The law is not bad. That's a fact."),
])
def test_kinds_of_sentence_that_a_reader_found_wrong(text, changed):
    assert SOUND.change(text, 0).text == changed


@pytest.mark.parametrize("text, what", [("It is bad.", "is -> is not"), ("He won.", "won -> did not win"),
                                        ("He never won.", "never removed")])
def test_it_says_what_it_did(text, what):
    assert SOUND.change(text, 0).what == what


@pytest.mark.parametrize("text", ["How much is it?", "Who won?", "Why did he go?", "And what is the cost?",
                                  "In which year did he win?", "Where's the plan?",
                                  "To whom did he give it?", "Which senator voted?"])
def test_a_question_that_asks_who_or_what_claims_nothing(text):
    assert isinstance(SOUND.change(text, 0), Unchanged)


@pytest.mark.parametrize("text", ["Hardly anyone voted.", "He has hardly any money.", "Barely any jobs were created.",
                                  "She rarely votes.", "Little was done.", "Scarcely a vote was cast."])
def test_almost_a_negation_is_denied_as_a_whole(text):
    assert SOUND.change(text, 0).text == "It is not true that " + text[0].lower() + text[1:]
    assert SOUND.change(SOUND.change(text, 0).text, 0).text == text


def test_the_no_of_a_number_is_no_negation():
    assert SOUND.change("He is No. 1 in the 21st century.", 0).text == "He is not No. 1 in the 21st century."
    assert SOUND.change("Texas has the No. 2 economy.", 0).text == "Texas does not have the No. 2 economy."


def test_a_lone_surrogate_and_a_null_stay():
    assert SOUND.change("\ud800 is bad", 0).text == "\ud800 is not bad"
    assert SOUND.change("a\0b is bad", 0).text == "a\0b is not bad"


def test_ten_thousand_words():
    changed = SOUND.change("The law is bad. " * 2_500, 0)
    assert changed.text == "The law is not bad. " * 2_500 and changed.what == "is -> is not"


PIECES = st.sampled_from([
    "He", "won", "is", "not", "n't", "never", "no", "all", '"', "“", "”", "'", "(", ")", ".", "?", "...", " ", "-", "do",
    "did", "It is not true that", "Let's", "Its", "Says", "any", "some", "ever", "\0", "\ud800", "é", "😀"])


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=12))
def test_odd_texts_never_crash_and_quotations_stay(pieces):
    text = " ".join(pieces)
    changed = SOUND.change(text, 0)
    if isinstance(changed, Changed):
        start, end = unwrapped(text)
        for a, b in quotations(text[start:end]):
            assert text[start + a: start + b] in changed.text


SUBJECTS = st.sampled_from([("The senator", 1), ("She", 1), ("They", 0), ("Obama", 1), ("The voters", 0), ("We", 0)])
VERBS = st.sampled_from([("know", "knows", "knew"), ("support", "supports", "supported"), ("buy", "buys", "bought"),
                         ("oppose", "opposes", "opposed"), ("teach", "teaches", "taught"), ("deny", "denies", "denied")])
OBJECTS = st.sampled_from(["the plan", "it", "the new law", "two senators"])
ENDS = st.sampled_from([".", " in 2010.", " because of the war.", "!", ""])


@given(SUBJECTS, VERBS, OBJECTS, ENDS, st.booleans())
def test_templates_come_back(subject, verb, thing, end, past):
    (name, singular), (base, third, was) = subject, verb
    text = f"{name} {was if past else third if singular else base} {thing}{end}"
    auxiliary = "did" if past else "does" if singular else "do"
    once = SOUND.change(text, 0).text
    assert once == f"{name} {auxiliary} not {base} {thing}{end}"
    assert SOUND.change(once, 0).text == text


_FOLLOWERS = re.compile(r"\b(?:any\w*|ever|at all|nor)\b")


def exception(text: str, first: Changed, second: Changed | Unchanged) -> str | None:
    """Which of the listed exceptions explains that ``text`` did not come back."""
    left = {what.partition(" -> ")[0] for what in first.what.split("; ")}
    if any(re.fullmatch(r"(?:\w+n['’]?t|['’]?(?:ve|ll|d))(?: \w+)?", done) for done in left):
        return "contraction"
    if any(done == "never removed" for done in left):
        return "never"
    if left & {"no", "none", "nobodys", "nobody", "nothing", "no one", "neither", "not one", "not a", "not even"}:
        return "negative word"
    if _FOLLOWERS.findall(text) != _FOLLOWERS.findall(first.text):
        return "follows a negation"
    if isinstance(second, Changed) and "it is not true that added" in second.what and " not" in first.what:
        return "quantity"
    if left & {"did", "do", "does", "need not"}:
        return "emphasis or need"
    return None if isinstance(second, Changed) and undoes(first, second) else "another reading"


def undoes(first: Changed, second: Changed) -> bool:
    """Whether the second change names what the first did, the other way round."""
    back = [" -> ".join(reversed(what.split(" -> "))) for what in first.what.split("; ")]
    return back == second.what.split("; ")


def test_real_statements_come_back_or_are_a_listed_exception(shared_data):
    statements = [record[2] for _, record in
                  records(shared_data / "liar" / "train.tsv", "\t", quoted=False)]
    asked = returned = other_reading = 0
    for text in random.Random(11).sample(statements, 300):
        first = SOUND.change(text, 0)
        if isinstance(first, Unchanged):
            continue
        asked += 1
        second = SOUND.change(first.text, 0)
        if isinstance(second, Changed) and second.text == text:
            returned += 1
            continue
        name = exception(text, first, second)
        assert name is not None, (text, first, second)
        other_reading += name == "another reading"
    assert asked >= 280  # 286 of 300 when this was written
    assert returned / asked >= 0.87  # 0.91
    assert other_reading / asked <= 0.03  # 0.003


def test_rules_must_be_known():
    with pytest.raises(InputError, match="probe.rules=best: expected one of sound, published"):
        probe(ProbeSettings(rules="best"))


def test_nine_of_ten_real_statements_can_be_negated(shared_data):
    texts = [row.segments[-1] for row in Liar2Domain(path=str(shared_data / "liar")).load(shared_data, 0).dev[:200]]
    assert sum(isinstance(SOUND.change(text, 0), Changed) for text in texts) >= 180
