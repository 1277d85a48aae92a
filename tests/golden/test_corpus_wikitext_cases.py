"""Wikitext and the text that a reader of the page would see: one table for each kind of markup."""

from __future__ import annotations

import pytest

from corver.corpus.wikitext import Namespaces, plain_text

TEMPLATES_THAT_NAME_OR_NUMBER = {
    "{{lang|fr|Paris}} is big": "Paris is big",
    "{{lang-fr|Paris}}, {{langx|de|Berlin}}": "Paris, Berlin",
    "{{transl|ar|ISO|al-Qāhira}}": "al-Qāhira",
    "by {{sortname|Ada|Lovelace}}": "by Ada Lovelace",
    "{{nihongo|Tokyo Tower|東京タワー|Tōkyō tawā}} stands": "Tokyo Tower (東京タワー, Tōkyō tawā) stands",
    "{{formatnum:18}} °C": "18 °C",
    "{{formatnum:{{#if:x|1234|}}}}": "1234",
    "{{convert|5|km}} long": "5 km long",
    "{{convert|5|km|mi|abbr=on}} long": "5 km long",
    "{{convert|5|-|10|km|mi}}": "5–10 km",
    "{{convert|6|ft|2|in|m}} tall": "6 ft 2 in tall",
    "{{cvt|1,000|sqmi}}": "1,000 sq mi",
    "{{convert|20|C}}": "20 °C",
    "({{birth date|1950|1|2}})": "(January 2, 1950)",
    "{{birth date and age|df=yes|1950|1|2}}": "2 January 1950",
    "{{death date and age|2001|3|4|1950|1|2}}": "March 4, 2001",
    "{{start date|1999|12}}": "December 1999",
    "{{as of|2009|3}}": "As of March 2009",
    "{{circa|1500}} and {{c.|1600|1610}}": "c. 1500 and c. 1600–1610",
    "{{reign|1500|1510}}": "r. 1500–1510",
    "{{ill|Foo Bar|de|Foo}} wrote": "Foo Bar wrote",
    "{{nowrap|Mont Blanc}}": "Mont Blanc",
    "{{abbr|UN|United Nations}}": "UN",
    "{{flag|France}}": "France",
    "{{USS|Enterprise|CV-6|6}}": "USS Enterprise (CV-6)",
    "{{ship|HMS|Victory|1765}}": "HMS Victory (1765)",
    "{{val|5.2|e=6|u=km}}": "5.2×10^6 km",
    "{{frac|1|2}} of {{chem|H|2|O}}": "1/2 of H2O",
    "{{height|ft=6|in=2}}": "6 ft 2 in",
    "{{US$|5 million}}": "US$5 million",
    "{{ordinal|22}} {{ordinal|11}}": "22nd 11th",
    "{{marriage|Pierre Curie|1895|1906}}": "Pierre Curie (m. 1895–1906)",
    "{{hlist|a|b|[[c]]}}": "a, b, c",
    "{{plainlist|\n* Ada\n* Bob\n}}": "Ada\nBob",
    "{{unbulleted list|Ada|Bob}}": "Ada\nBob",
    "{{quote|text=It moves.|author=Galileo}}": "It moves.\nGalileo",
    "{{color|red|Danger}}": "Danger",
    "1945{{ndash}}1950{{spaced ndash}}peace": "1945–1950 – peace",
    "{{lang|en|{{lang|fr|{{nowrap|three deep}}}}}}": "three deep",
    "Some{{nbsp}}space": "Some space",
    "{{PAGENAME}} is": "Page is",
    "{{lc:ABC}}{{uc:def}}": "abcDEF",
    "{{#if:|yes|no}} {{#ifeq:a|a|same|other}}": "no same",
    "He met {{some unknown name|Bob Smith}} there": "He met Bob Smith there",
    "He met {{some unknown name|fr|Bob}} there": "He met Bob there",
    "{{unknown quotation box|This has enough words to be a sentence.}}": "This has enough words to be a sentence.",
    "{{some catalogue|altruism-biological|Biological Altruism}} (2001)": "Biological Altruism (2001)",
    "{{some catalogue|id=3|people/l/lincoln_a|Lincoln|10000009}} here": "Lincoln here",
    "B{{music|flat}} and{{spaces|5}}C": "B♭ and C",
    "{{nowrap|[[Energy|E=mc]]}} and {{nowrap|1=a = b}} and {{nowrap|a{{=}}b}}": "E=mc and a = b and a=b",
    "{{#if:x=y|p=q}}": "p=q",
    "{{legend|#FF0000|Members}}": "Members",
    "{{Track listing\n| title1 = Help!\n| length1 = 2:18\n| title2 = Ticket\n}}": "Help!\nTicket",
    "{{{1|default}}} and {{{none}}}": "default and",
}

NOTHING_LEFT = [
    "{{Infobox person\n| name = Ada\n| birth_date = {{birth date|1815|12|10}}\n| spouse = [[X]]\n}}",
    "{{cite web|url=http://a.b/c?d=e|title=T|date=2001}}",
    "{{Main|Other page}}",
    "{{Reflist|30em}}",
    "{{citation needed|date=May 2010}}",
    "{{sfn|Smith|2000|p=3}}",
    "{{coord|51|30|N|0|7|W}}",
    "{{IPAc-en|ˈ|p|ær|ɪ|s}}",
    "{{DEFAULTSORT:Lovelace, Ada}}",
    "{{some unknown box|a|b}}",
    "{{Navbox\n|list1 = [[a]]\n|list2 = {{flatlist|\n* [[b]]\n}}\n}}",
    "{{flagicon|FRA}}",
    "{{#invoke:Module|main|x}}",
    "{{France-geo-stub}}",
    "[[Category:Towns|Foo]]",
    "[[fr:Paris]]",
    "[[zh-min-nan:Paris]]",
    "[[File:a.svg|20px|link=]]",
    "<!-- a {{comment}} [[here]] -->",
    "<ref name=x>{{cite book|title=T}}</ref>",
    '<ref name="x" />',
    "<references><ref>x</ref></references>",
    "<timeline>\nImageSize = width:300\n\nPlot\n</timeline>",
    "<math>\\frac{1}{2}</math>",
    "<syntaxhighlight lang=c>int x = 1;</syntaxhighlight>",
    "<templatestyles src='x.css' />",
    "__NOTOC__ __FORCETOC__",
    "----",
    "== References ==\n{{reflist}}\n=== Sub ===\n\n",
    "",
    " \n\n ",
]

REFERENCES_AND_BOUNDARIES = {
    "A<ref>B</ref> C": "A C",
    "A<ref>B</ref>C": "A C",
    "A<ref>x</ref><ref name=y/>B": "A B",
    "Paris<ref>x</ref>, the capital": "Paris, the capital",
    "A{{sfn|x}}B": "A B",
    "a<!-- c -->b": "ab",
    "a\n<!-- a line of its own -->\nb": "a\nb",
    "see <REF>x</REF>now": "see now",
    "<ref>never closed\nNext line stays.": "Next line stays.",
    "A<ref>open\n\n== Next ==\nText<ref>b</ref>.": "A\n\nNext\n\nText.",
    "<!-- never closed\n\nNext paragraph.": "Next paragraph.",
    "one<br>two<br />three": "one\ntwo\nthree",
    "the <math>n</math>th": "the nth",
}

LINKS_AND_FILES = {
    "[[bus]]es [[Paris|city]] [[Paris, Texas|]] [[Foo (bar)|]]": "buses city Paris, Texas Foo",
    "[[:Category:Towns]] [[Foo_bar]] [[#History]]": "Category:Towns Foo bar History",
    "Foo [[File:Fly.jpg|thumb|alt=x|A fly]] bar": "Foo\nA fly\nbar",
    "[[Image:A.png|right|200px|thumb|upright=1.2|Cap with [[a|nested]] {{lang|fr|là}}]]": "Cap with nested là",
    "[[File:A.png|thumb|left]]": "",
    "[[Datei:A.png|mini|links|Ein Bild]]": "Ein Bild",
    "[[File:Fly.jpg|20px|A fly]] bar": "bar",
    "<gallery>\nFile:a.jpg|The [[b|caption]] one<ref>z</ref>\nFile:b.jpg\nFile:c.jpg|alt=d|Two\n</gallery>": (
        "The caption one\nTwo"
    ),
    "[http://a.b/c?d=e label here] [https://x.y] at http://foo.bar/baz?a=b.": "label here at.",
    "[//a.b/c label] [mailto:a@b.c write] [not a link]": "label write [not a link]",
    "[[A|[[B]] c]] d": "B c d",
    "[[open link\n\nNext [[good]] one": "open link\n\nNext good one",
    "[[File:A.png|thumb|cap\n\nmore]] x": "cap\n\nmore\nx",
}

TEXT_AND_LAYOUT = {
    "'''Bold''' ''it'' '''''both''''' l'''a''' L''''x''''": "Bold it both la L'x'",
    "* item\n** sub\n# one\n; term : def\n: indent": "item\nsub\none\nterm: def\nindent",
    "== Head ==\nText\n=== Sub ===\nMore": "Head\n\nText\n\nSub\n\nMore",
    "Text\n== Empty ==\n== Full ==\nx": "Text\n\nFull\n\nx",
    "a&nbsp;b &amp;lt; AT&T &eacute; &#x41;&#66; wo&shy;rd": "a b &lt; AT&T é AB word",
    "10<sup>6</sup> m<sup>2</sup> H<sub>2</sub>O 1<sup>st</sup>": "10^6 m2 H2O 1st",
    "<div class='x'>a</div><span style=\"color:red\">b</span> c": "a\nb c",
    "<nowiki>[[not]] ''it'' {{x}}</nowiki>": "[[not]] ''it'' {{x}}",
    "if x < y and <z> is > 3": "if x < y and <z> is > 3",
    "Ada ({{IPA|x}}; born 1815) and ({{lang-fr|}})": "Ada (born 1815) and",
    "<poem>\nline one\nline two\n</poem>": "line one\nline two",
    "-{zh-hans:计算机; zh-hant:電腦}-": "计算机",
    "<onlyinclude>kept</onlyinclude><includeonly>gone</includeonly>": "kept",
}

TABLES = {
    '{| class="wikitable"\n|+ style="x" | Cap\n|-\n! scope=col | Name !! Age\n|- bgcolor=red\n'
    "| align=left | [[Ada|Ada L]] || 36\n|}\nAfter": "Cap\nName; Age\nAda L; 36\n\nAfter",
    "{|\n| {{flag|France}}\n| colspan=2 | 67,000\n|}": "France; 67,000",
    "{|\n|\n* a\n* b\n| c\n|}": "a\nb\nc",
    "{|\n| a\n{|\n| inner\n|}\n|-\n| b\n|}": "a\ninner\nb",
    "{|\n| never closed\n|-\n| b": "never closed\nb",
    "{{x\n| t = {|\n|-\n| a || b\n|}\n}}after": "after",
    ":{| border=1\n| a\n|}": "a",
    "{|\n| a {{!}} b\n|}": "b",
}

BROKEN = {
    "<x>" * 14 + "[[{{x}}": "<x>" * 14,
    "stray }} and ]] and {{ open | x": "stray and and open x",
    "{{Infobox person\n| name = Ada\n\nAda was born.": "Ada was born.",
    "[[a|b": "a|b",
    "{{": "",
    "]]}}|}": "",
}

CASES = {
    **TEMPLATES_THAT_NAME_OR_NUMBER,
    **dict.fromkeys(NOTHING_LEFT, ""),
    **REFERENCES_AND_BOUNDARIES,
    **LINKS_AND_FILES,
    **TEXT_AND_LAYOUT,
    **TABLES,
    **BROKEN,
}
GERMAN = Namespaces(frozenset({"file", "image", "datei"}), frozenset({"category", "kategorie"}))


@pytest.mark.parametrize("wikitext", CASES)
def test_wikitext_becomes_what_a_reader_sees(wikitext: str) -> None:
    assert plain_text(wikitext, title="Page", namespaces=GERMAN) == CASES[wikitext]


def test_namespaces_of_other_wikis_are_known_by_the_dump_alone() -> None:
    assert plain_text("[[Kategorie:Ort]]x", namespaces=GERMAN) == "x"
    assert plain_text("[[Kategorie:Ort]]") == "Kategorie:Ort"
