"""The claims that can be made, each with its parameters, its words and its models."""

from __future__ import annotations

from hedgerow.claims.declaration import CLAIMS as CLAIMS
from hedgerow.claims.declaration import REQUIRED as REQUIRED
from hedgerow.claims.declaration import Choice as Choice
from hedgerow.claims.declaration import Declaration as Declaration
from hedgerow.claims.declaration import Kind as Kind
from hedgerow.claims.declaration import Number as Number
from hedgerow.claims.declaration import Parameter as Parameter
