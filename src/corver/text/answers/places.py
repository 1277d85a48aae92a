"""Countries, states and continents as answers name them: other names, peoples, and how far up each lies.

In: folded words. Out: tables, and which country a phrase names, if it names one. Names are those in common English use,
with the codes of ISO 3166-1 that are no words; a state of today only. This module knows no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

__all__ = ["DEMONYMS", "REGION_LEVELS", "STATE_CODES", "apart", "country_of", "names_of_countries", "place_of"]

# A line: name ; other names | its people and what is called after it, with _ inside those of two words.
_COUNTRY_LINES = """
afghanistan | afghan afghans
albania | albanian albanians
algeria | algerian algerians
andorra | andorran andorrans
angola | angolan angolans
antigua and barbuda | antiguan
argentina | argentine argentinian argentinians
armenia | armenian armenians
australia ; commonwealth of australia | australian australians
austria | austrian austrians
azerbaijan | azerbaijani azeri
bahamas | bahamian
bahrain | bahraini
bangladesh | bangladeshi bengali
barbados | barbadian
belarus ; byelorussia | belarusian belarusians
belgium | belgian belgians
belize | belizean
benin ; dahomey | beninese
bhutan | bhutanese
bolivia | bolivian bolivians
bosnia and herzegovina ; bosnia ; bosnia herzegovina | bosnian bosnians
botswana | batswana
brazil | brazilian brazilians
brunei ; brunei darussalam | bruneian
bulgaria | bulgarian bulgarians
burkina faso ; upper volta | burkinabe
burundi | burundian
cambodia ; kampuchea | cambodian khmer
cameroon | cameroonian
canada | canadian canadians
cape verde ; cabo verde | cape_verdean
central african republic | central_african
chad | chadian
chile | chilean chileans
china ; peoples republic of china ; prc ; mainland china | chinese
colombia | colombian colombians
comoros | comorian
democratic republic of the congo ; dr congo ; drc ; congo kinshasa ; zaire
republic of the congo ; congo brazzaville
costa rica | costa_rican
croatia | croatian croatians croat
cuba | cuban cubans
cyprus | cypriot cypriots
czech republic ; czechia | czech czechs
denmark | danish dane danes
djibouti | djiboutian
dominica
dominican republic
east timor ; timor leste | timorese
ecuador | ecuadorian
egypt ; arab republic of egypt | egyptian egyptians
el salvador | salvadoran
england | english englishman
equatorial guinea
eritrea | eritrean
estonia | estonian estonians
eswatini ; swaziland | swazi
ethiopia ; abyssinia | ethiopian ethiopians
fiji | fijian
finland | finnish finn finns
france | french frenchman
gabon | gabonese
gambia | gambian
georgia | georgian georgians
germany ; federal republic of germany | german germans
ghana | ghanaian ghanaians
greece ; hellenic republic | greek greeks
grenada | grenadian
guatemala | guatemalan
guinea | guinean
guinea bissau
guyana | guyanese
haiti | haitian haitians
honduras | honduran
hungary | hungarian hungarians
iceland | icelandic icelander
india | indian indians
indonesia | indonesian indonesians
iran ; islamic republic of iran | iranian iranians
iraq | iraqi iraqis
ireland ; republic of ireland ; eire | irish irishman
israel | israeli israelis
italy | italian italians
ivory coast ; cote divoire ; cote d ivoire | ivorian
jamaica | jamaican jamaicans
japan | japanese
jordan ; hashemite kingdom of jordan | jordanian jordanians
kazakhstan | kazakh kazakhs
kenya | kenyan kenyans
north korea ; democratic peoples republic of korea ; dprk | north_korean
south korea ; republic of korea | south_korean
korea | korean koreans
kosovo | kosovar
kuwait | kuwaiti kuwaitis
kyrgyzstan | kyrgyz
laos | lao laotian
latvia | latvian latvians
lebanon | lebanese
lesotho | basotho
liberia | liberian
libya | libyan libyans
liechtenstein
lithuania | lithuanian lithuanians
luxembourg
madagascar | malagasy
malawi | malawian
malaysia | malaysian malay malaysians
maldives | maldivian
mali | malian
malta | maltese
mauritania | mauritanian
mauritius | mauritian
mexico ; united mexican states | mexican mexicans
micronesia | micronesian
moldova ; moldavia | moldovan
monaco | monegasque
mongolia | mongolian mongol mongols
montenegro | montenegrin
morocco | moroccan moroccans
mozambique | mozambican
myanmar ; burma | burmese
namibia | namibian
nepal | nepali nepalese
netherlands ; holland | dutch
new zealand
nicaragua | nicaraguan
nigeria | nigerian nigerians
north macedonia ; macedonia | macedonian
norway | norwegian norwegians
oman | omani
pakistan | pakistani pakistanis
panama | panamanian
papua new guinea
paraguay | paraguayan
peru | peruvian peruvians
philippines | filipino philippine filipinos
poland | polish pole poles
portugal | portuguese
qatar | qatari
romania | romanian romanians
rome | roman romans
russia ; russian federation | russian russians
rwanda | rwandan
samoa | samoan
saudi arabia | saudi
scotland | scottish scots scot
senegal | senegalese
serbia | serbian serb serbs
seychelles
sierra leone
singapore | singaporean
slovakia ; slovak republic | slovak slovaks
slovenia | slovenian slovene
somalia | somali somalis
south africa | south_african
south sudan
soviet union ; ussr ; union of soviet socialist republics | soviet
spain | spanish spaniard spaniards
sri lanka ; ceylon | sri_lankan
sudan | sudanese
suriname | surinamese
sweden | swedish swede swedes
switzerland ; swiss confederation | swiss
syria ; syrian arab republic | syrian syrians
taiwan ; republic of china ; chinese taipei ; formosa | taiwanese
tajikistan | tajik
tanzania ; united republic of tanzania | tanzanian
thailand ; siam | thai thais
togo | togolese
tonga | tongan
trinidad and tobago ; trinidad
tunisia | tunisian tunisians
turkey ; turkiye | turkish turk turks
turkmenistan | turkmen
uganda | ugandan ugandans
ukraine | ukrainian ukrainians
united arab emirates ; uae ; emirates | emirati
united kingdom ; uk ; britain ; great britain ; united kingdom of great britain and northern ireland | british briton
united states ; us ; usa ; america ; united states of america ; states | american americans
uruguay | uruguayan
uzbekistan | uzbek
vatican city ; vatican ; holy see ; vatican city state
venezuela | venezuelan venezuelans
vietnam ; viet nam | vietnamese
wales | welsh welshman
yemen | yemeni
zambia | zambian
zimbabwe ; rhodesia | zimbabwean
africa | african africans
asia | asian asians
europe | european europeans
"""
_CITY_LINES = """
bangalore ; bengaluru
beijing ; peking
chennai ; madras
guangzhou ; canton
ho chi minh city ; saigon
kolkata ; calcutta
kyiv ; kiev
mumbai ; bombay
mexico city ; ciudad de mexico
rangoon ; yangon
"""
"""Cities that go by two names."""

_NO_STATES = frozenset({"rome", "africa", "asia", "europe"})
"""Named after, as countries are, but none."""

_STATES = {
    "united states": """
        alabama ; alaska ; arizona ; arkansas ; california ; colorado ; connecticut ; delaware ; florida ; hawaii ;
        idaho ; illinois ; indiana ; iowa ; kansas ; kentucky ; louisiana ; maine ; maryland ; massachusetts ;
        michigan ; minnesota ; mississippi ; missouri ; montana ; nebraska ; nevada ; new hampshire ; new jersey ;
        new mexico ; new york ; north carolina ; north dakota ; ohio ; oklahoma ; oregon ; pennsylvania ; rhode island ;
        south carolina ; south dakota ; tennessee ; texas ; utah ; vermont ; virginia ; washington ; west virginia ;
        wisconsin ; wyoming ; washington dc ; district of columbia ; dc ; puerto rico
        """,
    "canada": """
        ontario ; quebec ; alberta ; manitoba ; saskatchewan ; british columbia ; nova scotia ; new brunswick ; bc ;
        on ; qc ; ab
        """,
    "australia": """
        queensland ; victoria ; tasmania ; new south wales ; nsw ; western australia ; south australia
        """,
    "united kingdom": "england ; scotland ; wales ; northern ireland ; greater london ; west yorkshire",
    "germany": "bavaria ; saxony ; hesse ; brandenburg ; thuringia",
    "spain": "catalonia ; andalusia ; galicia",
}
# Codes that are common words ("in", "or", "me") are states only behind a comma.
_CODES = """
al alabama ak alaska az arizona ar arkansas ca california co colorado ct connecticut de delaware fl florida ga georgia
hi hawaii id idaho il illinois in indiana ia iowa ks kansas ky kentucky la louisiana md maryland ma massachusetts
mi michigan mn minnesota mo missouri mt montana ne nebraska nv nevada oh ohio ok oklahoma or oregon ri rhode_island
pa pennsylvania tn tennessee tx texas ut utah vt vermont va virginia wa washington wi wisconsin wy wyoming me maine
nh new_hampshire nj new_jersey nm new_mexico ny new_york nc north_carolina nd north_dakota sc south_carolina
sd south_dakota wv west_virginia ms mississippi
"""
_COMMON_WORDS = frozenset({"in", "or", "la", "ms", "tn", "ga", "ri"})
_CONTINENTS = ("europe", "asia", "africa", "north america", "south america", "latin america", "oceania", "antarctica")
_SMALL = frozenset({"the", "of", "and"})
_FORMS = frozenset(
    """
    republic kingdom state commonwealth principality federation union sultanate duchy country nation confederation
    """.split()  # noqa: SIM905 - a list of words reads as one
)
_DESCRIPTIONS = frozenset(
    """
    federal federative democratic people socialist islamic arab independent united oriental plurinational bolivarian
    cooperative sovereign grand
    """.split()  # noqa: SIM905 - a list of words reads as one
)
_SEVERAL = frozenset({"china", "korea", "congo"})
"""Names that more than one state has with a form of state before it; the table holds those forms whole."""


def _rows() -> Iterator[tuple[list[str], list[str]]]:
    """The names of each country, and its people."""
    for line in _COUNTRY_LINES.strip().splitlines():
        names, _, people = line.partition("|")
        yield [name.strip() for name in names.split(";")], [word.replace("_", " ") for word in people.split()]


def _key(words: Sequence[str]) -> tuple[str, ...]:
    return tuple("people" if word == "peoples" else word for word in words if word not in _SMALL)


def names_of_countries() -> list[str]:
    """Every name of every country of the table, folded."""
    return [name for names, _ in _rows() if names[0] not in _NO_STATES for name in names]


_NAMES = {_key(name.split()): names[0] for names, _ in _rows() if names[0] not in _NO_STATES for name in names}
_CITIES = {
    _key(name.split()): line.split(" ;")[0] for line in _CITY_LINES.strip().splitlines() for name in line.split(" ; ")
}
_PEOPLES = {_key(word.split()): names[0] for names, people in _rows() if names[0] not in _NO_STATES for word in people}

DEMONYMS: dict[str, str] = {
    word: names[0] for names, people in _rows() for word in (*names, *people) if " " not in word and word != "states"
}
"""From a country, its people or its language, if that is one word, to the country's first name."""

_STATE_OF = {name.strip(): country for country, names in _STATES.items() for name in names.split(";")}
_ALL_CODES = dict(
    zip(_CODES.split()[::2], (name.replace("_", " ") for name in _CODES.split()[1::2]), strict=True)
)  # fmt: skip

STATE_CODES = {
    code: name for code, name in _ALL_CODES.items() if code not in _COMMON_WORDS and " " not in name and code != "me"
}
"""Postal codes of states of one word, without those that are common words."""

REGION_LEVELS: dict[str, int] = (
    dict.fromkeys(names_of_countries(), 2)
    | dict.fromkeys((*_STATE_OF, *_ALL_CODES, "georgia"), 1)
    | dict.fromkeys(_CONTINENTS, 3)
)
"""Regions that may follow a place after a comma, and how far up they lie: state 1, country 2, continent 3."""


@lru_cache(maxsize=1 << 14)
def place_of(words: tuple[str, ...]) -> str | None:
    """The first name of the country, or of the city with two names, that a phrase names."""
    return _CITIES.get(words) or country_of(words)


@lru_cache(maxsize=1 << 14)
def country_of(words: tuple[str, ...]) -> str | None:
    """The country that a phrase names, as "Kingdom of Norway", "the Norwegian republic" or "Norwegians" do."""
    key = _key(words)
    found = _NAMES.get(key) or _PEOPLES.get(key)
    if found is not None or len(key) < 2:
        return found
    if key[-1] in _FORMS and (people := _PEOPLES.get(key[:-1])) is not None and people not in _SEVERAL:
        return people
    at = 0
    while at < len(key) and key[at] in _DESCRIPTIONS:
        at += 1
    named = _NAMES.get(key[at + 1 :]) if at < len(key) and key[at] in _FORMS else None
    return None if named in _SEVERAL else named


def apart(one: str, other: str) -> bool:
    """Whether two regions cannot hold one place: two states, two countries, a state of another country."""
    if not one or not other or one == other:
        return False
    first, second = _chain(one), _chain(other)
    return any(a is not None and b is not None and a != b for a, b in zip(first, second, strict=True))


def _chain(region: str) -> tuple[str | None, str | None]:
    """The state and the country, as far as they are known."""
    name = _ALL_CODES.get(region, region)
    if name in _STATE_OF:
        return {"dc": "district of columbia", "washington dc": "district of columbia"}.get(name, name), _STATE_OF[name]
    if name == "georgia":
        return name, None
    return None, country_of(tuple(name.split())) or (name if REGION_LEVELS.get(name) == 2 else None)
