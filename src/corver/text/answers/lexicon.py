"""The closed word lists of lenient matching: titles, kinds of things, short forms, what negates.

In: nothing. Out: sets and tables over folded words. This module knows no text, and no names of people or places.
"""

from __future__ import annotations

__all__ = [
    "ABBREVIATIONS",
    "EPITHETS",
    "FILLERS",
    "KINDS",
    "MEASURES",
    "NEGATIONS",
    "OCCUPATIONS",
    "OPPOSED",
    "PARTICLES",
    "PLAIN_KINDS",
    "PREFIXES",
    "QUALIFIERS",
    "SUFFIX_TITLES",
    "TITLES",
    "YES_NO",
    "word_list",
]


def word_list(text: str) -> list[str]:
    """The words of a text; lists of words read best as one."""
    return text.split()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    """
    mr mrs ms miss dr doctor prof professor sir dame lord lady king queen prince princess emperor empress tsar czar
    pope saint st president senator sen governor gov general gen colonel col captain capt lieutenant lt major sergeant
    sgt admiral commander rev reverend father fr brother sister bishop archbishop cardinal rabbi imam sheikh sultan
    duke duchess earl count countess baron baroness viscount marquis chief justice judge minister chancellor
    secretary representative rep congressman congresswoman mayor hon honorable honourable first prime vice-president
    maharaja maharani shah swami sri shri chairman ceo director prophet ayatollah pharaoh coach mp rt right master hrh
    """
)
SUFFIX_TITLES = _words("jr sr junior senior esq phd md obe mbe kbe cbe cie frs qc kc")
OCCUPATIONS = _words(
    """
    actor actress singer songwriter musician rapper composer author writer novelist poet playwright director producer
    footballer player quarterback pitcher cricketer golfer boxer wrestler athlete swimmer scientist physicist chemist
    biologist mathematician astronomer engineer inventor explorer astronaut philosopher economist historian architect
    artist painter sculptor photographer journalist politician lawyer activist businessman entrepreneur comedian
    guitarist drummer vocalist bassist pianist dancer model navigator missionary monk friar soldier conquistador
    """
)
KINDS = _words(
    """
    city town village state province county district region country nation republic kingdom empire island islands
    river lake sea ocean mountain mountains mount hills valley desert peninsula bay gulf strait coast
    tree trees plant flower animal bird fish language languages people peoples tribe religion
    movie film show series song music album book novel play episode season game team club party company corporation
    corp inc ltd co llc plc sa ag gmbh nv spa pty group band orchestra university college school church temple hotel
    stadium
    award prize medal disease virus syndrome acid gas metal element currency scale method theory law act
    movement style type category class phase stage level number part chapter volume amendment verse
    football soccer baseball basketball hockey fc cf afc f.c area family genus species seaweed fault bridge
    powers forces power force army navy hd branch system model position role character version letters points
    players members station division league museum cafe restaurant project direction confederacy surname dynasty
    airline airlines motors canal tower gallery airport railway junction
    """
)
"""Nouns that name a kind; "the Zambezi" is "the Zambezi River", "Geelong" is "Geelong Football Club"."""

OPPOSED = _words(
    """
    left right up down first last north south east west northern southern eastern western upper lower old new high low
    male female man woman husband wife mother father son daughter brother sister before after more less most least
    positive negative increase decrease large small big little black white red blue green yellow
    """
)
"""Words that turn a phrase into another one of the same length."""

PLAIN_KINDS = _words(
    """
    city town village state province county district region country nation republic river lake ocean mountain mountains
    music gas metal element island islands tree trees plant animal language languages people party movie film series
    song scale season episode
    fc cf afc confederacy surname project chapter verse
    book forces army family team currency sea disease method letters points players members seaweed
    """
)
"""Kinds that may be added to a name without making it another: not "university", "bank" or "hotel"."""

PARTICLES = _words("de del della di da das dos du van von der den ter la le el al bin ibn y e af av zu bint ben")
EPITHETS = _words("the of")
FILLERS = _words(
    """
    the a an of in on at to from by with for as into and is was are were be been has have had it its he his she her
    they their this that these those there s also which who whose very so such about
    """
)
"""Words that count for nothing when two answers are compared as sets of words."""

QUALIFIERS = _words(
    """
    about approximately approx around roughly nearly almost over exactly some circa estimated up total average
    directly usually typically generally commonly all any both each currently officially formerly originally mainly
    mostly primarily just only another called named known median mean combined annually yearly annum sometime located
    situated native based
    """
)
MEASURES = _words(
    """
    more than less least most at up square cubic per times people persons calories scale season episode old tall high
    long wide deep
    """
)
"""Words that may stand beside a number and its unit."""
NEGATIONS = _words(
    """
    not no never none neither nor without except isnt wasnt arent werent didnt doesnt dont cannot cant wont couldnt
    wouldnt hasnt havent hadnt unlike instead rather nobody nothing
    """
)
PREFIXES = _words(
    """
    new north south east west northern southern eastern western central upper lower great greater old
    vice deputy assistant former ex anti non pre post pro co mid half semi sub super ultra inter trans
    st saint san santa sao los las port fort mount lake cape step under
    second third fourth fifth sixth seventh eighth ninth tenth fake alleged
    """
)
"""A word before a name that makes it another name: "New Mexico", "vice president"."""

YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no", "correct": "yes", "incorrect": "no"}

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    short: tuple(full.split())
    for short, full in {
        "us": "united states", "usa": "united states", "uk": "united kingdom", "uae": "united arab emirates",
        "ussr": "soviet union", "nyc": "new york city", "dc": "district columbia", "eu": "european union",
        "un": "united nations", "wwi": "world war 1", "wwii": "world war 2", "ww1": "world war 1",
        "ww2": "world war 2", "tv": "television", "ny": "new york", "st": "saint", "mt": "mount", "ft": "fort",
        "dna": "deoxyribonucleic acid", "rna": "ribonucleic acid", "atp": "adenosine triphosphate", "h2o": "water",
        "co2": "carbon dioxide", "nacl": "sodium chloride",
        "dr": "doctor", "ave": "avenue", "blvd": "boulevard", "rd": "road", "dept": "department", "govt": "government",
        "univ": "university", "intl": "international", "natl": "national", "assn": "association", "bros": "brothers",
        "vs": "versus", "feat": "featuring", "fc": "football club", "afc": "association football club",
        "ii": "2", "iii": "3", "pt": "part", "vol": "volume", "ep": "episode",
        "co": "company", "corp": "corporation", "la": "los angeles",
    }.items()
}  # fmt: skip
"""Short forms that are no initials of what they stand for, or stand for too few words to be told by them."""
