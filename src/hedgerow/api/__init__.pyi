"""What `hedgerow.api` offers to the faces: the one list, which `hedgerow.base.door` reads too.

Public names are not repeated: they stand in `hedgerow/__init__.pyi`. What its modules do themselves
comes first, then what rooms offer as it is.
"""

# Plans and tables
from hedgerow.api.demo import run_demo as run_demo, write_hospital as write_hospital
from hedgerow.api.hierarchies import (
    ColumnProposals as ColumnProposals,
    import_project as import_project,
    propose_hierarchies as propose_hierarchies,
    write_hierarchy as write_hierarchy,
)
from hedgerow.api.measurement import measure as measure
from hedgerow.api.table_look import Look as Look, TableSource as TableSource
from hedgerow.base.spelling import likeness as likeness, reading as reading
from hedgerow.base.spelling_classes import quoted as quoted
from hedgerow.claims.row_bound import of_rows as of_rows
from hedgerow.plan.claims import Claim as Claim
from hedgerow.plan.guess import write_plan as write_plan
from hedgerow.plan.guesses.questions import PlanQuestion as PlanQuestion
from hedgerow.engines.detection import look_at_file as look_at_file
from hedgerow.engines.file_look import FileLook as FileLook
from hedgerow.engines.formats import uploadable as uploadable
from hedgerow.plan.source_form import (
    decided as decided,
    form_of as form_of,
    said_in_words as said_in_words,
)
from hedgerow.table.groups import ROWS as ROWS
from hedgerow.table.hierarchy_builders import DATE_LEVELS as DATE_LEVELS, Dates as Dates
from hedgerow.table.person_keys import question as question
from hedgerow.table.profile.column_notes import (
    column_notes as column_notes,
    in_percent as in_percent,
    listed as listed,
)
from hedgerow.table.schema import Role as Role
from hedgerow.table.value_order import DATES as DATES, NUMBERS as NUMBERS, arranged as arranged

# Releases
from hedgerow.base.delivery import (
    CERTIFICATE as CERTIFICATE,
    DATA as DATA,
    internal_place as internal_place,
)
from hedgerow.base.stop_request import StopRequest as StopRequest
from hedgerow.recode.optimality import standing as standing
from hedgerow.recode.metrics import METRICS as METRICS
from hedgerow.recode.metrics import metric_of as metric_of
from hedgerow.release.delivery_state import PUBLISHED as PUBLISHED, stopped as stopped
from hedgerow.release.partition.earlier_releases import UNCOMPARED as UNCOMPARED
from hedgerow.release.release import level_in_words as level_in_words

# Attacks
from hedgerow.api.attack_suite import (
    TRIAL as TRIAL,
    attack_columns as attack_columns,
    believed_of as believed_of,
    make_trial as make_trial,
    no_trial as no_trial,
)
from hedgerow.api.received_release import keep_release as keep_release
from hedgerow.attacks.charts import (
    attacks_chart as attacks_chart,
    names_of as names_of,
    plot_attacks as plot_attacks,
)
from hedgerow.attacks.gain_bounds import (
    UNTRIED as UNTRIED,
    GainBounds as GainBounds,
    doubts as doubts,
)
from hedgerow.attacks.person_belief import (
    PersonBelief as PersonBelief,
    belief_about as belief_about,
)
from hedgerow.attacks.person_chart import person_chart as person_chart
from hedgerow.attacks.registry import (
    file_attacks as file_attacks,
    release_attacks as release_attacks,
)

from hedgerow.reports.profiles.registry import PROFILES as PROFILES

# Questions and the ledger
from hedgerow.answers.files import check_file as check_file, write_answer as write_answer
from hedgerow.api.answer_charts import answer_chart as answer_chart
from hedgerow.api.ledgers import (
    currencies as currencies,
    ledger_state as ledger_state,
    policies_of as policies_of,
    policy_of as policy_of,
    set_budget as set_budget,
    verify_ledger as verify_ledger,
)
from hedgerow.api.questions import (
    ANSWER as ANSWER,
    CostPreview as CostPreview,
    as_in_filter as as_in_filter,
    chance_of_guess as chance_of_guess,
    columns_in_filter as columns_in_filter,
    find_answer as find_answer,
    is_range as is_range,
)
from hedgerow.ledger import Entry as Entry, EntryKind as EntryKind, Position as Position
from hedgerow.ledger.choice import ledger_place as ledger_place
from hedgerow.noise.amounts import NOTHING as NOTHING, Amounts as Amounts
from hedgerow.noise.neighbours import Neighbouring as Neighbouring
from hedgerow.table.domain import Bounds as Bounds, Values as Values, decimal as decimal

# Charts
from hedgerow.charts.looks import style_sheet as style_sheet

# The lattice
from hedgerow.claims.epsilon import belief_claims as belief_claims
from hedgerow.explore.frontier import epsilon_at as epsilon_at, steps as steps
from hedgerow.explore.lattice_charts import (
    epsilon_chart as epsilon_chart,
    frontier_chart as frontier_chart,
    tradeoff_chart as tradeoff_chart,
)
from hedgerow.explore.levers import levers as levers
from hedgerow.explore.nodes import fixed as fixed
from hedgerow.explore.preview import preview as preview
from hedgerow.explore.profile_charts import singling_chart as singling_chart
from hedgerow.explore.survey import OPEN as OPEN, YES as YES

# What parameters mean
from hedgerow.claims import describe as describe
from hedgerow.explain.adversary_study import refuse_plot as refuse_plot
from hedgerow.explain.belief_words import stubborn as stubborn, times as times
from hedgerow.explain.definitions import define as define, definitions as definitions
from hedgerow.explain.policies import SCALE as SCALE
from hedgerow.noise.loss_sentences import told as told
