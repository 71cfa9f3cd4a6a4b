"""Graphs and domains as JSON, so that a policy can be known again by its digest."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Grid, Near
from hedgerow.noise.blowfish.secret_graph import Graph, relabelled
from hedgerow.table.domain import Bounds, Domain


def spelt_graph(graph: Graph) -> list[Any]:
    """A graph as JSON: equal for graphs that are written alike, whatever the blocks are called."""
    match graph:
        case Full():
            return ["full", graph.size]
        case Partition():
            return ["partition", relabelled(np.array(graph.blocks, np.int64)).tolist()]
        case Threshold():
            return ["within", graph.positions.tolist(), graph.within]
        case Near():
            return ["near", list(map(list, graph.points)), str(graph.within), graph.metric]
        case Grid():
            return ["grid", list(graph.shape), graph.within, graph.metric]
    return ["pairs", graph.size, graph.edges().tolist()]


def spelt_domain(domain: Domain) -> list[Any]:
    """Public values as JSON."""
    if isinstance(domain, Bounds):
        return ["bounds", str(domain.low), str(domain.high), str(domain.step)]
    return ["values", list(domain.values)]
