"""Content words: what a pair asks of the corpus.

In: the head and the tail of a pair. Out: distinct folded words without stop words, numbers and dates kept, so that a
wrong year changes the count (arXiv 2605.29648, section 3). This module knows neither counts nor rewards.
"""

from __future__ import annotations

from functools import lru_cache

from corver.text.stopwords import ARTICLES, STOPWORDS
from corver.text.words import words
from corver.types import Pair

__all__ = ["content_words", "is_pronoun", "query_words"]

_PRONOUN_LIST = """
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves this that these those who whom whose which what
    one oneself someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    there here
"""
_PRONOUNS = frozenset(_PRONOUN_LIST.split())


@lru_cache(maxsize=1 << 16)
def content_words(text: str) -> tuple[str, ...]:
    """The distinct content words of `text` in order of appearance.

    A name made of stop words alone ("The Who") keeps its words, articles apart: without them a query would ask for
    the other side of the pair only.
    """
    found = tuple(dict.fromkeys(words(text)))
    return tuple(word for word in found if word not in STOPWORDS) or tuple(
        word for word in found if word not in ARTICLES
    )


def is_pronoun(text: str) -> bool:
    """Whether a head or tail only points at something; abbreviations in capitals (US, IT, WHO) do not."""
    bare = text.strip()
    return bare.lower() in _PRONOUNS and not (len(bare) > 1 and bare.isupper())


def query_words(pair: Pair) -> tuple[str, ...]:
    """The words to count for a pair, sorted, or () when the pair says nothing that a corpus could hold.

    Valid: head and tail non-empty, not pronouns, at least two distinct content words together (the paper's FIRST
    rule), and not the same words on both sides ("Marie Curie is Marie Curie"), which any name would pass.
    """
    if is_pronoun(pair.head) or is_pronoun(pair.tail):
        return ()
    head, tail = frozenset(content_words(pair.head)), frozenset(content_words(pair.tail))
    if not head or not tail or head == tail or len(head | tail) < 2:
        return ()
    return tuple(sorted(head | tail))
