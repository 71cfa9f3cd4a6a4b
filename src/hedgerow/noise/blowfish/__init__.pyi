"""What the library of Blowfish policies offers; docs/blowfish.md documents each name."""

# Policies
from hedgerow.noise.blowfish.constraints import Constraints as Constraints, brute as brute
from hedgerow.noise.blowfish.graphs import (
    Full as Full,
    Partition as Partition,
    Threshold as Threshold,
    line as line,
)
from hedgerow.noise.blowfish.listed_graphs import Explicit as Explicit, Grid as Grid, Near as Near
from hedgerow.noise.blowfish.policy import Policy as Policy
from hedgerow.noise.blowfish.sensitivity import Sensitivity as Sensitivity
from hedgerow.noise.blowfish.words import describe as describe

# Mechanisms
from hedgerow.noise.blowfish.hierarchical_mechanism import (
    OrderedHierarchical as OrderedHierarchical,
)
from hedgerow.noise.blowfish.ordered_mechanism import Ordered as Ordered
from hedgerow.noise.blowfish.transform import TreeTransform as TreeTransform

# Composition
from hedgerow.noise.blowfish.composition import (
    from_differential_privacy as from_differential_privacy,
    parallel_cells as parallel_cells,
    parallel_rows as parallel_rows,
    sequential as sequential,
)
