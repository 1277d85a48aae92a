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
    "LIGHT_VERBS",
    "MALE_NAMES",
    "MONTHS",
    "PARTICIPLES",
    "PARTICLES",
    "PLURALS",
    "REPORTING",
    "TAGS",
    "TALKERS",
    "THING_WORDS",
    "TWO_PART_NAMES",
]

_REGULAR = """
abandon abolish absorb abuse accept accompany accuse achieve acquire act activate adapt add address administer
admire adopt advance advise advocate affect agree aim allow amend analyse analyze anchor announce apologize
appeal appear apply appoint approach approve argue arm arrange arrest arrive assassinate assault assemble
assert assign assist associate assume attach attack attain attempt attend attract attribute audition authorize
award backfire ban baptize base batter battle beg behave belong bless block boil bomb border borrow bottle bow
brand breathe burn bury call campaign cancel capture care carry cast cause celebrate certify chair challenge
change charge chase circulate cite claim clash classify clean clear climax climb close coach coin collaborate
collect colonize combine command commission commit communicate compare compete compile complain complete
complicate compose compress comprise concede concern conclude condemn conduct confirm confront confuse connect
conquer consider consist construct consume contain contest continue contract contrast contribute control
convene converge convert convict cook cooperate correspond counter cover crack crash create credit criticize
cross crown crush cultivate curate cure damage dance date debut decay decide declare decline decorate dedicate
deem defeat defend define delay deliver demonstrate deny depart depend depict deploy deport derive descend
describe desert deserve design destroy detect determine develop devote diagnose dictate die differ digest
diminish direct disappear disband discontinue discover discuss display dispute dissolve distinguish distribute
divide divorce document dominate donate double draft drain drop drown duplicate earn ease echo edit educate
eject elect elevate eliminate embark embrace emerge emigrate emphasize employ enable enact enclose encourage
end endorse endure enforce engage enjoy enlist enrich enroll ensure enter entertain entitle equal erect erupt
escape escort establish estimate evacuate evaluate evolve examine exceed exchange exclude execute exhibit
exile exist expand expect expel experience explain exploit explore export expose express extend extract face
facilitate fail fascinate father favor feature ferment field film finance finish fire fit fix float flood flow
focus follow force forge form found free fulfill function fund fuse gain gather generate glow govern grade
graduate grant greet guard guest guide halt handle happen hate head heat help hinder hire honor host house
hunt identify ignite illustrate imagine immigrate impact implement import impress imprison improve improvise
inaugurate include incorporate increase indicate induce industrialize infect inflict influence inform ingest
inhabit inherit initiate injure insist inspect inspire install instruct insult integrate intend intensify
interpret interrupt intersect interview introduce invade invent invest investigate invite involve isolate
issue jail join judge jump justify kidnap kill knight lack lament land last laugh launch lecture liberate
license lift like link list live lobby locate lock look love lower maintain manage manufacture march mark
marry mature measure medal melt mention mentor merge metabolize migrate mine mock model modify monitor
motivate mount move multiply murder name narrate need neglect negotiate neighbor neighbour nominate note
notice notify number nurse obey object oblige observe obtain occupy occur offer open operate oppose oppress
orbit order organize originate oust outlaw overlook owe own pack paint pair pardon park participate pass
patent peak penetrate perceive perform permit persecute persuade petition phone photograph pick pilot pioneer
place plague plan plant play plead please plot point poison pollinate populate portray possess postpone pour
practice praise pray preach precede predict prefer premier premiere prepare prescribe present preserve preside
press pressure pretend prevent print proclaim produce profess program prohibit prolong promote propagate
propose prosecute prosper protect protest prove provide provoke publicize publish pull pump punish purchase
pursue push qualify question race raise rank rate reach realize rebel recall receive recognize recommend
reconcile reconstruct record recover recruit recycle redesign reduce refer refine reflect reform refuse regain
regard register regulate rehearse reign reinforce reject rejoin relate relaunch release relocate rely remain
remark remarry remember remove rename render renew renounce rent repair repeal repel replace replicate
repopulate report represent reprise reproduce request require rescue research resemble reside resign resist
resolve respond rest restore result resume retain retire retreat return reunite reveal revise revive revolt
revolve reward risk roam rob rotate rule rush sack sacrifice sail salute sample sanction satisfy save scale
schedule score sculpt search seat secede secrete secure seem seize select sense sentence separate serialize
serve settle shape share shelter shift showcase sign signify simplify simulate situate skip slay slow smoke
snow solidify solve sound span spark specialize sponsor stage star start state stay steer stem stimulate stop
store strengthen stress stretch strip struggle study stun style submerge submit substitute succeed suffer
suggest summon supervise supply support suppose suppress surpass surrender surround survive suspect sustain
swap switch symbolise symbolize tackle talk target taste tax tend term test thank tie tolerate top topple
torture total touch tour trace track trade train transcribe transfer transform transition translate transmit
transport trap travel treat trigger triple try turn tutor type undermine unify unite unveil update upgrade
urge use utilize vanish vary venture veto view violate visit visualize voice volunteer vote wait walk want
warn watch weigh welcome whistle widen wipe wish witness wonder work worry worship wound wrap wreck yield
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
withdraws withdrew withdrawn; swear swears swore sworn; rebuild rebuilds rebuilt rebuilt; retell retells
retold retold; remake remakes remade remade; overtake overtakes overtook overtaken; blow blows blew blown;
flee flees fled fled; write writes wrote written; rewrite rewrites rewrote rewritten
"""

_CLOSED = {
    "B": """
        is was are were be been being am has have had having do does did will would can could may might
        must shall should isn't wasn't aren't weren't hasn't haven't hadn't doesn't don't didn't won't
        wouldn't can't couldn't cannot isn’t wasn’t aren’t weren’t hasn’t haven’t hadn’t doesn’t don’t
        didn’t won’t wouldn’t can’t couldn’t
    """,
    "P": """
        prior in on at by for from with into onto near through across along around between among against under over
        during after before since until within without about above below behind beyond beside besides inside outside
        toward towards via per despite throughout upon amid amidst alongside opposite off as like than unlike including
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
    "C": "and or but nor so plus &",
    "A": """
        not never also still just only even ever always often sometimes usually once twice soon later earlier then now
        today again already almost nearly approximately roughly about very too quite rather well back away together
        however therefore thus hence instead meanwhile moreover furthermore additionally indeed first finally
        perhaps maybe eventually originally formerly currently presently best yet up out down such
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


PLURALS = _listed("people men women children police they we you i who that which")
"""Words without a plural's s after which a verb's base form stands."""

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
    "field area domain city town village state country province region district county municipality republic"
    " kingdom island subclass continent year month day age name title position role rank post office type kind"
    " sort form genre class category part member language sport instrument religion game series number amount"
    " total group variety list company manufacturer brand nation capital profession occupation job"
)
"""Nouns that lend their meaning to what follows their "of" or stands beside them ("the field of physics")."""

GENERIC_HEADS = _listed(
    "answer question fact reason problem thing point example result case conclusion response solution sentence"
    " statement passage text information context option choice correct final name person individual user"
)
"""Heads that speak of the text itself: a sentence about "the answer" claims nothing by them."""

REPORTING = _listed(
    "know knows knew known think thinks thought believe believes believed say says said claim claims claimed state"
    " states stated recall remember mean means show shows assume suppose guess note find learn conclude suggest"
    " understand confirm told tell see"
)
"""Verbs whose "that" opens the clause that holds the claim."""

TALKERS = frozenset({"i", "we", "you", "let"})
"""Subjects who speak of themselves; what they "think that" may be a claim, what they do is none."""

LIGHT_VERBS = _listed(
    "take takes took taken find finds found share shares shared maintain maintains maintained lose loses lost"
    " hold holds held have has had make makes made give gives gave get gets got tie ties tied keep keeps kept play"
    " plays played serve serves served establish establishes established"
)
"""Verbs whose common-noun object is part of the relation ("found employment in Rome")."""

PARTICLES = _listed(
    "de van von der den di da du del della dos das la le lo el los las al ibn bin ben y e fils za ter ten zu af"
    " av und et sur"
)
"""Lower-case words inside names."""

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


_DOUBLED = _listed(
    "ban commit compel control drop expel fit occur permit plan prefer propel rebel refer repel rob skip span"
    " spar star stem stop strip stun submit swap top transfer transmit trap wrap"
)


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
