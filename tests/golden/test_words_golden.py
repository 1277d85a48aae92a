"""The golden table of the word rules; docs/words.md shows the same rows."""

from __future__ import annotations

import pytest

from corver.text.words import fold, tokenize, words

TABLE = [
    # case and accents
    ("iPhone IPHONE (Paris  Paris", "iphone iphone paris paris"),
    ("Łódź, Ærøskøbing, Straße, Þór", "lodz aeroskobing strasse thor"),
    ("İstanbul ISPARTA ısırgan", "istanbul isparta isirgan"),
    ("Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ σισυφοσ"),
    ("Ёлка Чайковский", "елка чаиковскии"),
    ("café cafe\u0301 CAFÉ", "cafe cafe cafe"),
    ("co\u00adoperate zero\u200dwidth two\u200bwords", "cooperate zerowidth two words"),
    ("ﬁnance ＦＵＬＬ Ⅷ x²", "finance full viii x2"),
    # apostrophes
    ("Curie's CURIE’S Curies' James's", "curie curie curies james"),
    ("don't we'll Xi'an Qur'an Hawaiʻi", "dont well xian quran hawaii"),
    ("O'Brien D'Arcy l'Académie L’Oréal’s", "o brien d arcy l academie l oreal"),
    ("Guns N' Roses, rock 'n' roll", "guns n roses rock n roll"),
    ("the 1980's and '90s", "the 1980s and 90s"),
    # hyphens and other marks
    ("well-known Jean–Luc AT&T C++ km/h snake_case", "well known jean luc at t c km h snake case"),
    ('Mission: Impossible; 36" vanity; Portland, OR', "mission impossible 36 vanity portland or"),
    # initials and abbreviations
    ("J.R.R. Tolkien, J. R. R. Tolkien, JRR Tolkien", "jrr tolkien jrr tolkien jrr tolkien"),
    ("U.S. U.S.A. US D.C. U.S.'s U.S.-led", "us usa us dc us us led"),
    ("8 a.m., e.g. U.S. ships", "8 am eg us ships"),
    ("George W. Bush. George H. W. Bush", "george w bush george hw bush"),
    ("Ph.D. St. Louis No.5 example.com", "ph d st louis no 5 example com"),
    # numbers
    ("1,000 1000 1,234,567 12,34 1999,2000", "1000 1000 1234567 12 34 1999 2000"),
    ("3.14 0.5 .5 1,000.25", "3.14 0.5 5 1000.25"),
    ("12.05.1990 192.168.0.1 1990.", "12 05 1990 192 168 0 1 1990"),
    ("-5 −5 +5 $5 5% 5°C", "5 5 5 5 5 5 c"),
    ("1st 20th 80s mp3 H2O", "1st 20th 80s mp3 h2o"),
    ("½ 3½ 1/2 №5 5㎏", "1 2 3 1 2 1 2 no 5 5 kg"),
    ("١٩٩٠ १९९० 1990", "1990 1990 1990"),
    # scripts without spaces, other scripts
    ("東京タワー 第3回", "東 京 タ ワ ー 第 3 回"),
    ("ไทย ที่นี่", "ไ ท ย ที่ นี่"),
    ("हिन्दी مُحَمَّد שָׁלוֹם", "हिन्दी محمد שלום"),
    # emoji and symbols are no words
    ("Hi 🤣 👩‍🚀 1️⃣ Windows™ ♥", "hi 1 windows"),
    ("", ""),
    (" ... ' \u200d \u0301 ", ""),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == _decomposed(expected)


def _decomposed(expected: str) -> str:
    """The table is written in composed form; the marks that a word keeps are separate code points in it."""
    return fold(expected) if not expected.isascii() else expected


@pytest.mark.parametrize(
    ("composed", "decomposed"), [("서울", "\u1109\u1165\u110b\u116e\u11af"), ("が", "か\u3099"), ("é", "e\u0301")]
)
def test_composition_does_not_matter(composed: str, decomposed: str) -> None:
    assert words(composed) == words(decomposed)
    assert len(words(composed)) == 1


def test_spans_point_into_the_text_as_given() -> None:
    text = "🤣 Marie  CURIE's e\u0301tude, J. R. R.  1,000 ½!"
    assert [(token.text, text[token.start : token.end]) for token in tokenize(text)] == [
        ("marie", "Marie"),
        ("curie", "CURIE"),
        ("etude", "e\u0301tude"),
        ("jrr", "J. R. R"),
        ("1000", "1,000"),
        ("1", "½"),
        ("2", "½"),
    ]
