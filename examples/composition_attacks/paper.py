"""What the paper reports. Its digits are lost in the copy at hand: numbers are from memory.

The confidence is how sure that memory is; none of them could be looked up.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reported:
    """A number of the paper."""

    what: str
    value: str
    confidence: float


PERFECT_ADULT = Reported("perfect breach, Adult, k = 5", "around 12 %", 0.75)
PERFECT_IPUMS = Reported("perfect breach, IPUMS, k = 5", "around 60 %", 0.75)
PARTIAL_ADULT = Reported("partial breach, Adult, confidence 20 %, k = 5", "more than 60 %", 0.60)
PARTIAL_IPUMS = Reported("partial breach, IPUMS, confidence 20 %, k = 5", "around 90 %", 0.65)
PARTITION_IPUMS = Reported("average partition, IPUMS, k = 5", "close to 35", 0.65)
PARTITION_K = Reported("average partition, IPUMS, k = 10", "45", 0.55)
PARTITION_L = Reported("the same with entropy 5-diversity", "close to 1,000", 0.55)
PARTITION_T = Reported("the same with 0.4-closeness", "close to 1,300", 0.55)
LOCATED = Reported("nearest centroid is the right one", "approximately 70 %", 0.80)
