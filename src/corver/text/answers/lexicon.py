"""The closed word lists of lenient matching: titles, kinds of things, short names, regions, what negates.

In: nothing. Out: sets and tables over folded words. Names of countries and their people are those in common English
use. This module knows no text.
"""

from __future__ import annotations

__all__ = [
    "ABBREVIATIONS",
    "COMMON_SURNAMES",
    "DEMONYMS",
    "EPITHETS",
    "FILLERS",
    "KINDS",
    "NEGATIONS",
    "NICKNAMES",
    "OCCUPATIONS",
    "OPPOSED",
    "PARTICLES",
    "PLAIN_KINDS",
    "PREFIXES",
    "QUALIFIERS",
    "REGION_LEVELS",
    "STATE_CODES",
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
    maharaja maharani shah swami sri shri chairman ceo director coach mp rt right master hrh
    """
)
SUFFIX_TITLES = _words("jr sr junior senior esq phd md obe mbe kbe cbe qc kc")
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
    movement style type category class phase stage level number part chapter volume amendment
    football soccer baseball basketball hockey fc cf afc f.c area family genus species seaweed fault bridge
    powers forces power force army navy hd branch system model position role character version letters points
    players members station division league
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
    fc cf afc book forces army family team currency sea disease method letters points players members seaweed
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
    mostly primarily just only another called named known
    """
)
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

COMMON_SURNAMES = _words(
    """
    smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson
    thomas taylor moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson walker
    young allen king wright scott torres nguyen hill flores green adams nelson baker hall rivera campbell mitchell
    carter roberts gomez phillips evans turner diaz parker cruz edwards collins reyes stewart morris morales murphy
    cook rogers gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos kim cox ward richardson watson
    brooks chavez wood james bennett gray mendoza ruiz hughes price alvarez castillo sanders patel myers long ross
    foster jimenez powell russell sullivan bell coleman butler henderson barnes fisher marshall owens hunter khan
    singh kumar sharma ali chen wang li zhang liu yang huang zhao wu zhou xu sun ma zhu hu guo he lin jordan grant
    ford stone rose day love may west knight fox cole hart lane page rice stevens simpson henry george john paul
    david michael robert william charles peter stephen simon francis louis alexander daniel arthur frank tom ronaldo
    """
)
"""Surnames (and given names) that say too little by themselves."""

_NICKNAME_LINES = """
william bill billy will willie liam
robert bob bobby rob robbie bert
richard rick ricky rich dick richie
thomas tom tommy
james jim jimmy jamie
john johnny jack jon
edward ed eddie ted teddy ned
michael mike mick micky mickey
charles charlie chuck chas
joseph joe joey
david dave davy
daniel dan danny
samuel sam sammy
sebastian seb
benjamin ben benny
matthew matt
anthony tony
andrew andy drew
steven stephen steve stevie
christopher chris
nicholas nick nicky
alexander alex alec sasha
frederick fred freddie freddy
lawrence laurence larry
gerald gerry jerry
kenneth ken kenny
ronald ron ronnie
donald don donnie
gregory greg
jeffrey geoffrey jeff geoff
timothy tim timmy
peter pete
patrick pat paddy
raymond ray
philip phillip phil
vincent vince vinny
walter walt
leonard len lenny leo
louis lou lewis
nathaniel nathan nate
theodore theo ted teddy
eugene gene
francis frank frankie
albert al bert
arthur art
douglas doug
elizabeth liz lizzie beth betty betsy eliza
margaret maggie meg peggy
katherine catherine kate kathy cathy katie kathryn
jennifer jen jenny
jessica jess
susan sue susie
deborah debra debbie deb
patricia pat patty tricia
barbara barb babs
rebecca becky becca
victoria vicky tori
dorothy dot dottie
virginia ginny
samantha sam
abigail abby
alexandra alex sandra
"""


def _nicknames() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _NICKNAME_LINES.strip().splitlines():
        full, *short = line.split()
        for word in short:
            table.setdefault(word, set()).add(full)
    return {short: frozenset(full) for short, full in table.items()}


NICKNAMES = _nicknames()
"""From a short form to the names that it stands for."""

_COUNTRY_LINES = """
afghanistan afghan afghans
albania albanian albanians
algeria algerian algerians
america american americans
argentina argentine argentinian argentinians
armenia armenian armenians
australia australian australians
austria austrian austrians
azerbaijan azerbaijani azeri
bangladesh bangladeshi bengali
belarus belarusian belarusians
belgium belgian belgians
bolivia bolivian bolivians
brazil brazilian brazilians
britain british briton britons
bulgaria bulgarian bulgarians
cambodia cambodian khmer
canada canadian canadians
chile chilean chileans
china chinese
colombia colombian colombians
croatia croatian croatians croat
cuba cuban cubans
cyprus cypriot cypriots
denmark danish dane danes
egypt egyptian egyptians
england english englishman
estonia estonian estonians
ethiopia ethiopian ethiopians
europe european europeans
finland finnish finn finns
france french frenchman
georgia georgian georgians
germany german germans
ghana ghanaian ghanaians
greece greek greeks
haiti haitian haitians
hungary hungarian hungarians
iceland icelandic icelander
india indian indians
indonesia indonesian indonesians
iran iranian iranians
iraq iraqi iraqis
ireland irish irishman
israel israeli israelis
italy italian italians
jamaica jamaican jamaicans
japan japanese
jordan jordanian jordanians
kazakhstan kazakh kazakhs
kenya kenyan kenyans
korea korean koreans
kuwait kuwaiti kuwaitis
latvia latvian latvians
lebanon lebanese
libya libyan libyans
lithuania lithuanian lithuanians
malaysia malaysian malay malaysians
mexico mexican mexicans
mongolia mongolian mongol mongols
morocco moroccan moroccans
nepal nepali nepalese
netherlands dutch holland
nigeria nigerian nigerians
norway norwegian norwegians
pakistan pakistani pakistanis
peru peruvian peruvians
philippines filipino philippine filipinos
poland polish pole poles
portugal portuguese
romania romanian romanians
rome roman romans
russia russian russians
scotland scottish scots scot
serbia serbian serb serbs
singapore singaporean
slovakia slovak slovaks
slovenia slovenian slovene
somalia somali somalis
spain spanish spaniard spaniards
sudan sudanese
sweden swedish swede swedes
switzerland swiss
syria syrian syrians
taiwan taiwanese
thailand thai thais
tunisia tunisian tunisians
turkey turkish turk turks turkiye
uganda ugandan ugandans
ukraine ukrainian ukrainians
venezuela venezuelan venezuelans
vietnam vietnamese
wales welsh welshman
africa african africans
asia asian asians
"""


def _demonyms() -> dict[str, str]:
    table = {}
    for line in _COUNTRY_LINES.strip().splitlines():
        country, *others = line.split()
        table.update(dict.fromkeys((country, *others), country))
    return table


DEMONYMS = _demonyms()
"""From a country, its people or its language to the country."""

_STATES = """
alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana
iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska
nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming
ontario quebec alberta manitoba saskatchewan queensland victoria tasmania bavaria catalonia
al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri
sc sd tn tx ut vt va wa wv wi wy dc nsw bc on qc ab
"""
_LONG_STATES = (
    "new hampshire", "new jersey", "new mexico", "new york", "north carolina", "north dakota", "south carolina",
    "south dakota", "rhode island", "west virginia", "british columbia", "nova scotia", "new brunswick",
    "new south wales", "western australia", "south australia", "northern ireland", "washington dc",
    "district of columbia",
    "greater london", "west yorkshire",
)  # fmt: skip
_UNIONS = (
    "us", "usa", "united states", "united states of america", "uk", "united kingdom", "great britain", "new zealand",
    "south africa", "north korea", "south korea", "saudi arabia", "sri lanka", "costa rica", "czech republic",
    "czechia", "united arab emirates", "uae", "hong kong", "puerto rico", "dominican republic", "soviet union", "ussr",
    "holland",
)  # fmt: skip
_CONTINENTS = ("europe", "asia", "africa", "north america", "south america", "latin america", "oceania", "antarctica")

REGION_LEVELS: dict[str, int] = (
    dict.fromkeys((*_STATES.split(), *_LONG_STATES), 1)
    | dict.fromkeys((*(set(DEMONYMS.values()) - {"rome"}), *_UNIONS), 2)
    | dict.fromkeys(_CONTINENTS, 3)
)
"""Regions that may follow a place after a comma, and how far up they lie: state 1, country 2, continent 3."""
for _ambiguous in ("georgia",):
    REGION_LEVELS[_ambiguous] = 1

YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no", "correct": "yes", "incorrect": "no"}

STATE_CODES = dict(
    zip(
        word_list(
            """
            al ak az ar ca co ct de fl ga hi id il ia ks ky me md ma mi mn ms mo mt ne nv oh ok pa tx ut vt va wa wi
            wy
            """
        ),
        word_list(
            """
            alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho
            illinois iowa kansas kentucky maine maryland massachusetts michigan minnesota mississippi missouri
            montana nebraska nevada ohio oklahoma pennsylvania texas utah vermont virginia washington wisconsin
            wyoming
            """
        ),
        strict=True,
    )
)
"""Postal codes of states of one word, without those that are common words ("in", "or")."""

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    short: tuple(full.split())
    for short, full in {
        "us": "united states", "usa": "united states", "uk": "united kingdom", "uae": "united arab emirates",
        "ussr": "soviet union", "nyc": "new york city", "dc": "district columbia", "eu": "european union",
        "un": "united nations", "wwi": "world war 1", "wwii": "world war 2", "ww1": "world war 1",
        "ww2": "world war 2", "tv": "television", "ny": "new york", "st": "saint", "mt": "mount", "ft": "fort",
        "dr": "doctor", "ave": "avenue", "blvd": "boulevard", "rd": "road", "dept": "department", "govt": "government",
        "univ": "university", "intl": "international", "natl": "national", "assn": "association", "bros": "brothers",
        "vs": "versus", "feat": "featuring", "fc": "football club", "afc": "association football club",
        "ii": "2", "iii": "3", "co": "company", "corp": "corporation", "la": "los angeles",
    }.items()
}  # fmt: skip
"""Short forms that are no initials of what they stand for, or stand for too few words to be told by them."""
