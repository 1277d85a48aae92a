"""Extraction: a sentence in, subject-object pairs out."""
