"""The tree of errors that voicebench raises on purpose.

``VoicebenchError``
    ``ConfigError``      a file, key, flag or name given by the user is wrong (exit 2)
    ``ModelMissing``     weights are absent or differ from their pinned hash (exit 2)
    ``StoreError``       a run folder cannot be read, written or locked (exit 2)
        ``CorruptFile``  a file of a run is missing, cut off, or holds something else; the same run makes it again
        ``NotWritable``  a file or folder cannot be written
    ``ProviderError``    a language model or realtime service failed; ``retryable`` says whether to try again
    ``CallerInvalid``    the simulated caller broke its script: the call is void
    ``AgentError``       the harness that drives the agent under test failed
        ``PackError``    the code of a pack's tools failed
    ``ClockError``       call time could not be kept: an untracked wait, a hung job

Every message says what happened, where, and what to do about it.
"""

from __future__ import annotations

from typing import Literal

__all__ = [
    "REFUSALS",
    "AgentError",
    "CallerInvalid",
    "ClockError",
    "ConfigError",
    "CorruptFile",
    "ModelMissing",
    "NotWritable",
    "PackError",
    "ProviderError",
    "StoreError",
    "VoicebenchError",
    "advise",
]


REFUSALS = (401, 403, 404)
"""HTTP statuses of a service that will refuse every request until the command is changed."""


class VoicebenchError(Exception):
    """Root of the tree; catching it catches everything raised on purpose."""


class ConfigError(VoicebenchError):
    """A file, key, flag or name given by the user is wrong."""


class ModelMissing(VoicebenchError):
    """Model weights are absent, or differ from the hash they are pinned to."""


class StoreError(VoicebenchError):
    """A run folder cannot be read, written or locked."""


class CorruptFile(StoreError):
    """A file of a run is missing, cut off, or holds something else."""


class NotWritable(StoreError):
    """A file or folder cannot be written."""


class ProviderError(VoicebenchError):
    """A language model or realtime service failed.

    Attributes:
        retryable: whether the same request may succeed later.
        status: HTTP status, or None when there was no response.
        party: whose service it is: that of the ``agent`` under test, or of the model that plays the ``caller``.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        party: Literal["agent", "caller"] = "agent",
    ) -> None:
        super().__init__(message)
        self.party = party
        self.retryable = retryable
        self.status = status

    @property
    def refused(self) -> bool:
        """Whether every request will be refused until the command is changed: a bad key, address or model."""
        return self.status in REFUSALS


class CallerInvalid(VoicebenchError):
    """The simulated caller broke its locked script; the call is void."""


class AgentError(VoicebenchError):
    """The harness that drives the agent under test failed."""


class PackError(AgentError):
    """The code of a pack's tools failed: it raised, hung, ended its process, or answered nothing that makes sense."""


class ClockError(VoicebenchError):
    """Call time could not be kept: an untracked wait, or a job that hung."""


def advise(error: VoicebenchError) -> str:
    """Return the message of an error; of a corrupt file, with what to do about it."""
    return (
        f"{error}; the command that made the run, given once more, makes it again"
        if isinstance(error, CorruptFile)
        else str(error)
    )
