"""What the library of Pufferfish offers; docs/pufferfish.md documents each name."""

# Checking a mechanism
from hedgerow.noise.pufferfish.closure import (
    KAnonymous as KAnonymous,
    convexity as convexity,
    post_processing as post_processing,
)
from hedgerow.noise.pufferfish.finite import FiniteMechanism as FiniteMechanism
from hedgerow.noise.pufferfish.scenario import (
    PufferfishLoss as PufferfishLoss,
    Scenario as Scenario,
)
from hedgerow.noise.pufferfish.template import (
    Definition as Definition,
    Indistinguishability as Indistinguishability,
    between as between,
    blowfish as blowfish,
    constraints as constraints,
)

# Mechanisms
from hedgerow.noise.pufferfish.chains import Chain as Chain
from hedgerow.noise.pufferfish.mixing import Mixing as Mixing, MixingQuilt as MixingQuilt
from hedgerow.noise.pufferfish.quilts import MarkovQuilt as MarkovQuilt
from hedgerow.noise.pufferfish.wasserstein import WassersteinMechanism as WassersteinMechanism
