"""The one exception tree of corver.

In: nothing. Out: exceptions that carry one line for the user and the exit code of the command line. A user's fault
never ends in a traceback: the command line prints the message of a `CorverError` and exits with its `exit_code`
(1: the work failed; 2: wrong use). This module knows nothing of the rest of the package.
"""

from __future__ import annotations

__all__ = [
    "AlignmentError",
    "AssetError",
    "ConfigError",
    "CorpusError",
    "CorrectionUndoneError",
    "CorverError",
    "CorverWarning",
    "DependencyError",
    "EndpointError",
    "ExtractionError",
    "IndexFormatError",
    "IndexLockedError",
    "InputError",
    "LookupFailedError",
    "NoiseRatesError",
    "TrainingError",
    "UsageError",
]


class CorverError(Exception):
    """Base of every error that corver raises on purpose. The message is one line: what, where, and the cure."""

    exit_code = 1


class UsageError(CorverError):
    """The caller asked for something that makes no sense (a window of −1, an unknown option)."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file or value is wrong: unknown key, wrong type, contradiction."""


class NoiseRatesError(ConfigError):
    """Error rates of a verifier that are no rates, or with which its verdicts carry no information."""


class CorrectionUndoneError(ConfigError):
    """A later stage would turn corrected advantages back into uncorrected ones."""


class DependencyError(CorverError):
    """An optional library is missing; the message names the extra that brings it."""


class EndpointError(CorverError):
    """A model behind an address does not answer, or is not served there."""


class InputError(CorverError):
    """A file given as input is missing, empty, or not in the format it claims to be."""


class CorpusError(InputError):
    """A corpus source cannot be read, or yields no document."""


class IndexFormatError(CorverError):
    """A folder is not a usable index: missing, half-written, corrupted, or of another format version."""


class IndexLockedError(CorverError):
    """Another process is writing to the same index folder."""


class LookupFailedError(CorverError):
    """A count could not be obtained. It becomes the status `failed` of a sentence, never a number."""


class ExtractionError(CorverError):
    """An extractor could not process a sentence. It becomes the status `failed`, never `no_claim`."""


class AlignmentError(CorverError):
    """Token ids, text and sentence spans do not fit together. Raised, never padded over."""


class AssetError(CorverError):
    """A download has the wrong size or hash, or cannot be fetched."""


class TrainingError(CorverError):
    """A training run cannot go on, or cannot be resumed with these settings."""


class CorverWarning(UserWarning):
    """Work goes on otherwise than asked, or is likely to be in vain. One line, which the command line shows."""
