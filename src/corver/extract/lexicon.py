"""The closed word lists of the rule extractor: one letter of part of speech a word.

In: nothing. Out: `TAGS`, from a lower-case English word to its tag, and smaller sets. Open classes (names, nouns,
adjectives) are in no list: the scanner tells them by form. This module knows no text.

Tags: B form of be, have, do or a modal; V past or participle; v base or -s form, which may be a noun; G -ing form;
P preposition; o "of"; t "to"; T article or quantifier; Q possessive pronoun; O pronoun; R relative or subordinating
word; C conjunction; A adverb or negation; w any other lower-case word.
"""

from __future__ import annotations

__all__ = [
    "FEMALE_NAMES",
    "GENERIC_HEADS",
    "LIGHT_NOUNS",
    "MALE_NAMES",
    "MONTHS",
    "PARTICIPLES",
    "REPORTING",
    "TAGS",
    "THING_WORDS",
    "TWO_PART_NAMES",
]

_REGULAR = """
accept accompany accuse achieve acquire act adapt add address adopt advance advise affect agree aim allow
analyze announce appear apply appoint approach approve argue arrange arrest arrive assassinate assign assist
associate assume attack attain attempt attend attract award ban base belong border borrow call campaign cancel
capture care carry cast cause celebrate challenge change charge cite claim classify climb close coach coin
collaborate collect colonize combine command commission commit communicate compare compete compile complete
compose comprise concern conclude conduct connect conquer consider consist construct contain continue contract
contribute control convert convict cook cooperate cover crash create credit cross crown cultivate cure damage
dance date debut decide declare decline dedicate defeat defend define deliver demonstrate depend depict derive
describe design destroy determine develop devote die differ direct disappear discover discuss divide divorce
document dominate donate edit educate elect eliminate embrace emerge emigrate employ enable end endorse engage
enjoy enlist enroll ensure enter entertain equal escape establish evolve examine execute exhibit exist expand
expect experience explain explore export express extend face fail feature field film finance finish flow
follow force form found free function fund gain generate govern graduate grant guide happen head help honor
host house identify illustrate impact implement import impress improve include incorporate increase indicate
influence inform inhabit inherit initiate injure inspire install integrate intend introduce invade invent
invest investigate invite involve issue join judge kill kidnap lack land last launch lecture license like link
list live locate look love maintain manage manufacture mark marry measure mention merge migrate model move
murder name narrate need neighbor nominate note notice number observe obtain occupy occur offer open operate
oppose orbit order organize originate overlook own paint participate pass patent perform permit phone
photograph pick pioneer place plan plant play please point portray possess practice praise preach precede
prefer premiere prepare present preserve prevent print proclaim produce profess program promote propose
protect protest prove provide publish purchase pursue raise rank reach realize receive recognize recommend
reconstruct record recruit reduce refer reflect reform refuse regard register regulate reign reject relate
release relocate rely remain remember remove rename render renew repair replace report represent request
require rescue research reside resign resolve respond rest restore result retain retire return reveal revise
reward rule sail sample save score search seat secure seem select separate serve settle shape share shift sign
signify situate slay smoke solve sound specialize sponsor star start state stay stop strengthen stress stretch
study style submit succeed suffer suggest supply support suppose surrender surround survive suspect swap
symbolize talk target taste tend term test thank top total touch tour trace trade train transfer transform
translate transmit travel treat trigger try turn type unify unite update use utilize vary view visit vote wait
walk want watch weigh welcome witness work worship yield
"""

# base, -s form, past, participle; "-" where a form is left out because it is more often another word.
_IRREGULAR = """
arise arises arose arisen; bear bears bore born; beat beats beat beaten; become becomes became become; begin
begins began begun; bind binds bound bound; break breaks broke broken; breed breeds bred bred; bring brings
brought brought; build builds built built; buy buys bought bought; catch catches caught caught; choose chooses
chose chosen; come comes came come; cost costs cost cost; deal deals dealt dealt; dig digs dug dug; draw draws
drew drawn; drink drinks drank drunk; drive drives drove driven; eat eats ate eaten; fall falls fell fallen;
feed feeds fed fed; feel feels felt felt; fight fights fought fought; find finds found found; fly flies flew
flown; forget forgets forgot forgotten; forbid forbids forbade forbidden; get gets got gotten; give gives gave
given; go goes went gone; grow grows grew grown; hang hangs hung hung; hear hears heard heard; hide hides hid
hidden; hit hits hit hit; hold holds held held; keep keeps kept kept; know knows knew known; lay lays laid
laid; lead leads led led; leave leaves left left; lend lends lent lent; lie lies - lain; lose loses lost lost;
make makes made made; mean means meant meant; meet meets met met; overthrow overthrows overthrew overthrown;
overcome overcomes overcame overcome; pay pays paid paid; put puts put put; quit quits quit quit; read reads
read read; ride rides rode ridden; rise rises rose risen; run runs ran run; say says said said; see sees saw
seen; seek seeks sought sought; sell sells sold sold; send sends sent sent; set sets set set; shoot shoots
shot shot; show shows showed shown; sing sings sang sung; sink sinks sank sunk; sit sits sat sat; speak speaks
spoke spoken; spend spends spent spent; split splits split split; spread spreads spread spread; stand stands
stood stood; steal steals stole stolen; strike strikes struck stricken; sweep sweeps swept swept; swim swims
swam swum; take takes took taken; teach teaches taught taught; tell tells told told; think thinks thought
thought; throw throws threw thrown; undergo undergoes underwent undergone; understand understands understood
understood; undertake undertakes undertook undertaken; wear wears wore worn; win wins won won; withdraw
withdraws withdrew withdrawn; write writes wrote written; rewrite rewrites rewrote rewritten
"""

_CLOSED = {
    "B": """
        is was are were be been being am has have had having do does did will would can could may might
        must shall should isn't wasn't aren't weren't hasn't haven't hadn't doesn't don't didn't won't
        wouldn't can't couldn't cannot isn’t wasn’t aren’t weren’t hasn’t haven’t hadn’t doesn’t don’t
        didn’t won’t wouldn’t can’t couldn’t
    """,
    "P": """
        in on at by for from with into onto near through across along around between among against under over during
        after before since until within without about above below behind beyond beside besides inside outside toward
        towards via per despite throughout upon amid amidst alongside opposite off as like than unlike including
    """,
    "o": "of",
    "t": "to",
    "T": "the a an this these those some any each every another all both many several most few various numerous",
    "Q": "my your his its our their",
    "O": "i he she it we they you him her them us me himself herself itself themselves there someone everyone nobody",
    "R": """
        who whom whose which that where when while because although though if unless whereas whether what how why
        wherever whenever
    """,
    "C": "and or but nor yet so plus &",
    "A": """
        not never also still just only even ever always often sometimes usually once twice soon later earlier then now
        today again already almost nearly approximately roughly about very too quite rather well back away together
        however therefore thus hence instead meanwhile moreover furthermore additionally indeed first finally
        perhaps maybe eventually originally formerly currently presently best
    """,
}

# Words that look like verbs by form but are not, or are far more often something else.
_NOUNS_AND_ADJECTIVES = """
    hundred red sacred naked wicked bed seed speed breed need weed reed creed shed sled deed feed greed
    indeed bobsled led-light talented gifted beloved renowned so-called species series means news physics
    mathematics politics economics athletics gymnastics lens basis crisis analysis king ring spring string
    wing thing evening morning wedding building ceiling during being something anything nothing everything
    sibling darling sterling viking shilling family italy july early friendly lovely lonely elderly daily
    weekly monthly yearly holy likely unlikely deadly assembly anomaly monopoly supply reply rally ally
    belly jelly lily bully only
"""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


TWO_PART_NAMES = frozenset(
    {
        ("trinidad", "tobago"), ("bosnia", "herzegovina"), ("antigua", "barbuda"), ("kitts", "nevis"),
        ("vincent", "grenadines"), ("tome", "principe"), ("tomé", "príncipe"), ("tyne", "wear"), ("law", "order"),
        ("simon", "garfunkel"), ("johnson", "johnson"), ("procter", "gamble"), ("romeo", "juliet"), ("war", "peace"),
        ("pride", "prejudice"), ("newfoundland", "labrador"), ("beauty", "beast"), ("crime", "punishment"),
        ("sense", "sensibility"), ("turks", "caicos"), ("wallis", "futuna"), ("tristan", "isolde"),
        ("hall", "oates"), ("barnes", "noble"), ("dungeons", "dragons"), ("guns", "roses"), ("science", "technology"),
        ("arts", "sciences"), ("brighton", "hove"), ("buda", "pest"), ("jammu", "kashmir"), ("rock", "roll"),
        ("rhythm", "blues"), ("drum", "bass"), ("track", "field"), ("health", "safety"),
    }
)  # fmt: skip
"""Names that hold an "and": (last word before it, first content word after it)."""

MONTHS = _listed(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug"
    " sep sept oct nov dec"
)

LIGHT_NOUNS = _listed(
    "field area domain city town village state country province region district county municipality republic kingdom"
    " island continent year month day age name title position role rank post office type kind sort form genre class"
    " category part member language sport instrument religion game series number amount total group variety list"
    " company manufacturer brand nation capital profession occupation job"
)
"""Nouns that lend their meaning to what follows their "of" or stands beside them ("the field of physics")."""

GENERIC_HEADS = _listed(
    "answer question fact reason problem thing point example result case conclusion response solution sentence"
    " statement passage text information context option choice correct final"
)
"""Heads that speak of the text itself: a sentence about "the answer" claims nothing by them."""

REPORTING = _listed(
    "know knows knew known think thinks thought believe believes believed say says said claim claims claimed state"
    " states stated recall remember mean means show shows assume suppose guess note find learn conclude suggest"
    " understand confirm told tell see"
)
"""Verbs whose "that" opens the clause that holds the claim."""

THING_WORDS = _listed(
    "university city river mountain mount lake island company corporation inc. war battle republic kingdom prize award"
    " museum church school college party league union bridge tower program mission treaty act band album film novel"
    " book song airport station states islands empire street park county language theorem"
)
"""Words that make the name they stand in the name of a thing, which is no "he" or "she"."""

MALE_NAMES = _listed(
    "aaron abraham adam adolf ahmed alan albert alberto alexander alexandre alfred ali allen andre andreas andrew"
    " andy anthony antonio archibald arnold arthur august barack benjamin bernard bertrand bill billy bob bobby"
    " boris brad brian bruce carl carlos charles charlie chris christian christopher claude colin daniel dave"
    " david dennis diego donald douglas dwight edgar edmund eduard edward edwin elvis emil enrico eric erik ernest"
    " erwin eugene felix ferdinand fernando francesco francis francisco frank franklin franz fred frederick"
    " friedrich gabriel galileo gary george gerald giovanni giuseppe gordon graham gregory guglielmo gustav hans"
    " harold harry heinrich henri henry herbert herman hermann howard hugh hugo ian igor immanuel isaac ivan jack"
    " jacob jacques jakob james jan jason jean jeff jeremy jerry jim jimmy joe johann johannes john johnny"
    " jonathan jorge jose josef joseph joshua juan jules julius karl keith kenneth kevin klaus konrad larry leo"
    " leon leonard leonardo leonhard lewis lionel louis luca ludwig luis luke malcolm manuel marcel marco marcus"
    " mario mark martin matthew max maximilian michael michel michelangelo miguel mike mikhail mohammed muhammad"
    " napoleon neil nelson niccolo nicholas nicolas niels nikola nikolai noah oliver oscar oskar otto pablo"
    " patrick paul pedro peter philip philipp pierre ralph raphael raymond rene richard robert roberto roger"
    " roland ronald rudolf rupert russell ryan salvador samuel scott sebastian sergei sigmund simon stanley stefan"
    " stephen steve steven theodore thomas tim timothy tom tony umberto victor vincent vladimir walter warren"
    " werner wilhelm william winston wolfgang woodrow xavier yuri zachary"
)
FEMALE_NAMES = _listed(
    "abigail ada adele agatha agnes alice alicia amanda amelia amy ana anastasia andrea angela angelina anita"
    " anna anne annie antonia audrey barbara beatrice beatrix beyonce betty billie bridget brigitte carla carmen"
    " carol caroline catherine cecilia celine charlotte chloe christina christine claire clara claudia cleopatra"
    " constance dana deborah diana diane dolly donna dorothy edith eleanor elena elisabeth elizabeth ella ellen"
    " emily emma emmeline erika esther eva evelyn fatima fiona florence frances frida gabriela gertrude gina"
    " gloria grace greta hannah harriet hedy helen helena hillary ida indira ingrid irene iris isabel isabella"
    " jacqueline jane janet jennifer jessica joan joanna josephine judith judy julia julie karen kate katherine"
    " kathleen katy kim kylie lady laura lena linda lisa lise louisa louise lucia lucy lydia madonna malala"
    " margaret margarita maria marie marilyn marta martha mary mata matilda maya melissa meryl mia michelle"
    " mildred miriam monica nadia nancy naomi natalia natalie nelly nicole nina nora olga olivia oprah pamela"
    " patricia paula pauline pearl penelope petra princess priscilla queen rachel rebecca rihanna rita rosa"
    " rosalind rose ruth sabrina sally samantha sandra sara sarah scarlett selena serena sharon shirley simone"
    " sofia sophia sophie stella stephanie susan suzanne sylvia tania tara taylor teresa theresa tina toni ursula"
    " valentina valerie vanessa vera veronica victoria viola virginia vivian wendy whitney yoko yvonne zelda zoe"
)


_DOUBLED = _listed("ban star plan stop commit submit transmit permit top swap control transfer refer prefer occur")


def _inflect(base: str) -> tuple[str, str, str]:
    """-s, -ed and -ing form of a regular verb."""
    if base.endswith("e"):
        return base + "s", base + "d", base[:-1] + "ing"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    stem = base + base[-1] if base in _DOUBLED else base
    sibilant = base.endswith(("s", "x", "z", "ch", "sh"))
    return base + ("es" if sibilant else "s"), stem + "ed", stem + "ing"


def _build() -> tuple[dict[str, str], frozenset[str]]:
    tags: dict[str, str] = {}
    participles: set[str] = set()
    for base in _REGULAR.split():
        present, past, gerund = _inflect(base)
        tags.update({base: "v", present: "v", past: "V", gerund: "G"})
        participles.add(past)
    for entry in _IRREGULAR.split(";"):
        base, present, past, participle = entry.split()
        tags.update({base: "v", present: "v", _inflect(base)[2]: "G", participle: "V"})
        if past != "-":
            tags[past] = "V"
        participles.add(participle)
    tags.update(dict.fromkeys(_NOUNS_AND_ADJECTIVES.split(), "w"))
    for tag, listed in _CLOSED.items():
        tags.update(dict.fromkeys(listed.split(), tag))
    return tags, frozenset(participles)


TAGS, PARTICIPLES = _build()
