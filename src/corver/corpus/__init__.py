"""Corpora: sources of text in, streams of documents out. Knows nothing of words or of the index."""
