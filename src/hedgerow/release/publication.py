"""The life of a release, whatever its kind; readable top to bottom.

recall -> reserve and make -> write out of sight -> read back -> judge -> certify -> record ->
deliver. Nothing is visible at the target before the claims have been judged on what was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.base.faults import point
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.delivery_state import DeliveryState
from hedgerow.release.kinds import kind_of_plan
from hedgerow.release.maker import told_of_record
from hedgerow.release.options import Options
from hedgerow.release.partition.recoding_choice import refuse_meaningless

if TYPE_CHECKING:
    from hedgerow.release.noisy.release import RandomisedRelease
    from hedgerow.release.release import Release
    from hedgerow.release.safe.release import SafeRelease

    Published = Release | RandomisedRelease | SafeRelease


def publish(plan: Plan, data: Any, options: Options) -> Published:
    """Publish what the plan asks for, or tell again what was published before.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        options: Where to, and how.

    Raises:
        ClaimError: No recoding keeps the claims; nothing was published.
        BudgetError: It does not fit into the budget; nothing was looked at.
    """
    refuse_meaningless(plan)
    maker = kind_of_plan(plan).maker(plan, data, options)
    delivery = DeliveryState()
    with delivery.told(), maker.opened():
        kept = maker.recall()
        with told_of_record(maker, delivery):
            there = None if kept is None else maker.at_place(kept)
            if there is not None:
                options.say("done", 1.0)
                again: Published = maker.told_again(kept, there)
                return again
            with maker.made(kept) as made, maker.staged(made, delivery) as staged:
                options.say("writing")
                written = maker.write(made, staged)
                point("written")
                options.say("measuring what was written")
                read = maker.read_back(written, staged)
                judged = maker.judge(read)
                point("measured")
                certificate = options.signed(dict(maker.certify(judged, staged)))
                maker.record(judged, certificate)
                staged.deliver(as_text(certificate))
                release: Published = maker.finish(judged, certificate, staged)
        options.say("done", 1.0)
        return release
