"""Corpora: sources of text in, streams of documents out. Knows nothing of words or of the index."""

from corver.corpus.document import Document, DocumentBatch, ReadReport, Shard, SourceInfo
from corver.corpus.opening import Corpus, open_corpus

__all__ = ["Corpus", "Document", "DocumentBatch", "ReadReport", "Shard", "SourceInfo", "open_corpus"]
