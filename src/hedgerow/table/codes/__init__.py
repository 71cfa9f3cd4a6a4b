"""Public code systems: one registry, the hierarchies they make, and what recognises codes."""

from hedgerow.table.codes.recognition import Match, recognised
from hedgerow.table.codes.spec import Codes, NoCodes
from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem

# Each registers its systems, in the order in which they are listed.
# isort: off
import hedgerow.table.codes.diagnoses
import hedgerow.table.codes.drugs
import hedgerow.table.codes.places
import hedgerow.table.codes.occupations
import hedgerow.table.codes.languages
import hedgerow.table.codes.ages  # noqa: F401
# isort: on

__all__ = ["CODE_SYSTEMS", "CodeSystem", "Codes", "Match", "NoCodes", "recognised"]
