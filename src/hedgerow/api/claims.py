"""The claims that can be made, each with its parameters, its words and its models."""

from __future__ import annotations

from hedgerow.claims.declaration import CLAIMS as CLAIMS
from hedgerow.claims.declaration import REQUIRED as REQUIRED
from hedgerow.claims.declaration import ChoiceParameter as ChoiceParameter
from hedgerow.claims.declaration import Declaration as Declaration
from hedgerow.claims.declaration import NumberParameter as NumberParameter
from hedgerow.claims.declaration import Parameter as Parameter
from hedgerow.claims.declaration import ParameterKind as ParameterKind
