"""Drawn: the noisy numbers of a release. All that is published follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.answers.charge import read_kept
from hedgerow.answers.design import CONFIDENCE, Numbers, distribution
from hedgerow.base.canonical_json import canonical
from hedgerow.noise.calibration import Additive, AnswerPart
from hedgerow.noise.catalogue import MECHANISMS
from hedgerow.noise.measures import Loss
from hedgerow.synthesis.request import SynthesisRequest, loss_json, read_loss
from hedgerow.table.domain import decimal

FORMAT = "hedgerow-drawn/1"


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What the ledger keeps of a randomised release: enough to make its files again."""

    request: SynthesisRequest
    mechanism: Additive
    """The noise on each count of each table."""
    part: AnswerPart
    """What one person changes in all tables together."""
    loss: Loss
    """What it costs; never more than the price."""
    noisy: tuple[Numbers, ...]
    """For each table its cells, in the order of its columns' domains, the last one fastest."""
    ledger: Mapping[str, Any]
    """Where in the ledger it was reserved."""

    @classmethod
    def of(
        cls, request: SynthesisRequest, noisy: Sequence[Numbers], ledger: Mapping[str, Any]
    ) -> Drawn:
        """Numbers that were drawn as the request's design says."""
        design, mechanism = request.design, request.design.mechanism
        assert isinstance(mechanism, Additive), "without a policy every count has noise"
        return cls(
            request=request,
            mechanism=mechanism,
            part=design.part,
            loss=design.loss,
            noisy=tuple(noisy),
            ledger=ledger,
        )

    def to_bytes(self) -> bytes:
        """What the ledger keeps."""
        return canonical(
            {
                "format": FORMAT,
                "request": self.request.as_json(),
                "noise": noise_json(self.mechanism),
                "sensitivity": {"l1": self.part.l1, "l2_squared": self.part.l2_squared},
                "loss": loss_json(self.loss),
                "noisy": [table.tolist() for table in self.noisy],
                "ledger": dict(self.ledger),
            }
        )

    @classmethod
    def read(cls, content: bytes) -> Drawn:
        """From the bytes in the ledger.

        Raises:
            DataError: They are of a version that is not known here.
        """
        told = read_kept(content, FORMAT)
        return cls(
            request=SynthesisRequest.read(told["request"]),
            mechanism=read_noise(told["noise"]),
            part=AnswerPart(**told["sensitivity"]),
            loss=read_loss(told["loss"]),
            noisy=tuple(np.array(table, np.int64) for table in told["noisy"]),
            ledger=told["ledger"],
        )


def noise_json(mechanism: Additive) -> dict[str, Any]:
    """The noise: its scale exactly, and how far it moves a number in 95 % of all cases."""
    return {
        "distribution": distribution(mechanism),
        "scale": decimal(mechanism.scale),
        "half_width_95": mechanism.accuracy(confidence=CONFIDENCE),
    }


def read_noise(told: Mapping[str, Any]) -> Additive:
    """The mechanism of a kind and scale."""
    made: Any = MECHANISMS.find(told["distribution"])
    mechanism = made(scale=Fraction(told["scale"]))
    assert isinstance(mechanism, Additive), "noise that is added to counts"
    return mechanism
