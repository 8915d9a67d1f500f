"""Models of packet loss, with the parameters that the Linux network emulator (tc-netem) gives them.

A new one is a settings class with ``build``, and its name in ``LossSettings``.
"""

from __future__ import annotations

from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from voicebench.line.capture import read_capture
from voicebench.line.data import PinnedFile
from voicebench.line.streams import PacketDraws, Stream, named_model, uniform

__all__ = ["Bernoulli", "FourState", "Gilbert", "GilbertElliott", "Loss", "LossSettings", "NoLoss", "ReplayLoss"]

Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Loss(Protocol):
    """Decides which packets never arrive; asked once for each, in order."""

    def lost(self, index: int) -> bool:
        """Say whether packet ``index`` is lost."""


class _LossModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NoLoss(_LossModel):
    """Every packet arrives."""

    model: Literal["none"] = "none"

    def build(self, stream: Stream) -> Loss:
        """Return the model, ready to be asked."""
        return self

    def lost(self, index: int) -> bool:
        """Return False."""
        return False


class Bernoulli(_LossModel):
    """Each packet is lost with probability ``p``, whatever became of the others (netem: ``loss random``)."""

    model: Literal["bernoulli"] = "bernoulli"
    p: Probability

    def build(self, stream: Stream) -> Loss:
        """Return the model, ready to be asked."""
        return _Chain(stream, [[(0.0, 0)]], [self.p])


class Gilbert(_LossModel):
    """Good and bad stretches; all packets of a bad one are lost, none of a good one (netem: ``loss gemodel p r``).

    The loss rate is ``p / (p + r)``, the mean burst ``1 / r``.

    Attributes:
        p: probability that a good stretch ends after a packet.
        r: probability that a bad one does.
    """

    model: Literal["gilbert"] = "gilbert"
    p: Probability
    r: Probability

    @classmethod
    def of(cls, rate: float, burst: float) -> Gilbert:
        """Return the model with a loss rate and a mean burst in packets."""
        return cls(p=rate / (1.0 - rate) / burst, r=1.0 / burst)

    def build(self, stream: Stream) -> Loss:
        """Return the model, ready to be asked."""
        return _Chain(stream, [[(self.p, 1)], [(self.r, 0)]], [0.0, 1.0])


class GilbertElliott(_LossModel):
    """Good and bad stretches with a probability of loss each (netem: ``loss gemodel p r 1-h 1-k``).

    Attributes:
        p: probability that a good stretch ends after a packet.
        r: probability that a bad one does.
        h: probability that a packet of a bad stretch arrives.
        k: probability that a packet of a good stretch arrives.
    """

    model: Literal["gilbert_elliott"] = "gilbert_elliott"
    p: Probability
    r: Probability
    h: Probability = 0.0
    k: Probability = 1.0

    def build(self, stream: Stream) -> Loss:
        """Return the model, ready to be asked."""
        return _Chain(stream, [[(self.p, 1)], [(self.r, 0)]], [1.0 - self.k, 1.0 - self.h])


class FourState(_LossModel):
    """Gaps and bursts of loss, each with single exceptions (netem: ``loss state p13 p31 p32 p23 p14``).

    States: 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 lost in a gap. ``p31``, ``p32`` leave out
    the rest, which stays in 3; a packet after state 4 is received.
    """

    model: Literal["four_state"] = "four_state"
    p13: Probability
    p31: Probability
    p32: Probability = 0.0
    p23: Probability = 1.0
    p14: Probability = 0.0

    def build(self, stream: Stream) -> Loss:
        """Return the model, ready to be asked."""
        moves = [
            [(self.p14, 3), (self.p14 + self.p13, 2)],
            [(self.p23, 2)],
            [(self.p32, 1), (self.p32 + self.p31, 0)],
            [(1.0, 0)],
        ]
        return _Chain(stream, moves, [0.0, 0.0, 1.0, 1.0])


class ReplayLoss(_LossModel):
    """The packets that a user's capture lost; :func:`voicebench.line.capture.read_capture` has the format."""

    model: Literal["replay"] = "replay"
    file: PinnedFile

    def build(self, stream: Stream) -> Loss:
        """Read the capture and return the model, ready to be asked.

        Raises:
            ConfigError: the file is missing, changed or no capture.
        """
        return _ReplayedLoss(self.file)


class _Chain:
    """A Markov chain with a probability of loss in each state.

    Args:
        stream: the stage's random numbers.
        moves: for each state, the cumulative probabilities of leaving it and where to.
        losses: for each state, the probability that a packet is lost in it.
    """

    def __init__(self, stream: Stream, moves: list[list[tuple[float, int]]], losses: list[float]) -> None:
        self._draws = PacketDraws(stream, uniform)
        self._moves = moves
        self._losses = losses
        self._state = 0

    def lost(self, index: int) -> bool:
        # The state moves before the packet, so that a burst begins with a packet of its own. The second number decides
        # on the loss in every state: with one seed, Bernoulli at a higher rate loses the same packets and some more.
        move, loss = self._draws.of(index)
        for limit, state in self._moves[self._state]:
            if move < limit:
                self._state = state
                break
        return loss < self._losses[self._state]


class _ReplayedLoss:
    def __init__(self, file: PinnedFile) -> None:
        self._capture = read_capture(file)

    def lost(self, index: int) -> bool:
        return self._capture.place(index) in self._capture.lost


LossSettings = Annotated[
    Annotated[NoLoss | Bernoulli | Gilbert | GilbertElliott | FourState | ReplayLoss, Field(discriminator="model")],
    BeforeValidator(named_model),
]
"""A model of loss with its parameters; a name alone stands for a model that needs none."""
