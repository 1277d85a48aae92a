"""Closed word lists over folded words: articles, what a query leaves out, what an index keeps without positions.

In: nothing. Out: STOPWORDS, the English words that say nothing about a fact and are dropped from the content words of
a claim; FUNCTION_WORDS, the few most frequent of them, whose positions an index with stored text does not keep.
Words that are also names, months or abbreviations once folded ("us", "may", "will", "am", "mine") are in none.
"""

from __future__ import annotations

__all__ = ["ARTICLES", "FUNCTION_WORDS", "STOPWORDS"]

ARTICLES = frozenset({"a", "an", "the"})

FUNCTION_WORDS: frozenset[str] = frozenset(
    """
    a an the this that these
    and or but not
    of in on at to from by with for as into
    is was are were be been has have had
    it its he his she her they their which also
    after other
    """.split()  # noqa: SIM905 - a list of words reads as one
)
"""Kept without positions where the text is stored. Not chosen by frequency: "new", "first" and "one" are content."""

STOPWORDS: frozenset[str] = FUNCTION_WORDS | frozenset(
    """
    those there here such same own
    nor if then than so because although though while whereas unless until since
    about above across against along among around before behind below beneath beside besides between beyond
    down during except inside near off onto out outside over past through throughout toward towards under
    up upon via within without
    being am having do does did doing done
    can could would should shall might must cannot
    i me my myself you your yours yourself we our ours ourselves him himself hers herself itself
    them theirs themselves someone something anyone anything everyone everything
    who whom whose what when where why how whether
    all any both each either neither few more most much many some several every another
    no only very too just even still already yet again ever never often sometimes usually
    however therefore thus hence moreover furthermore otherwise
    dont doesnt didnt isnt wasnt arent werent hasnt havent hadnt cant couldnt wouldnt shouldnt wont
    """.split()  # noqa: SIM905 - a list of words reads as one
)
"""Dropped from the content words of a claim."""
