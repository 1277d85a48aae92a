"""Short answers: their normal forms, refusals, and three rules that match them with accepted ones."""

from corver.text.answers.forms import answer_words, normalize_answer
from corver.text.answers.grading import EXTRA_WORDS, MatchRule, grade, matches
from corver.text.answers.refusals import is_refusal

__all__ = ["EXTRA_WORDS", "MatchRule", "answer_words", "grade", "is_refusal", "matches", "normalize_answer"]
