"""Other forms of a word that say the same of a subject: plural and singular, verb endings, a country and its people.

In: a folded word. Out: its forms, itself first. "Warsaw is in Poland" is borne out by "the Polish capital". English
only, by rule and one closed list; a form that no text holds does no harm. This module knows no counts.
"""

from __future__ import annotations

from functools import lru_cache

from corver.text.stopwords import FUNCTION_WORDS

__all__ = ["word_forms"]

_PEOPLES = """
    afghanistan afghan; albania albanian; algeria algerian; argentina argentine argentinian; armenia armenian;
    australia australian; austria austrian; azerbaijan azerbaijani; bangladesh bangladeshi; belarus belarusian;
    belgium belgian; bolivia bolivian; bosnia bosnian; brazil brazilian; bulgaria bulgarian; cambodia cambodian;
    cameroon cameroonian; canada canadian; chile chilean; china chinese; colombia colombian; croatia croatian;
    cuba cuban; cyprus cypriot; denmark danish; ecuador ecuadorian; egypt egyptian; england english; estonia estonian;
    ethiopia ethiopian; europe european; finland finnish; france french; georgia georgian; germany german;
    ghana ghanaian; greece greek; greenland greenlandic; guatemala guatemalan; haiti haitian; hungary hungarian;
    iceland icelandic; india indian; indonesia indonesian; iran iranian persian; iraq iraqi; ireland irish;
    israel israeli; italy italian; jamaica jamaican; japan japanese; jordan jordanian; kazakhstan kazakh; kenya kenyan;
    korea korean; kosovo kosovan; kuwait kuwaiti; latvia latvian; lebanon lebanese; libya libyan; lithuania lithuanian;
    luxembourg luxembourgish; macedonia macedonian; malaysia malaysian malay; malta maltese; mexico mexican;
    moldova moldovan; mongolia mongolian; morocco moroccan; nepal nepalese nepali; netherlands dutch;
    nicaragua nicaraguan; nigeria nigerian; norway norwegian; pakistan pakistani; palestine palestinian;
    panama panamanian; paraguay paraguayan; peru peruvian; philippines filipino philippine; poland polish;
    portugal portuguese; romania romanian; russia russian; scotland scottish; senegal senegalese; serbia serbian;
    slovakia slovak; slovenia slovenian; somalia somali; spain spanish; sudan sudanese; sweden swedish;
    switzerland swiss; syria syrian; taiwan taiwanese; tanzania tanzanian; thailand thai; tunisia tunisian;
    turkey turkish; uganda ugandan; ukraine ukrainian; uruguay uruguayan; uzbekistan uzbek; venezuela venezuelan;
    vietnam vietnamese; wales welsh; yemen yemeni; zambia zambian; zimbabwe zimbabwean;
    africa african; america american; asia asian; antarctica antarctic; islam islamic muslim muslims;
    christianity christian christians; judaism jewish jews; buddhism buddhist; hinduism hindu; catholicism catholic
"""
_PEOPLE_OF: dict[str, tuple[str, ...]] = {
    word: tuple(group.split()) for group in _PEOPLES.split(";") for word in group.split()
}


@lru_cache(maxsize=1 << 16)
def word_forms(word: str, *, name: bool = False) -> tuple[str, ...]:
    """The word and its other forms. Numbers and short words have none but themselves.

    name: it is one, so that it has no plural and no endings.
    """
    people = _PEOPLE_OF.get(word)
    if people is not None:
        return (word, *(other for other in people if other != word))
    if name or len(word) < 4 or not word.isalpha():
        return (word,)
    return tuple(dict.fromkeys((word, *(form for form in _endings(word) if form not in FUNCTION_WORDS))))


def _endings(word: str) -> tuple[str, ...]:
    if word.endswith("ies"):
        return (word[:-3] + "y",)
    if word.endswith("ed"):
        stem = word[:-2]
        return (stem, stem + "e", stem + "s", stem + "es", stem + "ing")
    if word.endswith("ing"):
        stem = word[:-3]
        return (stem, stem + "e", stem + "ed", stem + "s", stem + "es")
    if word.endswith("es") and word[-3] in "sxzh":
        return (word[:-2],)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return (word[:-1],)
    if word.endswith("y") and word[-2] not in "aeiou":
        return (word[:-1] + "ies",)
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (word + "es",)
    return (word + "s",)
