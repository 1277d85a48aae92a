"""Names of people, one word at a time: short forms of given names, and surnames that say too little by themselves.

In: nothing. Out: tables over folded words. Short forms are those in common English use; libraries of nicknames made for
genealogy also take Mary for Marie and Bill for Robert. This module knows no text.
"""

from __future__ import annotations

__all__ = ["COMMON_SURNAMES", "NICKNAMES"]

COMMON_SURNAMES = frozenset(
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
    united city rovers wanderers athletic rangers albion
    david michael robert william charles peter stephen simon francis louis alexander daniel arthur frank tom ronaldo
    """.split()  # noqa: SIM905 - a list of words reads as one
)
"""Surnames (and given names) that say too little by themselves."""

_NICKNAME_LINES = """
william bill billy will willie liam
robert bob bobby rob robbie bert
richard rick ricky rich dick richie
thomas tom tommy
james jim jimmy jamie
john johnny jack jon
jonathan jon
edward ed eddie ted teddy ned
edwin ed eddie
michael mike mick micky mickey
charles charlie chuck chas
joseph joe joey
joshua josh
jacob jake
david dave davy
daniel dan danny
samuel sam sammy
sebastian seb
benjamin ben benny
bernard bernie
matthew matt
martin marty
anthony tony
andrew andy drew
steven stephen steve stevie
christopher chris
christine chris tina
christina chris tina
nicholas nick nicky
alexander alex alec sasha
frederick fred freddie freddy
lawrence laurence larry
gerald gerry jerry
jerome jerry
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
victor vic
walter walt
wesley wes
leonard len lenny leo
louis lou lewis
nathaniel nathan nate
norman norm
oliver ollie
theodore theo ted teddy
eugene gene
ernest ernie
francis frank frankie
albert al bert
alfred al fred alf
allan al
allen al
arthur art
arnold arnie
abraham abe
augustus gus
august gus
calvin cal
clifford cliff
clinton clint
cornelius neil
curtis curt
dennis denny
douglas doug
dominic dom
franklin frank
gilbert gil
harold hal harry
henry hank harry hal
herbert herb bert
isaac ike
leslie les
maximilian max
maxwell max
mitchell mitch
randolph randy
randall randy
reginald reg reggie
rudolph rudy
russell russ
sidney sid
solomon sol
stanley stan
stuart stu
terence terrence terry
zachary zach zack zac
elizabeth liz lizzie beth betty betsy eliza
eleanor ellie nell
margaret maggie meg peggy
katherine catherine kate kathy cathy katie kathryn
jennifer jen jenny
jessica jess
jacqueline jackie
josephine jo josie
judith judy
susan sue susie
deborah debra debbie deb
patricia pat patty tricia
pamela pam
penelope penny
barbara barb babs
rebecca becky becca
rosemary rose
sandra sandy
sarah sally sadie
teresa theresa terry tess
valerie val
victoria vicky tori
dorothy dot dottie
virginia ginny
samantha sam
abigail abby
alexandra alex sandra
amanda mandy
angela angie
constance connie
cynthia cindy
frances fran
gwendolyn gwen
isabella bella izzy
kimberly kim
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
